// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../rules/changes.ts";
import { objectsOf, verbOf } from "../rules/judge.ts";
import type { RuleCase, RuleTable } from "../rules/rule-case.ts";
import { type Attempt, attemptOf, type Crd, collectionPath, type TestServer } from "./harness.ts";

/** Puts cases of one CRD's kind to a real API server. Everything but the stored objects that updates need is a dry run. */
export interface ServerJudge {
  judge(table: RuleTable, ruleCase: RuleCase, version: string): Promise<Attempt>;
}

/** A judge for one CRD that is installed, whichever of its versions a case is put to. */
export function serverJudge(server: TestServer, crd: Crd): ServerJudge {
  const stored = new Map<string, Promise<JsonObject>>();

  /** The object as the server has it, stored once however many cases start from it. */
  function store(object: JsonObject, version: string): Promise<JsonObject> {
    const key = JSON.stringify(object);
    const known = stored.get(key) ?? create(served(object, version, `stored-${stored.size}`));
    stored.set(key, known);
    return known;
  }

  async function create(object: JsonObject): Promise<JsonObject> {
    const collection = collectionPath(crd, object);
    const created = expectBody(await server.request("POST", collection, object));
    const path = `${collection}/${nameOf(created.metadata)}/status`;
    return expectBody(await server.request("PUT", path, { ...created, status: object.status ?? {} }));
  }

  function served(object: JsonObject, version: string, name?: string): JsonObject {
    const metadata = { ...Object(object.metadata), ...(name === undefined ? {} : { name }) };
    return { ...object, apiVersion: `${crd.spec.group}/${version}`, metadata };
  }

  return {
    async judge(table, ruleCase, version) {
      const { old, object } = objectsOf(table, ruleCase);
      const next = served(object, version);
      const query = "?dryRun=All&fieldValidation=Warn";
      if (old === undefined) return attemptOf(await server.request("POST", collectionPath(crd, next) + query, next));
      const { metadata } = await store(old, version);
      const sub = verbOf(ruleCase) === "update status" ? "/status" : "";
      const path = `${collectionPath(crd, next)}/${nameOf(metadata)}${sub}${query}`;
      return attemptOf(await server.request("PUT", path, { ...next, metadata: metadata ?? {} }));
    },
  };
}

function nameOf(metadata: unknown): string {
  return String(Object(metadata).name);
}

function expectBody({ status, body }: { status: number; body: unknown }): JsonObject {
  if (status >= 300) throw new Error(`the server refused a valid object: ${JSON.stringify(body)}`);
  return body as JsonObject;
}
