// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address4, Address6 } from "ip-address";
import {
  addressBits,
  addressesOf,
  type Cidr,
  cidrContainsCidr,
  cidrContainsIp,
  cidrRange,
  cidrText,
  compareIps,
  type Ip,
  type IpRange,
  ipRange,
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
  rangeContains,
  rangeSize,
  rangesOverlap,
} from "./ip.ts";

const ipv4s = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value): Ip => ({ family: 4, value }));
const groups = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn }));
const ipv6s = fc
  .array(groups, { minLength: 8, maxLength: 8 })
  .map((parts): Ip => ({ family: 6, value: parts.reduce((value, part) => (value << 16n) | part, 0n) }))
  .filter((ip) => ip.value >> 32n !== 0xffffn);
const ips = fc.oneof(ipv4s, ipv6s);
const cidrs = ips.chain((ip) =>
  fc.integer({ min: 0, max: addressBits(ip.family) }).map((prefixLength): Cidr => ({ ip, prefixLength })),
);
/** Small numbers, so that ranges meet often. */
const ranges = fc
  .tuple(fc.constantFrom<4 | 6>(4, 6), fc.bigInt(0n, 60n), fc.bigInt(0n, 20n))
  .map(([family, start, size]): IpRange => ({ start: { family, value: start }, end: { family, value: start + size } }));

function peer(ip: Ip): Address4 | Address6 {
  return ip.family === 4 ? Address4.fromBigInt(ip.value) : Address6.fromBigInt(ip.value);
}

test("addresses that other programs might read differently, or that are none, are refused", () => {
  for (const text of [
    ..."|10.0.0|10.0.0.0.1|010.0.0.1|10.0.0.01|256.0.0.1|0x7f.0.0.1|2130706433| 10.0.0.1|10.0.0.1 |10.0.0.-1|1.2.3.4/32".split(
      "|",
    ),
    ...":|:::|1::2::3|1:2:3:4:5:6:7|1:2:3:4:5:6:7:8:9|12345::|g::|::1%eth0|[::1]|::ffff:010.0.0.1|::256.0.0.1".split(
      "|",
    ),
  ]) {
    assert.equal(isIp(text), false, text);
    assert.throws(() => parseIp(text), Error, text);
  }
});

test("an IPv4 address dressed as IPv6 is refused unless asked for", () => {
  assert.throws(
    () => parseIp("::ffff:10.0.0.1"),
    /^Error: IPv4-mapped IPv6 address "::ffff:10\.0\.0\.1" is not allowed$/,
  );
  assert.equal(isCidr("::ffff:a00:1/120"), false);
  assert.deepEqual(parseIp("::ffff:10.0.0.1", { allowMapped: true }), { family: 6, value: 0xffff_0a00_0001n });
  assert.equal(ipText(parseIp("::FFFF:0a00:1", { allowMapped: true })), "::ffff:10.0.0.1");
});

