// SPDX-License-Identifier: Apache-2.0
import type { Access } from "./request.ts";

/** A kubeconfig with one cluster, one user and one context, everything inside it. It is JSON, and so it is YAML. */
export function kubeconfigText({ url, ca, certificate, key }: Required<Access>): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const user = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: url, "certificate-authority-data": base64(ca) } }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
