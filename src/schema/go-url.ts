// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from "node:net";
import { quote } from "./go-text.ts";

/** A URL as Go's net/url takes it apart; the platform's URL class accepts and rewrites other things than Go does. */
export interface GoUrl {
  readonly scheme: string;
  /** With the port, and with the brackets of an IPv6 address. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly rawQuery: string;
  /** The whole URL, for comparison. */
  readonly text: string;
}

/** Reads an absolute URI or an absolute path. Throws in Go's words. */
export function parseRequestUri(text: string): void {
  try {
    parse(text, true);
  } catch (error) {
    throw parseError(text, error);
  }
}

/** Whether a text is an absolute URI or an absolute path, the `uri` format. */
export function isRequestUri(text: string): boolean {
  try {
    parse(text, true);
    return true;
  } catch {
    return false;
  }
}

/** Reads a URL and cuts the fragment off. Throws in Go's words. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf("#");
  const main = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  try {
    const url = parse(main, false);
    percentDecode(fragment, "path");
    return { ...url, text: fragment === "" ? url.text : `${url.text}#${fragment}` };
  } catch (error) {
    throw parseError(main, error);
  }
}

function parseError(text: string, error: unknown): Error {
  return new Error(`parse ${quote(text)}: ${error instanceof Error ? error.message : String(error)}`);
}

function parse(text: string, isRequest: boolean): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new Error("net/url: invalid control character in URL");
  if (text === "" && isRequest) throw new Error("empty url");
  if (text === "*") return assemble({ scheme: "", host: "", path: "*", rawQuery: "", opaque: "" });
  const { scheme, rest: afterScheme } = splitScheme(text);
  const question = afterScheme.indexOf("?");
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const rawQuery = question < 0 ? "" : afterScheme.slice(question + 1);
  if (!rest.startsWith("/")) {
    if (scheme !== "") return assemble({ scheme, host: "", path: "", rawQuery, opaque: rest });
    if (isRequest) throw new Error("invalid URI for request");
    if (rest.split("/")[0]?.includes(":")) throw new Error("first path segment in URL cannot contain colon");
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || (!isRequest && !rest.startsWith("///")));
  const pathStart = hasAuthority ? rest.indexOf("/", 2) : 0;
  const authority = hasAuthority ? rest.slice(2, pathStart < 0 ? undefined : pathStart) : "";
  const path = pathStart < 0 ? "" : rest.slice(pathStart);
  const host = hasAuthority ? parseAuthority(scheme, authority) : "";
  percentDecode(path, "path");
  return assemble({ scheme, host, path, rawQuery, opaque: "", authority });
}

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly opaque: string;
  readonly authority?: string;
}

function assemble({ scheme, host, path, rawQuery, opaque, authority = "" }: Parts): GoUrl {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && /^:\d*$/.test(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const escapedPath = escapePath(path);
  return {
    scheme,
    host,
    hostname: name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : "",
    escapedPath,
    rawQuery,
    text: `${scheme}:${opaque}//${authority}${escapedPath}?${rawQuery}`,
  };
}

function splitScheme(text: string): { scheme: string; rest: string } {
  if (text.startsWith(":")) throw new Error("missing protocol scheme");
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  const scheme = match?.[1] ?? "";
  return { scheme: scheme.toLowerCase(), rest: match === null ? text : text.slice(scheme.length + 1) };
}

function parseAuthority(scheme: string, authority: string): string {
  const sign = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(sign + 1));
  const user = sign < 0 ? "" : authority.slice(0, sign);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Error("net/url: invalid userinfo");
  percentDecode(user, "path");
  return host;
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new Error("invalid IP-literal");
  if (open === 0) return parseIpLiteral(host);
  const first = host.indexOf(":");
  if (first >= 0) {
    const isWeb = scheme === "http" || scheme === "https";
    checkPort(host.slice(isWeb ? first : host.lastIndexOf(":")));
  }
  return percentDecode(host, "host");
}

function parseIpLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new Error("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf("%25");
  const name =
    zone < 0
      ? percentDecode(inside, "host")
      : percentDecode(inside.slice(0, zone), "host") + percentDecode(inside.slice(zone), "zone");
  if (!isIPv6(name)) throw new Error(`invalid host: ParseAddr(${quote(name)}): unable to parse IP`);
  return `[${name}]${port}`;
}

function checkPort(port: string): void {
  if (port !== "" && !/^:\d*$/.test(port)) throw new Error(`invalid port ${quote(port)} after host`);
}

type Part = "path" | "host" | "zone" | "query";

/** Decodes percent escapes; hosts allow them for few characters only. */
function percentDecode(text: string, part: Part): string {
  for (const match of text.matchAll(/%(.{0,2})/gsu)) {
    const hex = match[1] ?? "";
    if (!/^[0-9a-fA-F]{2}$/.test(hex)) throw new Error(`invalid URL escape ${quote(match[0])}`);
    const isAscii = Number.parseInt(hex, 16) < 0x80;
    if (part === "host" && isAscii && hex !== "25") throw new Error(`invalid URL escape ${quote(match[0])}`);
  }
  const wrong =
    part === "host" || part === "zone" ? /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(text) : null;
  if (wrong !== null) throw new Error(`invalid character ${quote(wrong[0])} in host name`);
  const spaced = part === "query" ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  const bytes = Buffer.from(spaced).toString("latin1");
  const decoded = bytes.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1").toString();
}

/** The path with what needs it percent-encoded; a valid encoding is kept as it is. */
function escapePath(path: string): string {
  if (path === "*") return path;
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path;
  let escaped = "";
  for (const byte of Buffer.from(percentDecode(path, "path"))) {
    const character = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

/** The parameters of a query, each with all its values; broken ones are left out, as Go does. */
export function queryValues(rawQuery: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    try {
      const name = percentDecode(equals < 0 ? pair : pair.slice(0, equals), "query");
      const value = percentDecode(equals < 0 ? "" : pair.slice(equals + 1), "query");
      values.set(name, [...(values.get(name) ?? []), value]);
    } catch {}
  }
  return values;
}
