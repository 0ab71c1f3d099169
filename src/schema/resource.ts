// SPDX-License-Identifier: Apache-2.0
import { compileRules } from "./cel/rules.ts";
import { correlate } from "./correlation.ts";
import { applyDefaults, dropNulls } from "./defaulting.ts";
import { coerceEmbedded, embeddedProblems } from "./embedded.ts";
import { isObject } from "./go-text.ts";
import { copyJson, getOwn, isDeeperThan, MAX_DEPTH, type MutableObject } from "./json.ts";
import { listTypeProblems } from "./list-types.ts";
import { finalizerWarnings, type Metadata, metadataProblems, metadataUpdateProblems, subdomainName } from "./metadata-rules.ts";
import { decodeMetadata, type Malformed } from "./object-meta.ts";
import { child } from "./place.ts";
import { invalid, OMITTED, typeInvalid } from "./problems.ts";
import { prune, sortFields, type UnknownField } from "./pruning.ts";
import type { Json, Problem, Schema } from "./types.ts";
import { schemaProblems } from "./validate.ts";

/** A resource as JSON carries it. */
export type ResourceObject = { readonly [name: string]: Json | undefined };

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

/** How an object is admitted. */
export interface AdmitOptions {
  /** The stored object, for an update: transition rules run, and problems of unchanged values do not refuse. */
  readonly old?: ResourceObject | undefined;
  /** Unknown fields are reported alone, as a server does under `fieldValidation=Strict`. */
  readonly strict?: boolean;
  /** Set for a write to the status subresource: a server then checks `status` alone against its schema, as a root of its own. */
  readonly subresource?: "status" | undefined;
}

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
  check(object: ResourceObject, old?: ResourceObject): Pick<Admission, "problems" | "warnings">;
}

/** An object as a server reads it from a request. */
export type Decoded = Pick<Admission, "object" | "unknownFields" | "malformed">;

/** How a kind is served. */
export interface ResourceOptions {
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * Prepares a CRD's schema for use. Cheap: patterns and CEL programs are compiled on first use and kept.
 * Status subresources are the caller's: what a client may not write must be put back before `admit`.
 *
 * Numbers are JavaScript's: an integral one counts as integer, also when written `1.0`, and digits beyond 2^53
 * are lost before they get here.
 */
export function compileResource(schema: Schema, { scope }: ResourceOptions): Resource {
  const rules = compileRules(schema);

  const check = (object: ResourceObject, { old, subresource }: Pick<AdmitOptions, "old" | "subresource">) => {
    const correlation = old === undefined ? undefined : correlate(schema, object, old);
    const metadata = metadataOf(object);
    const place = child(undefined, "metadata");
    const problems =
      old === undefined
        ? metadataProblems(metadata, place, subdomainName)
        : metadataUpdateProblems(metadata, metadataOf(old), place);
    if (subresource === "status") problems.push(...statusProblems(schema, object, old));
    else problems.push(...schemaProblems(schema, object, { correlation }));
    problems.push(...embeddedProblems(object, schema, undefined));
    if (old === undefined || listTypeProblems(schema, old, undefined).length === 0)
      problems.push(...listTypeProblems(schema, object, undefined));
    const warnings: string[] = [];
    if (rules !== undefined) {
      if (problems.some(({ reason }) => BLOCKING.has(reason))) problems.push(UNCHECKED);
      else {
        const found = rules.check(object, { old, correlation });
        problems.push(...found.problems);
        warnings.push(...found.warnings);
      }
    }
    warnings.push(...finalizerWarnings(metadata, old === undefined ? undefined : metadataOf(old)));
    return { problems, warnings };
  };

  return {
    admit(object, { old, strict = false, subresource } = {}) {
      const tooDeep = depthProblem(object);
      if (tooDeep !== undefined) return { object, problems: [tooDeep], unknownFields: [], warnings: [] };
      const read = readObject(object, schema, scope);
      const [firstFault] = read.malformed;
      if (firstFault !== undefined) {
        const problems = read.malformed.map(({ problem }) => problem);
        return { ...emptyAdmission(read), problems, malformed: firstFault.words };
      }
      if (strict && read.unknownFields.length > 0) return emptyAdmission(read);
      applyDefaults(read.object, schema);
      const stored = old === undefined ? undefined : storedObject(old, schema, scope);
      return { ...emptyAdmission(read), ...check(read.object, { old: stored, subresource }) };
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
    validate(object, old) {
      const tooDeep = depthProblem(object);
      return tooDeep === undefined ? check(object, { old }).problems : [tooDeep];
    },
    decode(object) {
      const { object: read, unknownFields, malformed } = readObject(object, schema, scope);
      const [firstFault] = malformed;
      if (firstFault !== undefined) return { object: read, unknownFields, malformed: firstFault.words };
      applyDefaults(read, schema);
      return { object: read, unknownFields };
    },
    check,
  };
}

/** The words are those of a root, so fields in messages lack the `status.` that fields of problems have. */
function statusProblems(schema: Schema, object: ResourceObject, old: ResourceObject | undefined): Problem[] {
  const own = schema.properties?.status;
  if (own === undefined || object.status === undefined) return [];
  const correlation = old?.status === undefined ? undefined : correlate(own, object.status, old.status);
  return schemaProblems(own, object.status, { correlation }).map((problem) => ({
    ...problem,
    path: ["status", ...problem.path],
    field: problem.field === "<nil>" ? "status" : `status.${problem.field}`,
  }));
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

interface ReadObject {
  readonly object: MutableObject;
  readonly unknownFields: UnknownField[];
  readonly malformed: Malformed[];
}

function emptyAdmission({ object, unknownFields }: ReadObject): Admission {
  return { object, problems: [], unknownFields, warnings: [] };
}

function copyObject(object: ResourceObject): MutableObject {
  const copy = copyJson(object);
  return isObject(copy) ? copy : {};
}

/** What the server's decoder does: metadata is read into its known fields, the rest is pruned by the schema. */
function readObject(given: ResourceObject, schema: Schema, scope: ResourceOptions["scope"]): ReadObject {
  const object = copyObject(given);
  const malformed: Malformed[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const text = getOwn(object, name);
    if (text === undefined || typeof text === "string") continue;
    const found = Array.isArray(text) ? "array" : text === null ? "null" : typeof text;
    const problem = typeInvalid({ path: [name], field: name }, found, `${name} in body must be of type string: "${found}"`);
    malformed.push({ problem, words: `.${name} accessor error: ${found} is not a string` });
  }
  const metadata = getOwn(object, "metadata");
  const decoded = decodeMetadata(metadata ?? null, child(undefined, "metadata"));
  const pruned = prune(object, schema);
  dropNulls(object, schema);
  const embedded = coerceEmbedded(object, schema);
  if (metadata !== undefined) object["metadata"] = decoded.metadata;
  // The server clears the namespace of a cluster-scoped object without a word.
  if (scope === "Cluster") delete decoded.metadata["namespace"];
  return {
    object,
    unknownFields: [...sortFields(decoded.unknown), ...pruned, ...sortFields(embedded.unknown)],
    malformed: [...malformed, ...decoded.malformed, ...embedded.malformed],
  };
}

/** A stored object as the server reads it back from its store. */
function storedObject(old: ResourceObject, schema: Schema, scope: ResourceOptions["scope"]): MutableObject {
  const { object } = readObject(old, schema, scope);
  applyDefaults(object, schema);
  return object;
}
