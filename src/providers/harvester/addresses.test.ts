// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddresses } from "./addresses.ts";

const MAC = "52:54:00:12:34:56";

test("W-23, W-12: IPv4 is the primary address though IPv6 comes first, and all addresses are told", () => {
  const found = readAddresses([
    {
      name: "default",
      mac: MAC,
      ipAddress: "2001:db8::10",
      ipAddresses: ["2001:db8::10", "fe80::5054:ff:fe12:3456", "10.40.0.10"],
    },
  ]);
  assert.deepEqual(found, { addresses: ["10.40.0.10", "2001:db8::10"], macAddress: MAC });
});

test("W-12: a machine with IPv6 alone has an address", () => {
  const found = readAddresses([{ name: "default", mac: MAC, ipAddress: "2001:db8::10" }]);
  assert.deepEqual(found.addresses, ["2001:db8::10"]);
});

test("W-06: addresses that stand in ipAddresses alone are read", () => {
  const found = readAddresses([{ name: "default", mac: MAC, ipAddresses: ["10.40.0.10", "10.40.0.11"] }]);
  assert.deepEqual(found.addresses, ["10.40.0.10", "10.40.0.11"]);
});

test("link-local addresses and the interface lo are skipped, 127.0.0.0/8 elsewhere is not", () => {
  const found = readAddresses([
    { interfaceName: "lo", ipAddress: "127.0.0.1", ipAddresses: ["127.0.0.1", "::1"] },
    { name: "default", interfaceName: "eth0", mac: MAC, ipAddress: "169.254.3.4", ipAddresses: ["127.40.0.10"] },
  ]);
  assert.deepEqual(found, { addresses: ["127.40.0.10"], macAddress: MAC });
});

test("interfaces that only the guest knows do not count beside those of the machine", () => {
  const found = readAddresses([
    { interfaceName: "cni0", mac: "aa:aa:aa:aa:aa:aa", ipAddress: "10.244.0.1" },
    { name: "default", mac: MAC, ipAddress: "10.40.0.10" },
  ]);
  assert.deepEqual(found, { addresses: ["10.40.0.10"], macAddress: MAC });
});

test("without a guest agent the MAC address is known and no address is", () => {
  assert.deepEqual(readAddresses([{ name: "default", mac: MAC }]), { addresses: [], macAddress: MAC });
});

test("nothing at all gives nothing", () => {
  assert.deepEqual(readAddresses([]), { addresses: [], macAddress: undefined });
});
