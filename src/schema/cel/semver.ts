// SPDX-License-Identifier: Apache-2.0
import { compareText } from "../go-text.ts";

/** A semantic version. Build metadata does not count in comparisons. */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly (string | bigint)[];
}

const DIGITS = "0123456789";

/** Reads a version. Throws in the words of the library the server uses. */
export function parseSemver(text: string): Semver {
  if (text === "") throw new Error("Version string empty");
  const parts = cutVersion(text);
  const [major = "", minor = "", rest = ""] = parts;
  if (parts.length !== 3) throw new Error("No Major.Minor.Patch elements found");
  const [withoutBuild = "", ...build] = rest.split(/\+(.*)/s);
  const [patch = "", ...prerelease] = withoutBuild.split(/-(.*)/s);
  const version = {
    major: parseNumber(major, "major"),
    minor: parseNumber(minor, "minor"),
    patch: parseNumber(patch, "patch"),
    prerelease: prerelease.length === 0 ? [] : (prerelease[0] ?? "").split(".").map(parsePrerelease),
  };
  for (const part of build.length === 0 ? [] : (build[0] ?? "").split(".")) checkBuild(part);
  return version;
}

function cutVersion(text: string): string[] {
  const [major = "", ...afterMajor] = text.split(".");
  const [minor = "", ...afterMinor] = afterMajor;
  if (afterMajor.length === 0) return [major];
  return afterMinor.length === 0 ? [major, minor] : [major, minor, afterMinor.join(".")];
}

function parseNumber(text: string, what: string): bigint {
  const name = `${what[0]?.toUpperCase()}${what.slice(1)}`;
  if (text === "" || !/^[0-9]*$/.test(text)) {
    if (text === "") throw new Error(`strconv.ParseUint: parsing "": invalid syntax`);
    throw new Error(`Invalid character(s) found in ${what} number ${JSON.stringify(text)}`);
  }
  if (text.length > 1 && text.startsWith("0"))
    throw new Error(`${name} number must not contain leading zeroes ${JSON.stringify(text)}`);
  return BigInt(text);
}

function parsePrerelease(text: string): string | bigint {
  if (text === "") throw new Error("Prerelease is empty");
  if ([...text].every((character) => DIGITS.includes(character))) {
    if (text.length > 1 && text.startsWith("0"))
      throw new Error(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`);
    return BigInt(text);
  }
  if (!/^[0-9A-Za-z-]+$/.test(text))
    throw new Error(`Invalid character(s) found in prerelease ${JSON.stringify(text)}`);
  return text;
}

function checkBuild(text: string): void {
  if (text === "") throw new Error("Build meta data is empty");
  if (!/^[0-9A-Za-z-]+$/.test(text))
    throw new Error(`Invalid character(s) found in build meta data ${JSON.stringify(text)}`);
}

/** A version with a leading `v`, leading zeros or missing parts, made a proper one. Throws when that is not possible. */
export function parseLooseSemver(text: string): Semver {
  const [major = "", minor, patch] = cutVersion(text.replace(/^v/, ""));
  const given = [major, minor, patch].filter((part) => part !== undefined);
  const parts = given.map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, "");
    return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ""))
    throw new Error("short version cannot contain PreRelease/Build meta data");
  while (parts.length < 3) parts.push("0");
  return parseSemver(parts.join("."));
}

/** Orders versions by precedence; a prerelease comes before its release. */
export function compareSemver(left: Semver, right: Semver): -1 | 0 | 1 {
  for (const part of ["major", "minor", "patch"] as const)
    if (left[part] !== right[part]) return left[part] < right[part] ? -1 : 1;
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    if (left.prerelease.length === right.prerelease.length) return 0;
    return left.prerelease.length === 0 ? 1 : -1;
  }
  for (const [at, mine] of left.prerelease.entries()) {
    const other = right.prerelease[at];
    if (other === undefined) return 1;
    const order = comparePrerelease(mine, other);
    if (order !== 0) return order;
  }
  return left.prerelease.length === right.prerelease.length ? 0 : -1;
}

function comparePrerelease(left: string | bigint, right: string | bigint): -1 | 0 | 1 {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
