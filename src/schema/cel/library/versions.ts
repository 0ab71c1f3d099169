// SPDX-License-Identifier: Apache-2.0
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { compareSemver, parseLooseSemver, parseSemver, type Semver } from "../semver.ts";
import { BOOL, INT, SEMVER, STRING } from "../types.ts";
import { CelError, type CelValue, NO_OVERLOAD, tagged } from "../values.ts";
import { reading, textOf } from "./arguments.ts";

function semverOf(value: CelValue | undefined): Semver {
  const version = value === undefined ? undefined : tagged(value, "semver")?.version;
  if (version === undefined) throw new CelError(NO_OVERLOAD);
  return version;
}

const readSemver = (text: CelValue | undefined, isLoose: CelValue | undefined): Semver =>
  isLoose === true ? parseLooseSemver(textOf(text)) : parseSemver(textOf(text));

const toSemver: Implementation = (text, isLoose) =>
  reading(() => ({ kind: "semver", version: readSemver(text, isLoose) }));

const isSemver: Implementation = (text, isLoose) => {
  try {
    readSemver(text, isLoose);
    return true;
  } catch {
    return false;
  }
};

const comparing =
  (result: (order: number) => CelValue): Implementation =>
  (left, right) =>
    result(compareSemver(semverOf(left), semverOf(right)));

/** Semantic versions; with a second argument `true` also such as `v1.2`. */
export const versions: readonly FunctionDeclaration[] = [
  declare("semver", [global([STRING], SEMVER, toSemver), global([STRING, BOOL], SEMVER, toSemver)]),
  declare("isSemver", [global([STRING], BOOL, isSemver), global([STRING, BOOL], BOOL, isSemver)]),
  declare("major", [method([SEMVER], INT, (value) => semverOf(value).major)]),
  declare("minor", [method([SEMVER], INT, (value) => semverOf(value).minor)]),
  declare("patch", [method([SEMVER], INT, (value) => semverOf(value).patch)]),
  declare("isGreaterThan", [
    method(
      [SEMVER, SEMVER],
      BOOL,
      comparing((order) => order > 0),
    ),
  ]),
  declare("isLessThan", [
    method(
      [SEMVER, SEMVER],
      BOOL,
      comparing((order) => order < 0),
    ),
  ]),
  declare("compareTo", [method([SEMVER, SEMVER], INT, comparing(BigInt))]),
];
