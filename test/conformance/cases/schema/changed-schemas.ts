// SPDX-License-Identifier: Apache-2.0
import { JSON_PATCH, kindOf } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { GROUP, kind, objectOf, text } from "./kinds.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const SPEC = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

/** An object is stored by one schema, then the schema changes. */
interface Change {
  readonly name: string;
  /** A kind of its own, since its schema changes. */
  readonly kind: string;
  readonly before: JsonObject;
  readonly stored: JsonObject;
  readonly after: JsonObject;
  readonly required?: readonly string[];
  /** Changes of the spec to be tried by the new schema, as dry runs; without them the object is read. */
  readonly tries?: readonly (readonly [number, JsonObject])[];
}

/** Only the new schema knows this field; once its default is to be seen in what is stored, the new schema holds. */
const marker = { ...text, default: "new schema" };

async function storeAndChange(t: Target, change: Change): Promise<string> {
  const plural = `${change.kind.toLowerCase()}s`;
  await t.prepare("POST", t.custom(plural), kindOf(GROUP, change.kind)("a", { spec: change.stored }));
  const value = objectOf({ ...change.after, marker }, change.required ? { required: change.required } : {});
  const patch = [{ op: "replace", path: SPEC, value }];
  await t.prepare("PATCH", `${CRDS}/${plural}.${GROUP}`, patch, { contentType: JSON_PATCH });
  const path = t.custom(plural, "a");
  await t.until(async () => "marker" in specOf(await t.prepare("GET", path)), "the new schema is served");
  return path;
}

function specOf(body: JsonObject): JsonObject {
  return body.spec as JsonObject;
}

function caseOf(change: Change): Case {
  const { name, tries } = change;
  return {
    name,
    answers: tries?.map(([code]) => code) ?? [200, 200],
    async run(t) {
      const path = await storeAndChange(t, change);
      if (tries === undefined) {
        await t.request("GET", path);
        await t.request("GET", path.replace(/\/a$/, ""));
        return;
      }
      for (const [, spec] of tries) {
        const now = await t.prepare("GET", path);
        const next = { ...now, spec: { ...specOf(now), ...spec } };
        await t.request("PUT", `${path}?dryRun=All`, next, { show: specOf });
      }
    },
  };
}

const shortText = { ...text, maxLength: 10 };

const needsX = { "x-kubernetes-validations": [{ rule: "self.startsWith('x')", message: "needs an x" }] };

function keyedList(size: JsonObject): JsonObject {
  return {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: objectOf({ name: text, size }, { required: ["name"] }),
  };
}

const changes: readonly Change[] = [
  {
    name: "a new default is seen in what was stored before, though nothing was written",
    kind: "NewDefault",
    before: { a: text },
    stored: { a: "b" },
    after: { a: text, added: { type: "integer", default: 7 } },
  },
  {
    name: "a field that the schema no longer has is not seen any more",
    kind: "LostField",
    before: { a: text, old: text },
    stored: { a: "b", old: "c" },
    after: { a: text },
  },
  {
    name: "what was valid when stored may stay while other fields change, but may not change into something invalid",
    kind: "Tightened",
    before: { a: text, other: text },
    stored: { a: "too long" },
    after: { a: { ...text, maxLength: 3 }, other: text },
    tries: [
      [200, { other: "changed" }],
      [422, { a: "still too long" }],
      [200, { a: "ok" }],
    ],
  },
  {
    name: "rules let stay what was stored before they came, with a warning",
    kind: "NewRule",
    before: { a: shortText, other: text },
    stored: { a: "abc" },
    after: { a: { ...shortText, ...needsX }, other: text },
    tries: [
      [200, { other: "changed" }],
      [422, { a: "abd" }],
      [200, { a: "xyz" }],
    ],
  },
  {
    name: "items of a list with keys may stay as they were while others are added",
    kind: "KeyedItem",
    before: { list: keyedList({ type: "integer" }) },
    stored: { list: [{ name: "a", size: 1 }] },
    after: { list: keyedList({ type: "integer", minimum: 5 }) },
    tries: [
      [
        200,
        {
          list: [
            { name: "b", size: 9 },
            { name: "a", size: 1 },
          ],
        },
      ],
      [422, { list: [{ name: "a", size: 2 }] }],
    ],
  },
  {
    name: "items of a list without keys may stay only as a whole",
    kind: "PlainItem",
    before: { list: { type: "array", items: text }, other: text },
    stored: { list: ["too long"] },
    after: { list: { type: "array", items: { ...text, maxLength: 3 } }, other: text },
    tries: [
      [200, { other: "changed" }],
      [422, { list: ["too long", "ok"] }],
    ],
  },
  {
    name: "a field that became required must be given at the next change of its object",
    kind: "NewlyRequired",
    before: { a: text, b: text },
    stored: { a: "b" },
    after: { a: text, b: text },
    required: ["b"],
    tries: [
      [422, { a: "c" }],
      [200, { a: "c", b: "d" }],
    ],
  },
];

export const changedKinds: readonly JsonObject[] = changes.map((change) => kind(change.kind, objectOf(change.before)));

export const changedSchemas: readonly Case[] = changes.map(caseOf);
