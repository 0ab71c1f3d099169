// SPDX-License-Identifier: Apache-2.0
import { dirname, isAbsolute, join } from "node:path";
import { parseYaml } from "../../lib/yaml.ts";
import { ConfigError } from "../errors.ts";

/** Fields of a kubeconfig with the place they stand at, for messages. Messages name fields, never values. */
export interface Fields {
  readonly place: string;
  /** Undefined where it is absent or empty; throws where it is no text. */
  text(name: string): string | undefined;
  flag(name: string): boolean;
  fields(name: string): Fields | undefined;
  list(name: string): readonly Fields[];
  texts(name: string): readonly string[];
  /** Lists of texts by name. */
  textLists(name: string): Readonly<Record<string, readonly string[]>>;
  /** The value as it is. */
  value(name: string): unknown;
  /** A path; a relative one counts from the kubeconfig's own folder. */
  path(name: string): string | undefined;
  /** A command, which is a path only where it has a slash. */
  command(name: string): string | undefined;
  fail(problem: string): ConfigError;
}

/** One or several kubeconfigs put together. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
  readonly contexts: ReadonlyMap<string, Fields>;
}

/** Parses one kubeconfig. `path` is where it came from; left out, relative paths in it stay as they are. */
export function parseKubeconfig(text: string, path?: string): Kubeconfig {
  const name = path === undefined ? "kubeconfig" : `kubeconfig "${path}"`;
  const documents = parseYaml(text).filter(({ isEmpty }) => !isEmpty);
  const [document] = documents;
  if (document === undefined)
    return { currentContext: undefined, clusters: new Map(), users: new Map(), contexts: new Map() };
  const [problem] = document.problems;
  if (problem !== undefined) throw new ConfigError(`${name}, line ${problem.line}: ${withoutValues(problem.message)}`);
  if (!isRecord(document.value)) throw new ConfigError(`${name} is not a mapping`);
  const root = createFields(document.value, {
    place: "",
    name,
    folder: path === undefined ? undefined : dirname(path),
  });
  const named = (list: string, inner: string) => {
    const entries = new Map<string, Fields>();
    for (const entry of root.list(list)) {
      const key = entry.text("name");
      const content = entry.fields(inner);
      // Of two with one name the first holds.
      if (key !== undefined && content !== undefined && !entries.has(key)) entries.set(key, content);
    }
    return entries;
  };
  return {
    currentContext: root.text("current-context"),
    clusters: named("clusters", "cluster"),
    users: named("users", "user"),
    contexts: named("contexts", "context"),
  };
}

/** Puts kubeconfigs together as kubectl does: of everything that has a name, the first file's holds, and holds whole. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const merged = (part: "clusters" | "users" | "contexts") =>
    new Map(files.toReversed().flatMap((file) => [...file[part]]));
  return {
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: merged("clusters"),
    users: merged("users"),
    contexts: merged("contexts"),
  };
}

/** What a message quotes of the text may be a password that looks like something else, such as `*password`. */
function withoutValues(message: string): string {
  return message.replace(/ ".*"/s, "");
}

interface Origin {
  readonly place: string;
  readonly name: string;
  readonly folder: string | undefined;
}

function createFields(record: Readonly<Record<string, unknown>>, origin: Origin): Fields {
  const at = (name: string) => (origin.place === "" ? name : `${origin.place}.${name}`);
  const wrong = (name: string, what: string) => new ConfigError(`${origin.name}: ${at(name)} must be ${what}`);
  const text = (name: string) => {
    const value = record[name] ?? "";
    if (typeof value !== "string") throw wrong(name, "text");
    return value === "" ? undefined : value;
  };
  const list = (name: string): readonly unknown[] => {
    const value = record[name] ?? [];
    if (!Array.isArray(value)) throw wrong(name, "a list");
    return value;
  };
  const texts = (name: string, values: readonly unknown[]) =>
    values.map((value) => {
      if (typeof value !== "string") throw wrong(name, "a list of texts");
      return value;
    });
  const path = (name: string) => {
    const value = text(name);
    if (value === undefined || isAbsolute(value) || origin.folder === undefined) return value;
    return join(origin.folder, value);
  };
  return {
    place: origin.place,
    text,
    flag(name) {
      const value = record[name] ?? false;
      if (typeof value !== "boolean") throw wrong(name, "true or false");
      return value;
    },
    fields(name) {
      const value = record[name] ?? undefined;
      if (value === undefined) return undefined;
      if (!isRecord(value)) throw wrong(name, "a mapping");
      return createFields(value, { ...origin, place: at(name) });
    },
    list: (name) =>
      list(name).map((value, index) => {
        if (!isRecord(value)) throw wrong(`${name}[${index}]`, "a mapping");
        return createFields(value, { ...origin, place: at(`${name}[${index}]`) });
      }),
    texts: (name) => texts(name, list(name)),
    textLists(name) {
      const value = record[name] ?? {};
      if (!isRecord(value)) throw wrong(name, "a mapping");
      return Object.fromEntries(
        Object.entries(value).map(([key, values]) => {
          if (!Array.isArray(values)) throw wrong(name, "a mapping to lists of texts");
          return [key, texts(name, values)];
        }),
      );
    },
    value: (name) => record[name],
    path,
    command(name) {
      return text(name)?.includes("/") ? path(name) : text(name);
    },
    fail: (problem) => new ConfigError(`${origin.name}: ${origin.place}${problem}`),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
