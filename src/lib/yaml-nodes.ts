// SPDX-License-Identifier: Apache-2.0
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { isRoundedInteger } from "./rounded-integer.ts";
import { integerOf, readPlainScalar, readTaggedScalar, type ScalarValue, TagError } from "./yaml-scalar.ts";
import { badAnchor } from "./yaml-words.ts";

/** What a document holds, as JSON would carry it. */
export type YamlValue = ScalarValue | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Where a value stands in the text, and where the values in it stand. */
export interface Mark {
  offset: number;
  children?: Map<string, Mark>;
}

interface NodeProblem {
  offset: number;
  message: string;
}

interface Reading {
  value: YamlValue;
  mark: Mark;
  problems: NodeProblem[];
  /** False when something could not be read at all; a key given twice leaves the value usable. */
  isUsable: boolean;
  /** Integers that lost digits. */
  rounded: readonly RoundedNumber[];
}

/** An integer of the text that JavaScript's numbers cannot hold. */
export interface RoundedNumber {
  /** The key that it is the value of; empty where it is none, as in a list. */
  key: string;
  text: string;
}

interface Reader {
  problems: NodeProblem[];
  rounded: RoundedNumber[];
  failures: Set<number>;
  isUsable: boolean;
  anchors: Map<string, Node>;
  /** Anchors whose values are being read, to notice one that contains itself. */
  open: Set<Node>;
  depth: number;
  aliasDepth: number;
  aliasValues: number;
}

interface Entry {
  value: YamlValue;
  mark: Mark;
  /** Taken over through a merge key, so an own key of the same name is no repetition. */
  isMerged: boolean;
}

const deepest = 1000;
// What go-yaml allows a document of ordinary size; enough for honest use, too little to fill the memory.
const mostAliasValues = 400_000;

/** Turns the nodes of one document into the value Kubernetes would see, and remembers where everything stands. */
export function readNodes(root: Node): Reading {
  const reader: Reader = {
    problems: [],
    rounded: [],
    failures: new Set(),
    isUsable: true,
    anchors: new Map(),
    open: new Set(),
    depth: 0,
    aliasDepth: 0,
    aliasValues: 0,
  };
  const mark: Mark = { offset: offsetOf(root) };
  const value = readNode(root, mark, reader);
  return { value, mark, problems: reader.problems, isUsable: reader.isUsable, rounded: reader.rounded };
}

function offsetOf(node: unknown, fallback = 0): number {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
  return range?.[0] ?? fallback;
}

function fail(reader: Reader, offset: number, message: string): null {
  reader.isUsable = false;
  // One for each place: an alias read many times has the same fault each time.
  if (!reader.failures.has(offset)) reader.problems.push({ offset, message });
  reader.failures.add(offset);
  return null;
}

function readNode(node: unknown, mark: Mark, reader: Reader): YamlValue {
  if (reader.aliasDepth > 0 && ++reader.aliasValues > mostAliasValues) {
    return fail(reader, mark.offset, "too many values come from aliases");
  }
  if (reader.depth >= deepest) return fail(reader, mark.offset, `nested more than ${deepest} levels deep`);
  if (isAlias(node)) return readAlias(node, mark, reader);
  if (isScalar(node)) {
    noteAnchor(node, reader);
    return readScalar(node, reader);
  }
  if (!isMap(node) && !isSeq(node)) return null;
  noteAnchor(node, reader);
  reader.depth += 1;
  reader.open.add(node);
  const value = isMap(node) ? readMap(node, mark, reader) : readSequence(node, mark, reader);
  reader.open.delete(node);
  reader.depth -= 1;
  return value;
}

function noteAnchor(node: Scalar | YAMLMap | YAMLSeq, reader: Reader): void {
  const { anchor } = node;
  if (anchor === undefined) return;
  if (/^[-\w]+$/.test(anchor)) reader.anchors.set(anchor, node);
  else fail(reader, offsetOf(node), badAnchor);
}

function readAlias(alias: Alias, mark: Mark, reader: Reader): YamlValue {
  const target = followAlias(alias, reader);
  if (target === null) return null;
  reader.aliasDepth += 1;
  const value = readNode(target, mark, reader);
  reader.aliasDepth -= 1;
  return value;
}

