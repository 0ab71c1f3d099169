// SPDX-License-Identifier: Apache-2.0
import { quote } from "../go-text.ts";

/** Why Go refuses a text as an address, in its words. Only for texts that are none. */
export function addressWords(text: string): string {
  const [words, at] = findFault(text);
  return `ParseAddr(${quote(text)}): ${words}${at === undefined || at === "" ? "" : ` (at ${quote(at)})`}`;
}

type Fault = readonly [words: string, at?: string];

function findFault(text: string): Fault {
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === ".") return ipv4Fault(text);
  if (sign === ":") return ipv6Fault(text);
  return [sign === "%" ? "missing IPv6 address" : "unable to parse IP"];
}

function ipv4Fault(text: string): Fault {
  let field = "";
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (/[0-9]/.test(character)) {
      if (field === "0") return ["IPv4 field has octet with leading zero"];
      field += character;
      if (Number(field) > 255) return ["IPv4 field has value >255"];
    } else if (character !== ".") return ["unexpected character", text.slice(at)];
    else {
      if (at === 0 || at === text.length - 1 || text[at - 1] === ".")
        return ["IPv4 field must have at least one digit", text.slice(at)];
      if (++dots > 3) return ["IPv4 address too long"];
      field = "";
    }
  }
  return ["IPv4 address too short"];
}

function ipv6Fault(text: string): Fault {
  const percent = text.indexOf("%");
  if (percent === text.length - 1) return ["zone must be a non-empty string"];
  let rest = percent < 0 ? text : text.slice(0, percent);
  let hasGap = rest.startsWith("::");
  let fields = 0;
  if (hasGap) rest = rest.slice(2);
  while (fields < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return ["each group must have 4 or less digits", rest];
    if (digits === "") return ["each colon-separated field must have at least one digit", rest];
    if (rest[digits.length] === ".") return embeddedFault(rest, fields, hasGap);
    fields++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return ["unexpected character, want colon", rest];
    if (rest === ":") return ["colon must be followed by more characters", rest];
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (hasGap) return ["multiple :: in address", rest];
    hasGap = true;
    rest = rest.slice(1);
    if (rest === "") break;
  }
  if (rest !== "") return ["trailing garbage after address", rest];
  return hasGap ? ["the :: must expand to at least one field of zeros"] : ["address string too short"];
}

function embeddedFault(rest: string, fields: number, hasGap: boolean): Fault {
  if (!hasGap && fields !== 6) return ["embedded IPv4 address must replace the final 2 fields of the address", rest];
  if (fields > 6) return ["too many hex fields to fit an embedded IPv4 at the end of the address", rest];
  return ipv4Fault(rest);
}

/** Why Go refuses a text as a network, in its words. Only for texts that are none. */
export function networkWords(text: string, isAddress: (address: string) => boolean): string {
  const slash = text.lastIndexOf("/");
  const address = text.slice(0, Math.max(slash, 0));
  const bits = text.slice(slash + 1);
  let words = "prefix length out of range";
  if (slash < 0) words = "no '/'";
  else if (address.includes("%") && isAddress(address.replace(/%.+/, "")))
    words = "IPv6 zones cannot be present in a prefix";
  else if (!isAddress(address)) words = addressWords(address);
  else if (!/^(?:[0-9]|[1-9][0-9]+)$/.test(bits)) words = `bad bits after slash: ${quote(bits)}`;
  return `netip.ParsePrefix(${quote(text)}): ${words}`;
}
