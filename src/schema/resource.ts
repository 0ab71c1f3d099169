// SPDX-License-Identifier: Apache-2.0
import { append } from "./append.ts";
import { compileRules } from "./cel/rules.ts";
import { correlate } from "./correlation.ts";
import { applyDefaults } from "./defaulting.ts";
import { embeddedProblems } from "./embedded.ts";
import { isObject } from "./go-text.ts";
import { getOwn, isDeeperThan, MAX_DEPTH } from "./json.ts";
import { listTypeProblems } from "./list-types.ts";
import {
  finalizerWarnings,
  type Metadata,
  metadataProblems,
  metadataUpdateProblems,
  subdomainName,
} from "./metadata-rules.ts";
import { child } from "./place.ts";
import { invalid, OMITTED, rebase } from "./problems.ts";
import { prune, type UnknownField } from "./pruning.ts";
import {
  copyObject,
  type ReadObject,
  type ResourceObject,
  type ResourceOptions,
  readObject,
  readStored,
} from "./read-object.ts";
import type { Problem, Schema } from "./types.ts";
import { schemaProblems } from "./validate.ts";

/** What a server would do with an object. */
export interface Admission {
  /** The object as it would be stored: pruned and defaulted, metadata normalised. Never the one given. */
  object: ResourceObject;
  /** Everything the server refuses it for; empty when it would be accepted. */
  problems: Problem[];
  /** What the schema does not know, sorted. Not stored; refused under strict field validation. */
  unknownFields: UnknownField[];
  /** The texts of the Warning headers: rules broken by unchanged values, finalizers that easily clash. */
  warnings: string[];
  /**
   * Set when the server could not even read the object (metadata of the wrong types): its words for the 400 it
   * answers. `problems` then has the same faults, with their places, and nothing else.
   */
  malformed?: string;
}

/** What is being written. */
export interface CheckOptions {
  /**
   * Set for a write to the status subresource: a server then checks `status` alone against its schema, as a root of its
   * own, so that messages lack the `status.` that fields have.
   */
  readonly subresource?: "status" | undefined;
}

/** How an object is admitted. */
export interface AdmitOptions extends CheckOptions {
  /** The stored object, for an update: transition rules run, and problems of unchanged values do not refuse. */
  readonly old?: ResourceObject | undefined;
  /**
   * Unknown fields are reported alone, as a server does under `fieldValidation=Strict`. Duplicate keys, which it
   * reports beside them, are gone once text is parsed: they are the parser's to report.
   */
  readonly strict?: boolean;
}

/** An object as a server reads it from a request. */
export type Decoded = Pick<Admission, "object" | "unknownFields" | "malformed">;

/** What is wrong with an object, and what only deserves a warning. */
export type Checked = Pick<Admission, "problems" | "warnings">;

/** A kind of resource that objects can be checked against. Never changes what it is given. */
export interface Resource {
  /** Does what a create does or, with `old`, an update: read, prune, default, validate. All problems at once. */
  admit(object: ResourceObject, options?: AdmitOptions): Admission;
  /** The object with the schema's defaults, as the server shows stored objects that lack them. */
  defaults(object: ResourceObject): ResourceObject;
  /** The object without what the schema does not know. */
  prune(object: ResourceObject): ResourceObject;
  /** The problems of an object that is pruned and defaulted already. */
  validate(object: ResourceObject, old?: ResourceObject): Problem[];
  /** The first half of `admit`: read, prune and default, for a server that changes the object before it validates. */
  decode(object: ResourceObject): Decoded;
  /** The second half: problems and warnings of an object that came from `decode`, against another such object. */
  check(object: ResourceObject, old?: ResourceObject, options?: CheckOptions): Checked;
}

/**
 * Prepares a CRD's schema for use. Cheap: patterns and CEL programs are compiled on first use and kept.
 * What a client may not write (the status of an object with that subresource) the caller must put back before.
 *
 * Numbers are JavaScript's: an integral one counts as integer, also when written `1.0`, and digits beyond 2^53
 * are lost before they get here.
 */
