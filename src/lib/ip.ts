// SPDX-License-Identifier: Apache-2.0
import { isIP } from "node:net";

/** An address as a number. Two are the same exactly if family and value are. */
export interface Ip {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A network as written: `ip` may have bits beyond the prefix, as in `10.0.0.7/24`. */
export interface Cidr {
  readonly ip: Ip;
  readonly prefixLength: number;
}

/** All addresses from `start` to `end`, both included; one family. */
export interface IpRange {
  readonly start: Ip;
  readonly end: Ip;
}

/** What may be read besides plain addresses. */
export interface IpOptions {
  /** Accept `::ffff:10.0.0.1`, as an IPv6 address. Off by default, as in Kubernetes' CEL functions. */
  readonly allowMapped?: boolean;
}

/** Bits of an address: 32 or 128. */
export function addressBits(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/**
 * Reads an address strictly: no leading zeros in IPv4 (some programs read them as octal), no zone, no spaces.
 * Throws one line that says why not.
 */
export function parseIp(text: string, options: IpOptions = {}): Ip {
  const family = isIP(text);
  if (family === 4) return { family, value: parseIpv4(text) };
  if (family !== 6) throw new Error(`IP address "${text}" is neither IPv4 nor IPv6`);
  if (text.includes("%")) throw new Error(`IP address "${text}" with zone value is not allowed`);
  const ip: Ip = { family: 6, value: parseIpv6(text) };
  if (isMapped(ip) && options.allowMapped !== true) {
    throw new Error(`IPv4-mapped IPv6 address "${text}" is not allowed`);
  }
  return ip;
}

/** Whether `parseIp` would accept this text. */
export function isIp(text: string, options: IpOptions = {}): boolean {
  return succeeds(() => parseIp(text, options));
}

/** Reads `address/prefix`, keeping the address as written. Throws one line that says why not. */
export function parseCidr(text: string, options: IpOptions = {}): Cidr {
  const [, address, prefix] = /^([^/]*)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  if (address === undefined || prefix === undefined)
    throw new Error(`CIDR "${text}" is not of the form address/prefix`);
  const ip = parseIp(address, options);
  const prefixLength = Number(prefix);
  if (prefixLength > addressBits(ip.family)) throw new Error(`CIDR "${text}" has a prefix longer than its address`);
  return { ip, prefixLength };
}

/** Whether `parseCidr` would accept this text. */
export function isCidr(text: string, options: IpOptions = {}): boolean {
  return succeeds(() => parseCidr(text, options));
}

/** The canonical text (RFC 5952 for IPv6). Reading it again gives the same address. */
export function ipText(ip: Ip): string {
  if (ip.family === 4) return ipv4Text(ip.value);
  if (isMapped(ip)) return `::ffff:${ipv4Text(ip.value & 0xffff_ffffn)}`;
  const groups = Array.from({ length: 8 }, (_, index) => Number((ip.value >> BigInt(112 - 16 * index)) & 0xffffn));
  const gap = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (gap.length < 2) return hex.join(":");
  return `${hex.slice(0, gap.start).join(":")}::${hex.slice(gap.start + gap.length).join(":")}`;
}

/** The canonical text of the network as written; mask it first for the network itself. */
export function cidrText(cidr: Cidr): string {
  return `${ipText(cidr.ip)}/${cidr.prefixLength}`;
}

/** The same network with every bit beyond the prefix cleared. */
export function maskCidr(cidr: Cidr): Cidr {
  return { ip: cidrRange(cidr).start, prefixLength: cidr.prefixLength };
}

/** Every address of the network, network and broadcast address included. */
export function cidrRange(cidr: Cidr): IpRange {
  const { family, value } = cidr.ip;
  const host = (1n << BigInt(addressBits(family) - cidr.prefixLength)) - 1n;
  const first = value - (value & host);
  return { start: { family, value: first }, end: { family, value: first + host } };
}

/** Whether the address lies in the network. Never across families. */
export function cidrContainsIp(cidr: Cidr, ip: Ip): boolean {
  return rangeContains(cidrRange(cidr), ip);
}

/** Whether all of `inner` lies in `outer`; a network contains itself. */
export function cidrContainsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContainsIp(outer, inner.ip);
}

/** Orders addresses: IPv4 before IPv6, then by value. Fit for `sort`. */
export function compareIps(left: Ip, right: Ip): -1 | 0 | 1 {
  if (left.family !== right.family) return left.family < right.family ? -1 : 1;
  if (left.value === right.value) return 0;
  return left.value < right.value ? -1 : 1;
}

/** The range between two addresses. Throws where the families differ or the end comes before the start. */
export function ipRange(start: Ip, end: Ip): IpRange {
  if (start.family !== end.family) {
    throw new Error(`range "${ipText(start)}-${ipText(end)}" mixes IPv4 and IPv6`);
  }
  if (start.value > end.value) throw new Error(`range "${ipText(start)}-${ipText(end)}" ends before it starts`);
  return { start, end };
}

/** How many addresses: at least one, up to 2^128. */
export function rangeSize(range: IpRange): bigint {
  return range.end.value - range.start.value + 1n;
}

/** Whether the address lies in the range. Never across families. */
export function rangeContains(range: IpRange, ip: Ip): boolean {
  return ip.family === range.start.family && ip.value >= range.start.value && ip.value <= range.end.value;
}

/** Whether the two ranges share an address. */
export function rangesOverlap(left: IpRange, right: IpRange): boolean {
  return rangeContains(left, right.start) || rangeContains(right, left.start);
}

/** The addresses in ascending order, made one at a time: also the widest range may be begun. */
export function* addressesOf(range: IpRange): Generator<Ip, void, undefined> {
  const { family } = range.start;
  for (let value = range.start.value; value <= range.end.value; value += 1n) yield { family, value };
}

/** `0.0.0.0` or `::`. */
export function isUnspecifiedIp(ip: Ip): boolean {
  return ip.value === 0n;
}

/** `127.0.0.0/8` or `::1`. */
export function isLoopbackIp(ip: Ip): boolean {
  return ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n;
}

/** `224.0.0.0/24`, or IPv6 multicast of link-local scope. */
export function isLinkLocalMulticastIp(ip: Ip): boolean {
  return ip.family === 4 ? ip.value >> 8n === 0xe0_0000n : ((ip.value >> 112n) & 0xff0fn) === 0xff02n;
}

/** `169.254.0.0/16` or `fe80::/10`. */
export function isLinkLocalUnicastIp(ip: Ip): boolean {
  return ip.family === 4 ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0x3fan;
}

/** Neither unspecified, loopback, multicast, link-local nor the IPv4 broadcast address; private addresses count. */
export function isGlobalUnicastIp(ip: Ip): boolean {
  const isMulticast = ip.family === 4 ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn;
  const isBroadcast = ip.family === 4 && ip.value === 0xffff_ffffn;
  return !(isMulticast || isBroadcast || isUnspecifiedIp(ip) || isLoopbackIp(ip) || isLinkLocalUnicastIp(ip));
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

function parseIpv4(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint {
  const tail = /[0-9.]+\.[0-9]+$/.exec(text)?.[0];
  const hex = tail === undefined ? text : text.slice(0, -tail.length) + ipv4AsGroups(parseIpv4(tail));
  const [head = "", rest] = hex.split("::");
  const left = groupsOf(head);
  const right = groupsOf(rest ?? "");
  const zeros = new Array<bigint>(8 - left.length - right.length).fill(0n);
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | group, 0n);
}

function ipv4AsGroups(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function groupsOf(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
}

function isMapped(ip: Ip): boolean {
  return ip.family === 6 && ip.value >> 32n === 0xffffn;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}
