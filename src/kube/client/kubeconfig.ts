// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ConfigError } from "../errors.ts";
import type { ClusterConfig, CredentialsConfig, TextSource } from "./cluster-config.ts";
import { readExecPlugin } from "./kubeconfig-exec.ts";
import { type Fields, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig-file.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";

/** An environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Which kubeconfig to load, and how far to trust it. */
export interface KubeconfigOptions {
  /** One file, which must exist. Left out: those of `KUBECONFIG` in `env`, else `.kube/config` in its `HOME`. */
  readonly path?: string;
  /** The kubeconfig itself. */
  readonly text?: string;
  /** Left out, the current one. */
  readonly context?: string;
  /**
   * The process's own environment is never read: what files and plug-ins need of it comes from here, and so does the proxy
   * (`HTTPS_PROXY`, `NO_PROXY`) where the kubeconfig has no `proxy-url`.
   */
  readonly env?: Environment;
  /** False for one that a stranger may have written: it must not make us run a program or read a file, and is refused if it would. */
  readonly trusted?: boolean;
  /** Whether a person is there to answer a plug-in. */
  readonly interactive?: boolean;
}

/**
 * Loads a kubeconfig as kubectl does. Throws a `ConfigError` that says what is wrong and where, without any value in it. Nothing
 * but the kubeconfig itself is read, and no plug-in is run: that happens when a client needs them.
 */
export function loadKubeconfig(options: KubeconfigOptions = {}): ClusterConfig {
  const kubeconfig = read(options);
  if (options.trusted === false) refuseReach(kubeconfig);
  const wanted = options.context ?? kubeconfig.currentContext;
  if (wanted === undefined) throw new ConfigError("kubeconfig: no context is given and none is current");
  const context = kubeconfig.contexts.get(wanted);
  if (context === undefined) throw missing("context", wanted, kubeconfig.contexts);
  const clusterName = context.text("cluster") ?? "";
  const cluster = kubeconfig.clusters.get(clusterName);
  if (cluster === undefined) throw missing("cluster", clusterName, kubeconfig.clusters);
  const userName = context.text("user");
  const user = userName === undefined ? undefined : kubeconfig.users.get(userName);
  if (userName !== undefined && user === undefined) throw missing("user", userName, kubeconfig.users);
  const namespace = context.text("namespace");
  return {
    ...clusterPart(cluster, options.env ?? {}),
    ...(namespace === undefined ? {} : { namespace }),
    ...(user === undefined ? {} : { credentials: credentialsPart(user, cluster, options) }),
  };
}

function missing(what: string, name: string, known: ReadonlyMap<string, unknown>): ConfigError {
  const others = [...known.keys()].map((key) => `"${key}"`).join(", ");
  return new ConfigError(`kubeconfig: there is no ${what} "${name}"${others === "" ? "" : `; there is ${others}`}`);
}

function read({ path, text, env = {} }: KubeconfigOptions): Kubeconfig {
  if (text !== undefined) return parseKubeconfig(text);
  if (path !== undefined) return parseKubeconfig(readText(path) ?? notThere(path), path);
  const named = (env.KUBECONFIG ?? "").split(delimiter).filter((each) => each !== "");
  const home = env.HOME ?? env.USERPROFILE;
  const paths = named.length > 0 ? named : home === undefined ? [] : [join(home, ".kube", "config")];
  const files = paths.flatMap((each) => {
    const found = readText(each);
    return found === undefined ? [] : [parseKubeconfig(found, each)];
  });
  if (files.length > 0) return mergeKubeconfigs(files);
  throw new ConfigError(
    paths.length === 0
      ? "no kubeconfig: neither KUBECONFIG nor HOME is set"
      : `no kubeconfig: there is no ${paths.map((each) => `"${each}"`).join(", ")}`,
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unreadable";
    if (code === "ENOENT") return undefined;
    throw new ConfigError(`kubeconfig "${path}" cannot be read: ${code}`);
  }
}

function notThere(path: string): never {
  throw new ConfigError(`there is no kubeconfig "${path}"`);
}

/** Looks at every entry, not only at those of the context: what is refused should not depend on which one is current. */
function refuseReach({ clusters, users }: Kubeconfig): void {
  const reaching = [
    ...[...clusters.values()].map((fields) => ({ fields, names: ["certificate-authority"] })),
    ...[...users.values()].map((fields) => ({
      fields,
      names: ["exec", "auth-provider", "client-certificate", "client-key", "tokenFile"],
    })),
  ];
  for (const { fields, names } of reaching)
    for (const name of names)
      if ((fields.value(name) ?? "") !== "")
        throw fields.fail(`.${name} is not allowed here: it would run a program or read a file of whoever uses it`);
}

function clusterPart(cluster: Fields, env: Environment): Omit<ClusterConfig, "namespace" | "credentials"> {
  const ca = source(cluster, "certificate-authority-data", "certificate-authority");
  const insecure = cluster.flag("insecure-skip-tls-verify");
  if (insecure && ca !== undefined)
    throw cluster.fail(" has both an authority and insecure-skip-tls-verify; which of them is meant?");
  const tlsServerName = cluster.text("tls-server-name");
  const ownProxy = proxyOf(cluster);
  const server = serverOf(cluster);
  const proxyUrl = ownProxy ?? proxyFromEnvironment(server, env);
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function proxyOf(cluster: Fields): string | undefined {
  const given = cluster.text("proxy-url");
  if (given === undefined) return undefined;
  checkUrl(cluster, { name: "proxy-url", protocols: ["http:", "https:", "socks5:"] });
  return withProtocol(given);
}

/** As kubectl takes it: a bare host is reached without TLS. */
function withProtocol(address: string): string {
  return address === "" || address.includes("://") ? address : `http://${address}`;
}

function serverOf(cluster: Fields): string {
  const url = checkUrl(cluster, { name: "server", protocols: ["http:", "https:"] });
  if (url.username !== "" || url.password !== "") throw cluster.fail(".server must not have a user or password in it");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function checkUrl(fields: Fields, { name, protocols }: { name: string; protocols: readonly string[] }): URL {
  const text = withProtocol(fields.text(name) ?? "");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol))
    throw fields.fail(`.${name} must be a URL with ${protocols.map((each) => `${each}//`).join(" or ")}`);
  return url;
}

function credentialsPart(user: Fields, cluster: Fields, options: KubeconfigOptions): CredentialsConfig {
  const provider = user.fields("auth-provider")?.text("name");
  if (provider !== undefined)
    throw user.fail(`: the auth-provider "${provider}" is not supported; its vendor has an exec plug-in instead`);
  const certificate = source(user, "client-certificate-data", "client-certificate");
  const key = source(user, "client-key-data", "client-key");
  if ((certificate === undefined) !== (key === undefined))
    throw user.fail(" has a client certificate without its key, or a key without its certificate");
  const impersonate = user.text("as");
  const uid = user.text("as-uid");
  const exec = user.fields("exec");
  const texts = {
    token: user.text("token"),
    tokenFile: user.path("tokenFile"),
    username: user.text("username"),
    password: user.text("password"),
  };
  return {
    ...definedOf(texts),
    ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
    ...(exec === undefined ? {} : { exec: readExecPlugin(exec, cluster, options) }),
    ...(impersonate === undefined
      ? {}
      : {
          impersonate: {
            user: impersonate,
            ...(uid === undefined ? {} : { uid }),
            groups: user.texts("as-groups"),
            extra: user.textLists("as-user-extra"),
          },
        }),
  };
}

function definedOf<Name extends string>(texts: Readonly<Record<Name, string | undefined>>): { [Key in Name]?: string } {
  const defined: { [Key in Name]?: string } = {};
  for (const name in texts) {
    const value = texts[name];
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

/** Data in the kubeconfig goes before a file beside it. */
function source(fields: Fields, dataName: string, pathName: string): TextSource | undefined {
  const data = fields.text(dataName);
  if (data !== undefined) {
    if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data)) throw fields.fail(`.${dataName} is not base64`);
    return { text: Buffer.from(data, "base64").toString("utf8") };
  }
  const path = fields.path(pathName);
  return path === undefined ? undefined : { path };
}
