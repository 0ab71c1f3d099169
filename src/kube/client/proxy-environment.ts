// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from "node:net";
import { ConfigError } from "../errors.ts";

const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
const PROXIES = ["http:", "https:", "socks5:"];

/**
 * The proxy that an environment wants for a server, by the rules of Go programs such as kubectl: `HTTPS_PROXY` or `HTTP_PROXY` by
 * the server's scheme, also in lower case, unless `NO_PROXY` names the server; never for this machine itself. Throws a `ConfigError`,
 * without the value, where it is no URL.
 */
export function proxyFromEnvironment(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const given = env[variable] || env[variable.toLowerCase()];
  const host = bare(hostname);
  if (!given || isThisMachine(host)) return undefined;
  const excluded = (env.NO_PROXY || env.no_proxy || "").split(",");
  if (excluded.some((entry) => excludes(entry, host, port || PORTS[protocol]))) return undefined;
  const url = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(url) || !PROXIES.includes(new URL(url).protocol))
    throw new ConfigError(`${variable} must be a URL with http://, https:// or socks5://`);
  return url;
}

/** Addresses of version 6 stand in brackets, names may end in a dot. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** `*`, an address, a network, a name with everything below it, or `.name` for what is below alone; each with or without a port. */
function excludes(entry: string, host: string, port: string | undefined): boolean {
  const text = entry.trim().toLowerCase();
  if (text === "") return false;
  if (text === "*") return true;
  const network = /^([0-9a-f.:]+)\/(\d+)$/.exec(text);
  if (network !== null) return isWithin(host, network[1] ?? "", Number(network[2]));
  const ended = isIP(text) === 6 ? null : /^(.*):(\d+)$/.exec(text);
  if (ended !== null && ended[2] !== port) return false;
  const name = bare(ended?.[1] ?? text).replace(/^\*(?=\.)/, "");
  if (isIP(name) > 0) return isWithin(host, name, isIP(name) === 4 ? 32 : 128);
  return name.startsWith(".") ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isWithin(host: string, network: string, prefix: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}
