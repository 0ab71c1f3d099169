// SPDX-License-Identifier: Apache-2.0
import type { SecretKeys } from "../api/index.ts";

/** What is asked of a Secret. */
export interface SecretQuestion {
  readonly sets: readonly SecretKeys[];
  /** `credentialsRef.key`, where it was given. */
  readonly secretKey: string | undefined;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * What a credentials Secret lacks, in words that name keys and never values; undefined where one of the sets is complete. An empty
 * value is none. `credentialsRef.key` stands for the only key of a set that has one.
 */
export function missingKeys({ sets, secretKey, data }: SecretQuestion): string | undefined {
  const wanted = sets.map(({ required }) => {
    const names = Object.keys(required);
    return secretKey !== undefined && names.length === 1 ? [secretKey] : names;
  });
  const lacks = wanted.map((names) => names.filter((name) => (data[name] ?? "") === ""));
  if (lacks.length === 0 || lacks.some((names) => names.length === 0)) return undefined;
  // A set that was begun is the one that was meant.
  const begun = lacks.filter((names, at) => names.length < (wanted[at]?.length ?? 0));
  return (begun.length > 0 ? begun : lacks).map(keyList).join(", or ");
}

function keyList(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? `the key ${last}` : `the keys ${quoted.join(", ")} and ${last}`;
}