export function compileResource(schema: Schema, options: ResourceOptions): Resource {
  const rules = compileRules(schema);

  const check = (object: ResourceObject, old?: ResourceObject, { subresource }: CheckOptions = {}): Checked => {
    const tooDeep = depthProblem(object);
    if (tooDeep !== undefined) return { problems: [tooDeep], warnings: [] };
    const correlation = old === undefined ? undefined : correlate(schema, object, old);
    const problems = metadataOnWrite(object, old);
    if (subresource === "status") append(problems, statusProblems(schema, object, old));
    else
      append(problems, [
        ...schemaProblems(schema, object, { correlation }),
        ...embeddedProblems(object, schema, undefined),
      ]);
    // Lists that had duplicates already may keep them.
    if (old === undefined || listTypeProblems(schema, old, undefined).length === 0)
      append(problems, listTypeProblems(schema, object, undefined));
    const warnings: string[] = [];
    if (rules !== undefined && problems.some(({ reason }) => BLOCKING.has(reason))) problems.push(UNCHECKED);
    else if (rules !== undefined) {
      const found = rules.check(object, { old, correlation });
      append(problems, found.problems);
      append(warnings, found.warnings);
    }
    if (subresource === undefined && problems.length === 0)
      append(warnings, finalizerWarnings(metadataOf(object), old === undefined ? undefined : metadataOf(old)));
    return { problems, warnings };
  };

  const decode = (object: ResourceObject): Decoded & { malformedProblems?: Problem[] } => {
    const tooDeep = depthProblem(object);
    if (tooDeep !== undefined)
      return { object: {}, unknownFields: [], malformed: tooDeep.message, malformedProblems: [tooDeep] };
    const read = readObject(object, schema, options);
    const { unknownFields } = read;
    const [firstFault] = read.malformed;
    if (firstFault !== undefined)
      return { object: read.object, unknownFields, malformed: firstFault.words, malformedProblems: faultsOf(read) };
    applyDefaults(read.object, schema);
    return { object: read.object, unknownFields };
  };

  return {
    admit(object, { old, strict = false, subresource } = {}) {
      const { malformedProblems, ...decoded } = decode(object);
      if (malformedProblems !== undefined) return { ...decoded, problems: malformedProblems, warnings: [] };
      if (strict && decoded.unknownFields.length > 0) return { ...decoded, problems: [], warnings: [] };
      const stored = old === undefined ? undefined : readStored(old, schema, options);
      return { ...decoded, ...check(decoded.object, stored, { subresource }) };
    },
    defaults(object) {
      const copy = copyObject(object);
      applyDefaults(copy, schema);
      return copy;
    },
    prune(object) {
      const copy = copyObject(object);
      prune(copy, schema);
      return copy;
    },
    validate: (object, old) => check(object, old).problems,
    decode(object) {
      const { malformedProblems: _, ...decoded } = decode(object);
      return decoded;
    },
    check,
  };
}

function metadataOnWrite(object: ResourceObject, old: ResourceObject | undefined): Problem[] {
  const place = child(undefined, "metadata");
  return old === undefined
    ? metadataProblems(metadataOf(object), place, subdomainName)
    : metadataUpdateProblems(metadataOf(object), metadataOf(old), place);
}

function statusProblems(schema: Schema, object: ResourceObject, old: ResourceObject | undefined): Problem[] {
  const own = getOwn(schema.properties, "status");
  const status = getOwn(object, "status");
  if (own === undefined || status === undefined) return [];
  const before = old === undefined ? undefined : getOwn(old, "status");
  const correlation = before === undefined ? undefined : correlate(own, status, before);
  return rebase(schemaProblems(own, status, { correlation }), child(undefined, "status"));
}

function faultsOf({ malformed }: ReadObject): Problem[] {
  return malformed.map(({ problem }) => problem);
}

/** With one of these the server does not run CEL rules: their types would not hold. */
const BLOCKING = new Set<Problem["reason"]>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const UNCHECKED: Problem = invalid(
  { path: [], field: "<nil>" },
  null,
  "some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation",
);

function depthProblem(object: ResourceObject): Problem | undefined {
  if (!isDeeperThan(object, MAX_DEPTH)) return undefined;
  return invalid({ path: [], field: "<nil>" }, OMITTED, `must not be nested deeper than ${MAX_DEPTH} levels`);
}

function metadataOf(object: ResourceObject): Metadata {
  const metadata = getOwn(object, "metadata");
  return isObject(metadata) ? metadata : {};
}
