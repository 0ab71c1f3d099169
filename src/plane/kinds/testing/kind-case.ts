// SPDX-License-Identifier: Apache-2.0

/** A request for an object of a built-in kind, to be put to a real server and to ours. Nothing is kept of it. */
export interface KindCase {
  readonly name: string;
  /** Group and plural: `secrets`, `leases.coordination.k8s.io`. */
  readonly resource: string;
  /** What is sent. */
  readonly object: Readonly<Record<string, unknown>>;
  /** What is there already: the request is then an update of it. */
  readonly old?: Readonly<Record<string, unknown>>;
  /** The status that is written into `old` first. */
  readonly oldStatus?: Readonly<Record<string, unknown>>;
  readonly subresource?: "status" | "finalize";
  /** Unknown fields refuse the object. */
  readonly strict?: boolean;
  /** Another namespace than `default`. */
  readonly namespace?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Makes cases of one resource; the object's name is the same in all of them unless it gives one. */
export function casesOf(resource: string, rows: readonly Row[]): KindCase[] {
  return rows.map(([name, object, more = {}]) => ({
    name: `${resource}: ${name}`,
    resource,
    object: named(object),
    ...more,
    ...(more.old === undefined ? {} : { old: named(more.old) }),
  }));
}

/** Name, object, and what else there is to the request. */
export type Row = readonly [
  name: string,
  object: Fields,
  more?: Omit<Partial<KindCase>, "name" | "resource" | "object">,
];

function named(object: Fields): Fields {
  const given = object.metadata;
  const metadata = typeof given === "object" && given !== null ? given : {};
  const isNameless = "generateName" in metadata || "name" in metadata || (given !== undefined && given !== metadata);
  return isNameless ? object : { ...object, metadata: { name: "one", ...metadata } };
}