function followAlias(alias: Alias, reader: Reader): Node | null {
  const name = alias.source;
  const offset = offsetOf(alias);
  const target = reader.anchors.get(name);
  if (target === undefined) return fail(reader, offset, `there is no anchor "${name}" above`);
  if (reader.open.has(target)) return fail(reader, offset, `the value of anchor "${name}" contains itself`);
  return target;
}

function readScalar(node: Scalar, reader: Reader): ScalarValue {
  const text = String(node.value ?? "");
  const offset = offsetOf(node);
  try {
    const value = node.tag !== undefined ? readTaggedScalar(node.tag, text) : readUntagged(node, text);
    if (typeof value !== "number") return value;
    if (!Number.isSafeInteger(value)) noteRounded(text, reader);
    if (Number.isFinite(value)) return value;
    return fail(reader, offset, "infinity and not-a-number are not allowed");
  } catch (error) {
    if (error instanceof TagError) return fail(reader, offset, error.message);
    throw error;
  }
}

function noteRounded(text: string, reader: Reader): void {
  const exact = integerOf(text);
  if (exact !== undefined && isRoundedInteger(exact)) reader.rounded.push({ key: "", text });
}

function readUntagged(node: Scalar, text: string): ScalarValue {
  return node.type === "PLAIN" || node.type === undefined ? readPlainScalar(text) : text;
}

function readSequence(node: YAMLSeq, mark: Mark, reader: Reader): YamlValue[] {
  const children = new Map<string, Mark>();
  mark.children = children;
  return node.items.map((item, index) => {
    const child: Mark = { offset: offsetOf(item, mark.offset) };
    children.set(String(index), child);
    return readNode(item, child, reader);
  });
}

function readMap(node: YAMLMap, mark: Mark, reader: Reader): Record<string, YamlValue> {
  const entries = new Map<string, Entry>();
  for (const { key, value } of node.items) {
    const offset = offsetOf(key, mark.offset);
    if (isMergeKey(key)) {
      mergeInto(entries, { source: value, offset, reader });
      continue;
    }
    const name = readKey(key, offset, reader);
    const child: Mark = { offset };
    const roundedBefore = reader.rounded.length;
    const entry: Entry = { value: readNode(value, child, reader), mark: child, isMerged: false };
    if (name === null) continue;
    const last = reader.rounded.at(-1);
    if (last !== undefined && reader.rounded.length > roundedBefore && isScalar(value)) last.key = name;
    if (entries.get(name)?.isMerged === false && reader.aliasDepth === 0) {
      reader.problems.push({ offset, message: `key ${JSON.stringify(name)} is given twice` });
    }
    entries.set(name, entry);
  }
  mark.children = new Map([...entries].map(([name, entry]) => [name, entry.mark]));
  return Object.fromEntries([...entries].map(([name, entry]) => [name, entry.value]));
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN" && key.tag === undefined;
}

function readKey(key: unknown, offset: number, reader: Reader): string | null {
  const value = readNode(key, { offset }, reader);
  if (typeof value === "object") {
    return fail(reader, offset, "a key must be a string, a number or a boolean");
  }
  return String(value);
}

interface Merge {
  source: unknown;
  offset: number;
  reader: Reader;
}

/**
 * Takes over the entries of a merge key's value. As Kubernetes has it, what stands later in the text wins, be it an
 * own key or a merged one; within a list of sources the first wins.
 */
function mergeInto(entries: Map<string, Entry>, { source, offset, reader }: Merge): void {
  const target = isAlias(source) ? followAlias(source, reader) : source;
  if (target === null) return;
  const sources = isSeq(target) ? target.items.toReversed() : [target];
  for (const one of sources) {
    const map = isAlias(one) ? followAlias(one, reader) : one;
    if (!isMap(map)) {
      fail(reader, offset, "a merge key takes a mapping or a list of mappings");
      continue;
    }
    const mark: Mark = { offset };
    reader.aliasDepth += 1;
    const value = readNode(map, mark, reader);
    reader.aliasDepth -= 1;
    for (const [name, member] of Object.entries(value ?? {})) {
      entries.set(name, { value: member, mark: mark.children?.get(name) ?? mark, isMerged: true });
    }
  }
}