test("the canonical text is the shortest, in small letters", () => {
  for (const [text, canonical] of [
    ["10.0.0.1", "10.0.0.1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8:0:0:0:0:0:0001", "2001:db8::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"],
    ["::1.2.3.4", "::102:304"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ] as const) {
    assert.equal(ipText(parseIp(text)), canonical);
  }
});

test("an address is its text and back, as another library has it too", () => {
  fc.assert(
    fc.property(ips, (ip) => {
      const text = ipText(ip);
      assert.deepEqual(parseIp(text), ip);
      assert.equal(text, peer(ip).correctForm());
      assert.equal(peer(ip).bigInt(), ip.value);
      if (ip.family === 6) assert.deepEqual(parseIp(new Address6(text).canonicalForm().toUpperCase()), ip);
    }),
  );
});

test("networks are read strictly, and kept as written until masked", () => {
  const bad =
    "|10.0.0.0|10.0.0.0/|10.0.0.0/33|10.0.0.0/08|10.0.0.0/+8|10.0.0.0/-1|10.0.0.0/8/8|10.0.0.0/ 8|10.0.0/8|::/129|::1%a/64|/8";
  for (const text of bad.split("|")) {
    assert.equal(isCidr(text), false, text);
    assert.throws(() => parseCidr(text), Error, text);
  }
  assert.equal(cidrText(parseCidr("10.0.0.7/24")), "10.0.0.7/24");
  assert.equal(cidrText(maskCidr(parseCidr("10.0.0.7/24"))), "10.0.0.0/24");
  assert.equal(cidrText(maskCidr(parseCidr("2001:DB8::7/32"))), "2001:db8::/32");
  assert.equal(cidrText(maskCidr(parseCidr("10.0.0.7/0"))), "0.0.0.0/0");
});

test("a network spans what another library says it does", () => {
  fc.assert(
    fc.property(cidrs, (cidr) => {
      assert.deepEqual(parseCidr(cidrText(cidr)), cidr);
      const { start, end } = cidrRange(cidr);
      const other = cidr.ip.family === 4 ? new Address4(cidrText(cidr)) : new Address6(cidrText(cidr));
      assert.equal(start.value, other.startAddress().bigInt());
      assert.equal(end.value, other.endAddress().bigInt());
      assert.equal(rangeSize({ start, end }), 2n ** BigInt(addressBits(cidr.ip.family) - cidr.prefixLength));
      assert.deepEqual(maskCidr(cidr).ip, start);
    }),
  );
});

test("a network contains exactly what lies between its first and last address", () => {
  fc.assert(
    fc.property(cidrs, ips, (cidr, ip) => {
      assert.equal(cidrContainsIp(cidr, cidr.ip), true);
      assert.equal(cidrContainsIp(cidr, ip), rangeContains(cidrRange(cidr), ip));
    }),
  );
  assert.equal(cidrContainsIp(parseCidr("0.0.0.0/0"), parseIp("::1")), false);
});

test("a network contains another exactly if it contains both its ends", () => {
  const nested = fc.tuple(cidrs, fc.nat(), fc.boolean(), cidrs).map(([outer, more, isInside, other]): [Cidr, Cidr] => {
    const bits = addressBits(outer.ip.family);
    const prefixLength = Math.min(bits, outer.prefixLength + (more % 4));
    return [outer, isInside ? { ip: outer.ip, prefixLength } : other];
  });
  fc.assert(
    fc.property(nested, ([outer, inner]) => {
      const { start, end } = cidrRange(inner);
      assert.equal(cidrContainsCidr(outer, inner), cidrContainsIp(outer, start) && cidrContainsIp(outer, end));
    }),
  );
});

test("ranges are as large as the list of their addresses, which is in order", () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const all = [...addressesOf(range)];
      assert.equal(BigInt(all.length), rangeSize(range));
      assert.deepEqual(all.toSorted(compareIps), all);
      assert.ok(all.every((ip) => rangeContains(range, ip)));
    }),
  );
});

test("ranges overlap exactly if they share an address", () => {
  fc.assert(
    fc.property(ranges, ranges, (left, right) => {
      const shared = [...addressesOf(left)].some((ip) => rangeContains(right, ip));
      assert.equal(rangesOverlap(left, right), shared);
      assert.equal(rangesOverlap(right, left), shared);
    }),
  );
});

test("a range of any width can be begun", () => {
  const first = addressesOf(cidrRange(parseCidr("::/0"))).take(2);
  assert.deepEqual([...first].map(ipText), ["::", "::1"]);
  assert.equal(rangeSize(cidrRange(parseCidr("::/0"))), 2n ** 128n);
});

test("a range needs an end that is no earlier, in the same family", () => {
  const one = parseIp("10.0.0.1");
  assert.equal(rangeSize(ipRange(one, one)), 1n);
  assert.throws(() => ipRange(parseIp("10.0.0.2"), one), /"10\.0\.0\.2-10\.0\.0\.1" ends before it starts/);
  assert.throws(() => ipRange(one, parseIp("::1")), /"10\.0\.0\.1-::1" mixes IPv4 and IPv6/);
});

test("addresses sort by family, then by value, not by text", () => {
  const sorted = ["::1", "10.0.0.10", "10.0.0.9", "9.0.0.0", "::"].map((text) => parseIp(text)).toSorted(compareIps);
  assert.deepEqual(sorted.map(ipText), ["9.0.0.0", "10.0.0.9", "10.0.0.10", "::", "::1"]);
});

test("special addresses are told apart as Kubernetes does", () => {
  const kinds = {
    unspecified: isUnspecifiedIp,
    loopback: isLoopbackIp,
    linkLocalMulticast: isLinkLocalMulticastIp,
    linkLocalUnicast: isLinkLocalUnicastIp,
    globalUnicast: isGlobalUnicastIp,
  };
  const kindsOf = (text: string) =>
    Object.entries(kinds).flatMap(([kind, holds]) => (holds(parseIp(text)) ? [kind] : []));
  for (const [text, kind] of [
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["127.9.9.9", "loopback"],
    ["::1", "loopback"],
    ["224.0.0.255", "linkLocalMulticast"],
    ["ff02::1", "linkLocalMulticast"],
    ["ff12::1", "linkLocalMulticast"],
    ["169.254.1.1", "linkLocalUnicast"],
    ["febf::1", "linkLocalUnicast"],
    ["10.0.0.1", "globalUnicast"],
    ["fd00::1", "globalUnicast"],
    ["::2", "globalUnicast"],
  ] as const) {
    assert.deepEqual(kindsOf(text), [kind], text);
  }
  for (const text of ["224.0.1.1", "255.255.255.255", "ff0e::1"]) assert.deepEqual(kindsOf(text), [], text);
});
