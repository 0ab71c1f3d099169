// SPDX-License-Identifier: Apache-2.0

/** A text, or the file that has it. Files are read again from time to time, so that they can be replaced. */
export type TextSource = { readonly text: string } | { readonly path: string };

/** Where an API server is, how to trust it, and who is calling. Holds secrets: not for logs. */
export interface ClusterConfig {
  /** `https://host:port`, possibly with a path below which the API lies. */
  readonly server: string;
  /** The namespace of the context, for those who have no other. The client itself never uses it. */
  readonly namespace?: string;
  /** PEM of who may sign the server's certificate; left out, the system's authorities. */
  readonly ca?: TextSource;
  /** Accepts every server. Only for experiments. */
  readonly insecureSkipTlsVerify?: boolean;
  /** The name the server's certificate must have, where it is not the host's. */
  readonly tlsServerName?: string;
  /** `http://`, `https://` or `socks5://`, possibly with user and password. */
  readonly proxyUrl?: string;
  /** Left out, the caller is anonymous. */
  readonly credentials?: CredentialsConfig;
}

/**
 * Who is calling. A token file goes before a token, either before user and password, and these before a plug-in, which is then
 * not run. A certificate is shown besides any of them.
 */
export interface CredentialsConfig {
  readonly token?: string;
  /** Read again every minute, and when the server says 401. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly certificate?: TextSource;
  readonly key?: TextSource;
  readonly exec?: ExecPlugin;
  readonly impersonate?: Impersonation;
}

/** Acts as somebody else, where the caller may. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A program that hands out credentials. */
export interface ExecPlugin {
  readonly apiVersion: "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that came from the kubeconfig; they are taken out of what the program complains. */
  readonly secrets: readonly string[];
  /** Shown when the program is not there. */
  readonly installHint?: string;
  /** Whether it is told about the cluster, and what. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** Whether a person is there to answer. */
  readonly isInteractive: boolean;
}
