// SPDX-License-Identifier: Apache-2.0
import { declare, type FunctionDeclaration, global, method } from "../declare.ts";
import { BOOL, optionalOf, param } from "../types.ts";
import { CelError, type CelValue, isCelList, isCelMap, NO_OVERLOAD, NONE, optional, tagged } from "../values.ts";

const V = param("V");

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (tagged(value, "uint")?.value === 0n || tagged(value, "duration")?.nanoseconds === 0n) return true;
  // Lists and maps of an object do not know that they are empty.
  return (isCelList(value) || isCelMap(value)) && value.raw === undefined && value.size === 0;
}

/** Optional values. `or` and `orValue` are done by the evaluator, which looks at their argument only when needed. */
export const optionals: readonly FunctionDeclaration[] = [
  declare("optional.of", [global([V], optionalOf(V), (value = null) => optional(value))]),
  declare("optional.ofNonZeroValue", [
    global([V], optionalOf(V), (value = null) => (isZero(value) ? NONE : optional(value))),
  ]),
  declare("optional.none", [global([], optionalOf(V), () => NONE)]),
  declare("value", [
    method([optionalOf(V)], V, (value = null) => {
      const held = tagged(value, "optional");
      if (held === undefined) throw new CelError(NO_OVERLOAD);
      if (held.value === undefined) throw new CelError("optional.none() dereference");
      return held.value;
    }),
  ]),
  declare("hasValue", [
    method([optionalOf(V)], BOOL, (value = null) => tagged(value, "optional")?.value !== undefined),
  ]),
  declare("or", [method([optionalOf(V), optionalOf(V)], optionalOf(V))]),
  declare("orValue", [method([optionalOf(V), V], V)]),
];
