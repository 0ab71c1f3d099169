// SPDX-License-Identifier: Apache-2.0
import { listEstimates } from "./estimate-list-calls.ts";
import {
  type CallEstimate,
  type Estimate,
  type EstimatedCall,
  isText,
  kindOf,
  known,
  PER_CHARACTER,
  PER_PATTERN_CHARACTER,
  sizeOf,
  traversal,
} from "./estimate-operand.ts";
import { addSizes, plus, scale } from "./estimate-size.ts";
import { textEstimates } from "./estimate-text-calls.ts";

/** What a call can cost at most; most calls cost 1. */
export function estimateCall(name: string, call: EstimatedCall): CallEstimate {
  return ESTIMATES.get(name)?.(call) ?? { cost: 1n };
}

/** Named formats do not tell how long their patterns are. */
const PER_FORMAT = 128 * PER_PATTERN_CHARACTER;
const MAX_FORMAT = 64n;
const ADDRESS_BYTES = 16n;

const parses = (call: EstimatedCall): CallEstimate => ({ cost: traversal(sizeOf(call.args[0], call)) });

/** Comparing addresses byte by byte; one that is a text is parsed first. */
const containsAddress =
  (isNetwork: boolean): Estimate =>
  (call) => {
    const own = plus(
      scale(2n * ADDRESS_BYTES, PER_CHARACTER),
      isNetwork ? scale(ADDRESS_BYTES, PER_CHARACTER) + 1n : 0n,
    );
    const parsing = kindOf(call, 1) === "string" ? traversal(sizeOf(call.args[0], call)) : 0n;
    return { cost: plus(own, parsing) };
  };

const smaller: Estimate = ({ args: [left, right] }) => {
  const [first, second] = [known(left).max, known(right).max];
  return { cost: scale(first < second ? first : second, PER_CHARACTER) };
};

const orders: Estimate = (call) => (isText(call.overload.params[0]) ? smaller(call) : undefined);

const CONSTANT_EQUALITY = ["net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"];

const equals: Estimate = (call) => {
  const [left, right] = call.args;
  const name = left?.type.name;
  if (name === undefined || name !== right?.type.name) return smaller(call);
  if (CONSTANT_EQUALITY.includes(name)) return { cost: 1n };
  if (name === "kubernetes.NamedFormat") return { cost: scale(MAX_FORMAT, PER_CHARACTER) };
  if (name === "kubernetes.URL") return { cost: scale(right.size?.max ?? 1n, PER_CHARACTER) };
  return smaller(call);
};

const adds: Estimate = ({ overload, args: [left, right] }) => {
  const [type] = overload.params;
  if (!isText(type) && type?.kind !== "list") return undefined;
  const size = addSizes(known(left), known(right));
  return { cost: isText(type) ? traversal(size) : 1n, size };
};

const ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["_==_", equals],
  ["_!=_", smaller],
  ["_<_", orders],
  ["_<=_", orders],
  ["_>_", orders],
  ["_>=_", orders],
  ["_+_", adds],
  ["url", (call) => ({ ...parses(call), size: sizeOf(call.args[0], call) })],
  ["cidr", parses],
  ["isIP", parses],
  ["isCIDR", parses],
  ["ip", (call) => (call.target === undefined ? parses(call) : undefined)],
  ["ip.isCanonical", (call) => ({ cost: traversal(sizeOf(call.args[0], call), 2) })],
  ["containsIP", containsAddress(false)],
  ["containsCIDR", containsAddress(true)],
  ["quantity", parses],
  ["isQuantity", parses],
  ["semver", parses],
  ["isSemver", parses],
  ["validate", (call) => ({ cost: scale(traversal(sizeOf(call.args[0], call)), PER_FORMAT) })],
  ...textEstimates,
  ...listEstimates,
]);
