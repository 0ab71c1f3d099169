// SPDX-License-Identifier: Apache-2.0
import {
  type Cidr,
  cidrContainsCidr,
  cidrContainsIp,
  cidrText,
  type Ip,
  ipText,
  isCidr,
  isGlobalUnicastIp,
  isIp,
  isLinkLocalMulticastIp,
  isLinkLocalUnicastIp,
  isLoopbackIp,
  isUnspecifiedIp,
  maskCidr,
  parseCidr,
  parseIp,
} from "../../../lib/ip.ts";
import { quote } from "../../go-text.ts";
import { addressWords, networkWords } from "../address-words.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { BOOL, CIDR, INT, IP, STRING } from "../types.ts";
import { CelError, type CelValue, NO_OVERLOAD, tagged } from "../values.ts";

function readIp(text: string): Ip {
  if (isIp(text)) return parseIp(text);
  const withoutZone = text.replace(/%.+$/, "");
  if (withoutZone !== text && isIp(withoutZone, { allowMapped: true }))
    throw new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isIp(text, { allowMapped: true })) throw new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  throw new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${addressWords(text)}`);
}

function readCidr(text: string): Cidr {
  if (isCidr(text)) return parseCidr(text);
  const prefix = "network address parse error during conversion from string: ";
  if (isCidr(text, { allowMapped: true }))
    throw new CelError(`${prefix}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  throw new CelError(prefix + prefix + networkWords(text, (address) => isIp(address, { allowMapped: true })));
}

function ipOf(value: CelValue | undefined): Ip {
  if (typeof value === "string") return readIp(value);
  const ip = value === undefined ? undefined : tagged(value, "ip")?.ip;
  if (ip === undefined) throw new CelError(NO_OVERLOAD);
  return ip;
}

function cidrOf(value: CelValue | undefined): Cidr {
  if (typeof value === "string") return readCidr(value);
  const cidr = value === undefined ? undefined : tagged(value, "cidr")?.cidr;
  if (cidr === undefined) throw new CelError(NO_OVERLOAD);
  return cidr;
}

const onIp =
  (operation: (ip: Ip) => CelValue): Implementation =>
  (value) =>
    operation(ipOf(value));
const onCidr =
  (operation: (cidr: Cidr) => CelValue): Implementation =>
  (value) =>
    operation(cidrOf(value));

const containsIp: Implementation = (network, address) => {
  // The server forgets why a text is no address here.
  if (typeof address === "string" && !isIp(address)) throw new CelError(NO_OVERLOAD);
  return cidrContainsIp(cidrOf(network), ipOf(address));
};
const containsCidr: Implementation = (outer, inner) => cidrContainsCidr(cidrOf(outer), cidrOf(inner));

/** Addresses and networks, as Kubernetes' rules know them: strict, without zones and mapped addresses. */
export const network: readonly FunctionDeclaration[] = [
  declare("ip", [
    global(
      [STRING],
      IP,
      onIp((ip) => ({ kind: "ip", ip })),
    ),
    method(
      [CIDR],
      IP,
      onCidr(({ ip }) => ({ kind: "ip", ip })),
    ),
  ]),
  declare("isIP", [global([STRING], BOOL, (text) => typeof text === "string" && isIp(text))]),
  declare("ip.isCanonical", [global([STRING], BOOL, (text = null) => ipText(ipOf(text)) === text)]),
  declare("family", [
    method(
      [IP],
      INT,
      onIp(({ family }) => BigInt(family)),
    ),
  ]),
  declare("isUnspecified", [method([IP], BOOL, onIp(isUnspecifiedIp))]),
  declare("isLoopback", [method([IP], BOOL, onIp(isLoopbackIp))]),
  declare("isLinkLocalMulticast", [method([IP], BOOL, onIp(isLinkLocalMulticastIp))]),
  declare("isLinkLocalUnicast", [method([IP], BOOL, onIp(isLinkLocalUnicastIp))]),
  declare("isGlobalUnicast", [method([IP], BOOL, onIp(isGlobalUnicastIp))]),
  declare("cidr", [
    global(
      [STRING],
      CIDR,
      onCidr((cidr) => ({ kind: "cidr", cidr })),
    ),
  ]),
  declare("isCIDR", [global([STRING], BOOL, (text) => typeof text === "string" && isCidr(text))]),
  declare("containsIP", [method([CIDR, STRING], BOOL, containsIp), method([CIDR, IP], BOOL, containsIp)]),
  declare("containsCIDR", [method([CIDR, STRING], BOOL, containsCidr), method([CIDR, CIDR], BOOL, containsCidr)]),
  declare("prefixLength", [
    method(
      [CIDR],
      INT,
      onCidr(({ prefixLength }) => BigInt(prefixLength)),
    ),
  ]),
  declare("masked", [
    method(
      [CIDR],
      CIDR,
      onCidr((cidr) => ({ kind: "cidr", cidr: maskCidr(cidr) })),
    ),
  ]),
  declare("string", [global([IP], STRING, onIp(ipText)), global([CIDR], STRING, onCidr(cidrText))]),
];
