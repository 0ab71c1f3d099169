// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

/** Who stands above whom. A file imports from lower levels and from its own folder, never from a neighbour or from above. */
const LEVELS: readonly (readonly string[])[] = [
  ["lib"],
  ["schema"],
  ["api", "kube"],
  ["plane", "engine"],
  ["providers"],
  ["kinds", "ipam", "capi", "talos"],
  ["bootstrap"],
  ["cli"],
  ["main"],
];

/** Folders below `providers` that may import what other providers may not: Harvester's cloud is a Kubernetes API. */
const KUBERNETES_PROVIDERS = ["harvester"];

interface Import {
  from: string;
  to: string;
}

const sources = globSync("src/**/*.ts", { cwd: join(import.meta.dirname, "..") });
const imports = sources.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = readFileSync(join(import.meta.dirname, "..", from), "utf8");
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier = ""]) => specifier,
  );
  return specifiers.map((to) => ({ from, to: to.startsWith(".") ? normalize(join(dirname(from), to)) : to }));
}

/** `src/api/kind.ts` is in `api`, `src/kinds.ts` is `kinds`. */
function roomOf(path: string): string {
  return path.split("/")[1]?.replace(/(\.test)?\.ts$/, "") ?? "";
}

function levelOf(path: string): number {
  return LEVELS.findIndex((rooms) => rooms.includes(roomOf(path)));
}

const inside = imports.filter(({ to }) => to.startsWith("src/"));
const isTest = (path: string) => /\.(test|kubernetes|full)\.ts$/.test(path) || path.includes("/testing/");

test("every source file stands in a room that design knows", () => {
  assert.deepEqual(
    sources.filter((path) => levelOf(path) < 0),
    [],
  );
});

test("imports go downwards only", () => {
  const upwards = inside.filter(
    ({ from, to }) => roomOf(from) !== roomOf(to) && levelOf(to) >= levelOf(from) && !isTest(from),
  );
  assert.deepEqual(upwards, []);
});

test("a provider imports no other provider, nor the runtime unless its cloud is Kubernetes", () => {
  const strays = inside.filter(({ from, to }) => {
    const [, room, own] = from.split("/");
    if (room !== "providers" || own === undefined || own.endsWith(".ts")) return false;
    const [, target, other] = to.split("/");
    if (target === "providers") return other !== own;
    return (target === "kube" || target === "plane") && !KUBERNETES_PROVIDERS.includes(own);
  });
  assert.deepEqual(strays, []);
});

test("only tests import from outside src", () => {
  const strays = imports.filter(({ from, to }) => !isTest(from) && /^(test|scripts|bench)\//.test(to));
  assert.deepEqual(strays, []);
});

test("imports make no cycles", () => {
  const next = Map.groupBy(inside, ({ from }) => from);
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (done.has(path) || trail.includes(path)) return;
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  }
  for (const path of sources) visit(path, []);
  assert.deepEqual(cycles, []);
});

test("no folder is called utils, common or helpers", () => {
  assert.deepEqual(
    sources.filter((path) => /\/(utils|common|helpers)\//.test(path)),
    [],
  );
});
