// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { findKind } from "../../src/kinds.ts";
import { compileResource, type Resource } from "../../src/schema/index.ts";
import type { Schema } from "../../src/schema/types.ts";
import { attemptOf, type Crd, collectionPath, type TestServer } from "../kubernetes/harness.ts";
import type { JsonObject } from "../rules/changes.ts";
import { ruleTables } from "../rules/index.ts";
import { type Random, seededRandom } from "../seeded-random.ts";
import { mutate, thin } from "./mutate.ts";

/** What a comparison of many objects covered. */
export interface Coverage {
  objects: number;
  refused: number;
  withUnknownFields: number;
  problems: number;
}

/**
 * Puts seeded, slightly broken objects of every kind to a real server and to `src/schema`, and throws at the first on which
 * they differ: in the set of fields and reasons, in the unknown fields, or, where both accept, in the resulting object.
 */
export async function compareWithServer(
  server: TestServer,
  { seed, objects }: { seed: number; objects: number },
): Promise<Coverage> {
  const coverage: Coverage = { objects: 0, refused: 0, withUnknownFields: 0, problems: 0 };
  const random = seededRandom(seed);
  const subjects = ruleTables.map(({ kind, base }) => subjectOf(kind, base));
  for (const number of Array(objects).keys()) {
    const subject = random.pick(subjects);
    const object = brokenObject(subject, random);
    await compareOne(server, subject, { object, coverage, name: `seed ${seed}, object ${number}` });
  }
  return coverage;
}

interface Subject {
  crd: Crd;
  schema: Schema;
  resource: Resource;
  base: JsonObject;
}

function subjectOf(name: string, base: JsonObject): Subject {
  const kind = findKind(name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return {
    crd: kind.crd(),
    schema: kind.schema(),
    resource: compileResource(kind.schema(), { scope: kind.scope }),
    base,
  };
}

/** The status stays out: a server drops it from an object that is being created. */
function brokenObject({ base, schema }: Subject, random: Random): JsonObject {
  const { status: _, ...object } = structuredClone(base);
  const { status: __, metadata: ___, apiVersion: ____, kind: _____, ...properties } = schema.properties ?? {};
  const mutable = { ...schema, properties };
  thin(object, mutable, random);
  mutate(object, mutable, random);
  return object;
}

async function compareOne(
  server: TestServer,
  { crd, resource }: Subject,
  { object, coverage, name }: { object: JsonObject; coverage: Coverage; name: string },
): Promise<void> {
  const send = async (validation: string) =>
    attemptOf(
      await server.request("POST", `${collectionPath(crd, object)}?dryRun=All&fieldValidation=${validation}`, object),
    );
  const theirs = await send("Ignore");
  const strict = await send("Strict");
  const ours = resource.admit(object);
  const context = `${name}: ${JSON.stringify(object)}\nserver: ${theirs.message}`;
  assert.deepEqual(keysOf(ours.problems), keysOf(theirs.causes), context);
  assert.equal(ours.problems.length === 0, theirs.accepted, context);
  const unknown = resource.admit(object, { strict: true }).unknownFields.map(({ field }) => field);
  assert.deepEqual(unknown.sort(), [...strict.unknownFields].sort(), `${context}\nstrict: ${strict.message}`);
  if (theirs.accepted) assert.deepEqual(specOf(ours.object), specOf(theirs.object), context);
  coverage.objects += 1;
  coverage.refused += theirs.accepted ? 0 : 1;
  coverage.withUnknownFields += unknown.length > 0 ? 1 : 0;
  coverage.problems += theirs.causes.length;
}

function keysOf(refusals: readonly { field: string; reason: string }[]): string[] {
  return [...new Set(refusals.map(({ field, reason }) => `${reason} ${field}`))].sort();
}

function specOf(object: unknown): unknown {
  return Object(object).spec;
}
