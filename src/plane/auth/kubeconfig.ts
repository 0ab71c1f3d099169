// SPDX-License-Identifier: Apache-2.0
import { printYaml } from "../../lib/yaml-print.ts";
import type { Identity } from "./certificate.ts";
import { writePrivateFile } from "./private-file.ts";

/** What a kubeconfig says. */
export interface KubeconfigOptions {
  /** The server's URL. */
  readonly server: string;
  /** The authority's certificate, PEM. */
  readonly certificateAuthority: string;
  /** How the user is known: by a certificate or a bearer token. */
  readonly credentials: Identity | { readonly token: string };
  readonly user?: string;
  /** Where commands go that name no namespace. */
  readonly namespace?: string;
}

const NAME = "butler";

/** A kubeconfig with one cluster, one user and the context `butler`; everything is in it, no other file is needed. */
export function kubeconfig({
  server,
  certificateAuthority,
  credentials,
  user = "butler-admin",
  namespace,
}: KubeconfigOptions): string {
  const login =
    "token" in credentials
      ? { token: credentials.token }
      : {
          "client-certificate-data": base64(credentials.certificate),
          "client-key-data": base64(credentials.key),
        };
  return printYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: NAME, cluster: { server, "certificate-authority-data": base64(certificateAuthority) } }],
    users: [{ name: user, user: login }],
    contexts: [{ name: NAME, context: { cluster: NAME, user, namespace } }],
    "current-context": NAME,
  });
}

/** Writes a kubeconfig that only its owner may read, at once or not at all. */
export function writeKubeconfig(path: string, text: string): void {
  writePrivateFile(path, text);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
