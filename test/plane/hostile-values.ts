// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../seeded-random.ts";

const TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "1e999",
  "18446744073709551616",
  "true",
  "null",
  "NaN",
  "..",
  ".",
  "%",
  "%00",
  "%2F..%2F",
  "%ff%fe",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "a\u0000b",
  "\ud800",
  "\u202eevil",
  "ä",
  "💥",
  "'\"`\\",
  "<script>",
  "{{7*7}}",
  "a=b,c in (d",
  "!!!",
  "((((((((((",
  "x in (),y notin (,),z>a",
  "metadata.name=,metadata.name!=x",
  "spec.a.b.c=1",
  ",,,,=,",
  "2026-99-99T99:99:99Z",
  "9999-12-31T23:59:59.999999999Z",
  "1Ei",
  "-0.5m",
  "f:spec",
  "/a/b~2",
  "/-",
  "/metadata/labels/~1",
  "eyJydiI6LTF9",
  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8ifQ",
  "a".repeat(300),
  "a-".repeat(2000),
  "ß".repeat(500),
] as const;

/** Text that has broken something somewhere before. */
export function nastyText(random: Random): string {
  if (random.chance(0.2)) return Array.from({ length: random.below(40) }, () => nastyCharacter(random)).join("");
  if (random.chance(0.1)) return random.pick(TEXTS) + random.pick(TEXTS);
  return random.pick(TEXTS);
}

function nastyCharacter(random: Random): string {
  const limits = [0x20, 0x7f, 0x100, 0xffff];
  return String.fromCharCode(random.below(random.pick(limits)));
}

const NUMBERS = [0, -0, -1, 1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e-7, 1e308, Number.MAX_SAFE_INTEGER];

/** Any JSON value, not too large. */
export function nastyValue(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
    case 4:
      return nastyText(random);
    case 5:
      return Array.from({ length: random.below(5) }, () => nastyValue(random, depth - 1));
    case 6:
      return random.chance(0.1) ? Array.from({ length: 2000 }, () => 1) : deep(random.below(60), random.chance(0.5));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [nastyText(random), nastyValue(random, depth - 1)]),
      );
  }
}

/** Lists or objects in each other. */
export function deep(levels: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = isList ? [value] : { a: value };
  return value;
}

/** The value with one or more places in it replaced, removed or doubled. */
export function mutate(random: Random, value: unknown): unknown {
  if (random.chance(0.15)) return nastyValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return [nastyValue(random)];
    const at = random.below(value.length);
    if (random.chance(0.2)) return [...value, ...value];
    if (random.chance(0.2)) return value.toSpliced(at, 1);
    return value.with(at, mutate(random, value[at]));
  }
  if (typeof value !== "object" || value === null) return nastyValue(random);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.15)) return { ...value, [nastyText(random)]: nastyValue(random) };
  const [key, item] = random.pick(entries);
  if (random.chance(0.1)) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return { ...value, [key]: mutate(random, item) };
}

/** The text with bytes changed, cut off or doubled, so that it may be no JSON, YAML or UTF-8 any more. */
export function garble(random: Random, text: string): Uint8Array {
  let bytes = Buffer.from(text);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length + 1);
    const kind = random.below(4);
    if (kind === 0 && at < bytes.length) bytes[at] = random.below(256);
    else if (kind === 1) bytes = bytes.subarray(0, at);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes]);
    else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(nastyText(random)), bytes.subarray(at)]);
  }
  return bytes.subarray(0, 100_000);
}

/** Bodies that are small to send and large, deep or slow to read. */
export const BOMBS: Readonly<Record<string, string>> = {
  "deep lists": `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`,
  "deep objects": `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`,
  "deep lists never closed": "[".repeat(2_000_000),
  "deep below spec": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"spec":${"[".repeat(100_000)}`,
  "deep flow in yaml": `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  "deep indentation in yaml": Array.from({ length: 2_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
  "a billion laughs": [
    "a0: &a0 [x,x,x,x,x,x,x,x,x,x]",
    ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(",")}]`),
  ].join("\n"),
  "an alias in itself": "a: &a [*a, *a]\n",
  "merge keys of merge keys": [
    "a0: &a0 {k: v}",
    ...Array.from({ length: 20 }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [${Array(10).fill(`*a${at}`).join(",")}]}`),
  ].join("\n"),
  "many keys": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"many"},"data":{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":"v"`).join(",")}}}`,
  "many items": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"items","finalizers":[${Array(100_000).fill('"a/b"').join(",")}]}}`,
  "one key many times": `{${Array(100_000).fill('"kind":"ConfigMap"').join(",")}}`,
  "a long number": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","generation":${"9".repeat(500_000)}}}`,
  "a long text": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${"x".repeat(2_000_000)}"}}`,
  "many documents": "---\n".repeat(30_000),
  "many ends of documents": "...\n".repeat(20_000),
  "blank lines": `a: b${"\n".repeat(250_000)}c: d`,
  "yaml of commas": `a: [${",".repeat(1_000_000)}]`,
  "yaml of mistakes": "a: ]\n".repeat(30_000),
  "many anchors": Array.from({ length: 8_000 }, (_, at) => `k${at}: &a${at} v`).join("\n"),
};
