// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { Admission, Problem, Resource, ResourceObject } from "../../schema/index.ts";
import { copyJson, isDeeperThan, MAX_DEPTH, type MutableObject } from "../../schema/json.ts";
import { pathSegmentProblems } from "../../schema/names.ts";
import { pathOf } from "../../schema/place.ts";
import { invalid, OMITTED } from "../../schema/problems.ts";
import { decode, type Fault, faultField } from "./decode.ts";
import type { Struct } from "./fields.ts";
import { anyMetadata, anyMetadataChange } from "./rules.ts";

/** What a built-in kind needs besides its struct. */
export interface TypedOptions {
  readonly scope: "Namespaced" | "Cluster";
  readonly apiVersion: string;
  readonly kind: string;
  /** Fills in defaults, in place. Called for what clients send and for what is stored. */
  readonly setDefaults?: ((object: MutableObject) => void) | undefined;
}

/**
 * Reads, prunes and defaults objects of a built-in kind as the real server's typed decoder does. Of problems it reports
 * those that every kind shares, which is: on updates the metadata's. All others are the kind's behaviour.
 */
export function typedResource(struct: Struct, { scope, apiVersion, kind, setDefaults }: TypedOptions): Resource {
  const read = (given: ResourceObject) => {
    const { object, unknownFields, malformed } = decode(given, struct);
    // Clients may leave out what the path says already.
    object.apiVersion ??= apiVersion;
    object.kind ??= kind;
    // The server clears the namespace of a cluster-scoped object without a word.
    if (scope === "Cluster" && isObject(object.metadata)) delete object.metadata.namespace;
    return { object, unknownFields, malformed };
  };
  const decodeObject = (given: ResourceObject) => {
    const { object, unknownFields, malformed } = read(given);
    if (malformed !== undefined) return { object, unknownFields, malformed: malformed.words, fault: malformed };
    setDefaults?.(object);
    return { object, unknownFields };
  };
  const check = (object: ResourceObject, old: ResourceObject | undefined) => ({
    problems: old === undefined ? [] : [...anyMetadata(object, pathSegmentProblems), ...anyMetadataChange(object, old)],
    warnings: [],
  });
  return {
    admit(object, { old, strict = false } = {}) {
      if (isDeeperThan(object, MAX_DEPTH)) return tooDeep(object);
      const { fault, ...decoded } = { fault: undefined, ...decodeObject(object) };
      if (fault !== undefined) return { ...decoded, problems: [faultProblem(fault)], warnings: [] };
      if (strict && decoded.unknownFields.length > 0) return { ...decoded, problems: [], warnings: [] };
      return { ...decoded, ...check(decoded.object, old) };
    },
    defaults(object) {
      const copy = copyObject(object);
      setDefaults?.(copy);
      return copy;
    },
    prune: (object) => read(object).object,
    validate: (object, old) => check(object, old).problems,
    decode: decodeObject,
    check: (object, old) => check(object, old),
  };
}

function copyObject(object: ResourceObject): MutableObject {
  const copy = copyJson(object);
  return isObject(copy) ? copy : {};
}

function tooDeep(object: ResourceObject): Admission {
  const problem = invalid({ path: [], field: "<nil>" }, OMITTED, `must not be nested deeper than ${MAX_DEPTH} levels`);
  return { object, problems: [problem], unknownFields: [], warnings: [] };
}

function faultProblem(fault: Fault): Problem {
  return {
    reason: "FieldValueTypeInvalid",
    path: pathOf(fault.place),
    field: faultField(fault),
    message: `Invalid value: ${fault.words}`,
  };
}
