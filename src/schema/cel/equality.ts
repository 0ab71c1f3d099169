// SPDX-License-Identifier: Apache-2.0
import { cidrText, ipText } from "../../lib/ip.ts";
import { compareQuantities } from "../../lib/quantity.ts";
import { compareText } from "../go-text.ts";
import { deepEqual } from "../json.ts";
import { compareSemver } from "./semver.ts";
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  isCelList,
  isCelMap,
  kindOf,
  NO_OVERLOAD,
  type Tagged,
  tagged,
} from "./values.ts";

/** Whether two values are equal as CEL's `==` sees it. Values of different types are not, numbers compare across types. */
export function equals(left: CelValue, right: CelValue): boolean {
  if (left === null || right === null) return left === right;
  const order = compareNumbers(left, right);
  if (order !== undefined) return order === 0;
  if (typeof left !== "object") return left === right;
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (isCelList(left)) return isCelList(right) ? listsEqual(left, right) : mismatch(left);
  if (isCelMap(left)) return isCelMap(right) ? mapsEqual(left, right) : mismatch(left);
  return typeof right === "object" && !(right instanceof Uint8Array) && taggedEqual(left, right);
}

/** Lists and maps of an object refuse to be compared with anything else; other values are just unequal. */
function mismatch(left: CelList | CelMap): false {
  if (left.raw !== undefined) throw new CelError(NO_OVERLOAD);
  return false;
}

function taggedEqual(left: Tagged, right: Tagged): boolean {
  const like = <K extends Tagged["kind"]>(kind: K) => tagged(right, kind);
  switch (left.kind) {
    case "duration":
    case "timestamp":
      return left.nanoseconds === like(left.kind)?.nanoseconds;
    case "type":
    case "format":
      return left.name === like(left.kind)?.name;
    case "optional":
      return right.kind === "optional" && optionalsEqual(left.value, right.value);
    case "url":
      return left.url.text === like("url")?.url.text;
    case "ip":
      return right.kind === "ip" && ipText(left.ip) === ipText(right.ip);
    case "cidr":
      return right.kind === "cidr" && cidrText(left.cidr) === cidrText(right.cidr);
    case "quantity":
      return right.kind === "quantity" && compareQuantities(left.quantity, right.quantity) === 0;
    case "semver":
      return right.kind === "semver" && compareSemver(left.version, right.version) === 0;
    case "preserved":
      return right.kind === "preserved" && deepEqual(left.raw, right.raw);
    default:
      return false;
  }
}

function optionalsEqual(left: CelValue | undefined, right: CelValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return equals(left, right);
}

function listsEqual(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false;
  if (left.special !== undefined) return left.special.equals(right);
  for (let at = 0; at < left.size; at++) if (!equals(left.at(at), right.at(at))) return false;
  return true;
}

function mapsEqual(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  return left.keys().every((key) => {
    const mine = left.find(key);
    const other = right.find(key);
    if (mine === undefined || other === undefined) return mine === other;
    return equals(mine, other);
  });
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return tagged(value, "uint")?.value;
}

/** Orders numbers of any types; undefined when one is none, NaN when one is not a number. */
export function compareNumbers(left: CelValue, right: CelValue): number | undefined {
  const first = numberOf(left);
  const second = numberOf(right);
  if (first === undefined || second === undefined) return undefined;
  if (Number.isNaN(first) || Number.isNaN(second)) return Number.NaN;
  if (first < second) return -1;
  return first > second ? 1 : 0;
}

/** Orders two values as `<` does. Throws a CelError for values that have no order. */
export function compare(left: CelValue, right: CelValue): number {
  const numbers = compareNumbers(left, right);
  if (Number.isNaN(numbers)) throw new CelError("NaN values cannot be ordered");
  if (numbers !== undefined) return numbers;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const first = nanosecondsOf(left);
  const second = nanosecondsOf(right);
  if (first !== undefined && second !== undefined && kindOf(left) === kindOf(right)) {
    if (first === second) return 0;
    return first < second ? -1 : 1;
  }
  throw new CelError(NO_OVERLOAD);
}

function nanosecondsOf(value: CelValue): bigint | undefined {
  return (tagged(value, "duration") ?? tagged(value, "timestamp"))?.nanoseconds;
}
