// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../errors.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";

const HTTPS_PROXY = "http://proxy:3128";

test("the scheme chooses the variable, upper case goes before lower case, and a bare host is one", () => {
  const env = { HTTPS_PROXY: "proxy:1", https_proxy: "http://lower:1", http_proxy: "socks5://plain:1" };
  assert.equal(proxyFromEnvironment("https://api.example.com:6443", env), "http://proxy:1");
  assert.equal(proxyFromEnvironment("http://api.example.com", env), "socks5://plain:1");
  assert.equal(proxyFromEnvironment("https://api.example.com", { HTTPS_PROXY: "", https_proxy: "a:1" }), "http://a:1");
  assert.equal(proxyFromEnvironment("https://api.example.com", { HTTP_PROXY: "http://plain" }), undefined);
});

test("this machine is reached without a proxy", () => {
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
    assert.equal(proxyFromEnvironment(`https://${host}:6443`, { HTTPS_PROXY }), undefined, host);
  assert.equal(proxyFromEnvironment("https://127.example.com", { HTTPS_PROXY }), HTTPS_PROXY);
});

test("NO_PROXY names hosts, domains, addresses and networks, with and without a port", () => {
  const cases: readonly [host: string, noProxy: string, isExcluded: boolean][] = [
    ["api.example.com", "*", true],
    ["api.example.com", "example.com", true],
    ["example.com", "example.com", true],
    ["api.example.com", " other.com , Example.COM ", true],
    ["notexample.com", "example.com", false],
    ["example.com", ".example.com", false],
    ["api.example.com", ".example.com", true],
    ["api.example.com", "*.example.com", true],
    ["api.example.com:6443", "example.com:6443", true],
    ["api.example.com:6443", "example.com:443", false],
    ["api.example.com", "example.com:443", true],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3:6443", "10.1.2.3:6443", true],
    ["10.1.2.30", "10.1.2.3", false],
    ["[fd00::1]", "fd00::/8", true],
    ["[fd00::1]", "fd00::1", true],
    ["[fd00::1]:6443", "[fd00::1]:6443", true],
    ["10.1.2.3", "10.0.0.0/99,fd00::/8,,", false],
  ];
  for (const [host, NO_PROXY, isExcluded] of cases)
    assert.equal(
      proxyFromEnvironment(`https://${host}`, { HTTPS_PROXY, NO_PROXY }),
      isExcluded ? undefined : HTTPS_PROXY,
      `${host} ${NO_PROXY}`,
    );
});

test("what is no proxy is refused without being shown", () => {
  for (const text of ["ftp://user:canary@proxy", "http://user:canary@[proxy"])
    assert.throws(
      () => proxyFromEnvironment("https://api.example.com", { HTTPS_PROXY: text }),
      (error) => error instanceof ConfigError && !/canary/.test(error.message),
    );
});
