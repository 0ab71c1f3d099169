// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../clock.ts";
import { createLog, type LogOptions } from "./log.ts";

function stage(options: LogOptions = {}) {
  const lines: string[] = [];
  const log = createLog({ clock: manualClock(), write: (line) => void lines.push(line), level: "debug", ...options });
  return { log, lines };
}

const CANARY = "canary-7fd1c0ffee";
const CANARY64 = Buffer.from(CANARY).toString("base64");
const JWT = `eyJhbGciOiJSUzI1NiJ9.${CANARY64.replaceAll("=", "")}.c2lnbmF0dXJl`;
const PEM = `-----BEGIN EC PRIVATE KEY-----\n${CANARY64}\n-----END EC PRIVATE KEY-----`;
const SECRET = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  data: { it: CANARY64 },
  stringData: { it: CANARY },
};
const KUBECONFIG = `apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: ${CANARY}\n`;

/** A thing that must not be readable, in the places where it turns up. */
const canaries: Readonly<Record<string, unknown>> = {
  token: CANARY,
  apiToken: CANARY,
  "id-token": CANARY,
  nested: { list: [{ deep: { password: CANARY } }] },
  numericPassword: 12345,
  headers: { Authorization: `Bearer ${CANARY}`, cookie: CANARY },
  flatHeaders: ["authorization", `Bearer ${CANARY}`, "x", `Basic ${CANARY64}`],
  kubeconfig: { any: CANARY },
  kubeconfigText: KUBECONFIG,
  jwt: `got ${JWT} back`,
  pem: PEM,
  secret: SECRET,
  aSecret: SECRET,
  secrets: [SECRET],
  secretList: { kind: "SecretList", items: [{ metadata: {}, data: { it: CANARY64 } }] },
  secretJson: JSON.stringify(SECRET),
  lastApplied: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${CANARY}"}` } },
  url: `https://user:${CANARY}@example.com/`,
  urlWithAt: `http://user:p@${CANARY}@proxy:3128`,
  query: `https://example.com/?token=${CANARY}&a=b`,
  error: new Error(`refused Bearer ${CANARY}`, { cause: { clientKey: CANARY } }),
  errorWithFields: Object.assign(new Error("refused"), { credentials: { a: CANARY } }),
  errorWithAnswer: Object.assign(new Error("refused"), { data: `{"value":"${CANARY64}"}`, body: CANARY }),
  tokenFarAway: `password:${" ".repeat(40)}${CANARY}`,
  split: `${"x ".repeat(8180)} http://user:${CANARY}@proxy ${"y ".repeat(5000)}`,
  map: new Map([["password", CANARY]]),
  bytes: Buffer.from(CANARY),
  clientKeyData: CANARY,
  "client-key-data": CANARY,
  yaml: `a: 1\nclient-key-data: ${CANARY64}`,
};

test("no canary gets out: tokens, passwords, keys, Secrets, kubeconfigs and Authorization headers in any place", () => {
  for (const [name, value] of Object.entries(canaries)) {
    const { log, lines } = stage();
    log.error("it failed", { [name]: value });
    log.with({ [name]: value }).info("it went on");
    if (typeof value === "string") log.info(`${name}=${value}`);
    const text = lines.join("");
    for (const form of [CANARY, CANARY64, CANARY64.replaceAll("=", ""), "12345"])
      assert.ok(!text.includes(form), `${name} gets out: ${text}`);
    for (const line of lines) assert.equal(typeof JSON.parse(line).message, "string");
  }
});

test("secrets that are known by their text are hidden wherever they stand, in base64 too", () => {
  const { log, lines } = stage({ secrets: [CANARY] });
  log.info(`with ${CANARY}`, { harmless: `x${CANARY}y`, encoded: CANARY64 });
  assert.ok(!lines.join("").includes(CANARY) && !lines.join("").includes(CANARY64));
});

test("what is no secret stays readable", () => {
  const { log, lines } = stage();
  const error = Object.assign(new TypeError("not found"), { status: 404 });
  log.with({ controller: "machines" }).warn("it failed", { error, secretName: "s", key: "n/a", count: 3, ok: true });
  const { stack, ...rest } = JSON.parse(lines[0] ?? "").error;
  assert.match(stack, /TypeError: not found/);
  assert.deepEqual(rest, { name: "TypeError", message: "not found", status: 404 });
  const { time, level, message, controller, secretName, key, count, ok } = JSON.parse(lines[0] ?? "");
  assert.deepEqual(
    { time, level, message, controller, secretName, key, count, ok },
    {
      time: "2026-01-01T00:00:00.000Z",
      level: "warn",
      message: "it failed",
      controller: "machines",
      secretName: "s",
      key: "n/a",
      count: 3,
      ok: true,
    },
  );
});

test("logging never throws, whatever it is given", () => {
  const { log, lines } = stage();
  const circle: Record<string, unknown> = { big: 1n, when: new Date(Number.NaN), call: () => {} };
  circle.itself = circle;
  const trap = Object.defineProperty({}, "x", { enumerable: true, get: () => assert.fail("a getter") });
  log.info("odd", { circle, trap, long: "x".repeat(100_000), many: Array.from({ length: 1000 }, () => 1) });
  assert.equal(lines.length, 1);
  assert.ok((lines[0] ?? "").length < 20_000);
  stage({ write: () => assert.fail("a full disk") }).log.info("lost");
});

test("no text takes long to be made safe", () => {
  const { log, lines } = stage();
  const startedAt = performance.now();
  for (const part of [
    " ",
    "-eyJaaaaa",
    "eyJaaaaa.",
    "token:",
    "token ",
    "://a",
    "://@",
    "bearer ",
    "-----BEGIN A",
    ":",
  ])
    log.info("long", { long: `${part.repeat(200_000 / part.length)}x` });
  assert.ok(performance.now() - startedAt < 10_000, "a tenth of a second in all; what is quadratic takes minutes");
  assert.equal(lines.length, 10);
});

test("lines below the level are left out", () => {
  const { log, lines } = stage({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.error("c");
  assert.equal(lines.length, 1);
});
