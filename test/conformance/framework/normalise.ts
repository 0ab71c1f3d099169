// SPDX-License-Identifier: Apache-2.0
import type { Exchange, JsonObject, Transcript } from "./types.ts";
import { nameVersions, type VersionNames } from "./versions.ts";

/** What of a case differs from run to run and cannot be recognised by its looks. */
export interface NormaliseOptions {
  /** Texts and what stands for them, as `{namespace}` for the case's namespace. */
  readonly names: Readonly<Record<string, string>>;
  readonly managedFields: boolean;
}

const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const CONTINUE = /\bcontinue=[^&\s]+/g;
const VERSION_IN_QUERY = /([?&]resourceVersion=)(\d+)/g;
const VERSION_IN_TEXT = /(resource ?version(?:[\\"]+:[\\"]+| in [a-z ]+ \(|[=: ]+)|current: )(\d+)(?: \((\d+)\))?/gi;
const YOUNG_AGE = /^\d+s$/;
/** A refused patch tells the whole object, in whatever order its fields came. */
const OBJECT_IN_TEXT = /Invalid value: "(?:\{\\"|map\[)(?:[^"\\]|\\.)*"/g;
const CUSTOM_COLUMN = /^Custom resource definition column/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Replaces whatever differs from run to run by names that do not; the same thing gets the same name all through the case. */
export function normalise(exchanges: readonly Exchange[], options: NormaliseOptions): Transcript {
  const versions = nameVersions(exchanges);
  const text = textNormaliser({ ...generatedNames(exchanges), ...options.names }, versions);
  const value = (raw: unknown): unknown => {
    if (typeof raw === "string") return text(raw);
    if (Array.isArray(raw)) return raw.map(value);
    if (typeof raw !== "object" || raw === null) return raw;
    return object(raw as JsonObject);
  };
  const object = (raw: JsonObject): JsonObject => {
    const entries = Object.entries(withStableMetadata(withStableTable(raw), versions, options.managedFields));
    return Object.fromEntries(entries.map(([key, field]) => [text(key), value(field)] as const).toSorted(byKey));
  };
  return exchanges.map((exchange) => {
    const { causes, message, ...rest } = withSortedCauses(exchange);
    const described = { ...(message !== undefined && { message }), ...(causes && { causes }) };
    // The order of an exchange's own fields is for readers; everything below them is sorted.
    return Object.fromEntries(
      Object.entries({ ...rest, ...described }).map(([key, field]) => [key, value(field)]),
    ) as Exchange;
  });
}

function textNormaliser(names: Readonly<Record<string, string>>, versions: VersionNames): (text: string) => string {
  const uids = new Map<string, string>();
  const uidName = (uid: string) => {
    if (!uids.has(uid)) uids.set(uid, `uid${uids.size + 1}`);
    return uids.get(uid) ?? uid;
  };
  return (raw) => {
    let text = raw;
    for (const [name, stable] of Object.entries(names)) text = text.replaceAll(name, stable);
    return (
      text
        .replace(OBJECT_IN_TEXT, 'Invalid value: "{object}"')
        .replace(UID, uidName)
        .replace(TIME, (time, fraction) => (isNow(time) ? (fraction ? "{microtime}" : "{time}") : time))
        .replace(TOKEN, "{token}")
        .replace(CONTINUE, "continue={continue}")
        // What a request asks for may be a list's version, which is an object's too if nothing else was written.
        .replace(VERSION_IN_QUERY, (_, before, version) => `${before}${versions.loose(version)}`)
        .replace(VERSION_IN_TEXT, (_, before, version, other) => {
          const more = other === undefined ? "" : ` (${versions.loose(other)})`;
          return `${before}${versions.any(version)}${more}`;
        })
    );
  };
}

/** Times of the run are replaced; those that a case wrote itself are long ago or far ahead. */
function isNow(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 30 * DAY_MS;
}

function withStableMetadata(object: JsonObject, versions: VersionNames, managedFields: boolean): JsonObject {
  const { metadata } = object;
  if (typeof metadata !== "object" || metadata === null) return object;
  const { managedFields: managers, ...rest } = metadata as JsonObject;
  const stable: Record<string, unknown> = { ...rest };
  if (typeof rest.resourceVersion === "string") {
    stable.resourceVersion = versions.isLoose(object)
      ? versions.loose(rest.resourceVersion)
      : versions.any(rest.resourceVersion);
  }
  if (typeof rest.continue === "string" && rest.continue !== "") stable.continue = "{continue}";
  // Entries are ordered by time first, and two writes may or may not fall into the same second.
  if (managedFields && Array.isArray(managers)) stable.managedFields = managers.toSorted(byManager);
  return { ...object, metadata: stable };
}

/**
 * In a table the age of what a case has just made is a number of seconds, whichever. How a server explains the columns of its
 * own kinds is its own affair.
 */
function withStableTable(object: JsonObject): JsonObject {
  const { cells, columnDefinitions: columns } = object;
  if (Array.isArray(cells))
    return { ...object, cells: cells.map((cell) => (YOUNG_AGE.test(String(cell)) ? "{age}" : cell)) };
  if (!Array.isArray(columns)) return object;
  const explainsItself = ({ description }: JsonObject) => CUSTOM_COLUMN.test(String(description));
  const bare = ({ description: _, ...column }: JsonObject) => column;
  return { ...object, columnDefinitions: columns.map((column) => (explainsItself(column) ? column : bare(column))) };
}

/** The server finds problems in random order, and its message lists them in that order. */
function withSortedCauses(exchange: Exchange): Exchange {
  const { causes, message } = exchange;
  if (causes === undefined || typeof message !== "string") return exchange;
  const said = ({ field, message: words }: JsonObject) => `${field}: ${words}`;
  const sorted = causes.toSorted((a, b) => compare(said(a), said(b)));
  const found = causes.map(said).join(", ");
  return { ...exchange, causes: sorted, message: message.replace(found, () => sorted.map(said).join(", ")) };
}

/** Names the server made up, each with what stands for it. */
function generatedNames(exchanges: readonly Exchange[]): Record<string, string> {
  const names: Record<string, string> = {};
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { name, generateName } = value as { name?: unknown; generateName?: unknown };
    if (typeof name === "string" && typeof generateName === "string" && name.startsWith(generateName)) {
      names[name] = `${generateName}{${name.length - generateName.length} random}`;
    }
    for (const field of Object.values(value)) visit(field);
  };
  for (const { object } of exchanges) visit(object);
  return names;
}

function byManager(a: JsonObject, b: JsonObject): number {
  const key = ({ manager, operation, subresource, apiVersion }: JsonObject) =>
    [manager, operation, subresource, apiVersion].join("\0");
  return compare(key(a), key(b));
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
