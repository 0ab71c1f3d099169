// SPDX-License-Identifier: Apache-2.0
import { configMap, JSON_PATCH, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { apply, applyAt, gadget, widget } from "./kinds.ts";

/** Stores widget "a" without a word and gives it back. */
async function stored(t: Target, spec: JsonObject): Promise<JsonObject> {
  return t.prepare("POST", `${t.custom("widgets")}?fieldManager=creator`, widget("a", { spec }));
}

function withManagedFields(object: JsonObject, managedFields: unknown): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), managedFields } };
}

/** Managed fields of whatever is not applied. */
export const updates: readonly Case[] = [
  {
    name: "a create notes its fields under the program's name from the user agent",
    answers: [201, 201],
    async run(t) {
      await t.request(
        "POST",
        t.custom("widgets"),
        widget("a", { spec: { size: 1, tags: ["x"], ports: [{ port: 1 }] } }),
      );
      await t.request("POST", t.core("configmaps"), configMap("a", { color: "red" }, { labels: { a: "b" } }));
    },
  },
  {
    name: "fieldManager names the manager of creates, updates and patches",
    answers: [201, 200, 200, 200],
    async run(t) {
      const path = t.custom("widgets", "a");
      const { body } = await t.request(
        "POST",
        `${t.custom("widgets")}?fieldManager=one`,
        widget("a", { spec: { size: 1 } }),
      );
      await t.request("PUT", `${path}?fieldManager=two`, { ...body, spec: { size: 2 } });
      await t.request("PATCH", `${path}?fieldManager=three`, { spec: { color: "red" } }, { contentType: MERGE_PATCH });
      const operations = [{ op: "add", path: "/spec/tags", value: ["x"] }];
      await t.request("PATCH", `${path}?fieldManager=four`, operations, { contentType: JSON_PATCH });
    },
  },
  {
    name: "an object without managed fields gets none by updates, only by an apply",
    answers: [201, 200, 200],
    async run(t) {
      const { body } = await t.request("POST", t.custom("widgets"), widget("a"));
      await t.request("PUT", t.custom("widgets", "a"), { ...body, spec: { size: 1 } });
      await apply(t, "painter", { color: "red" });
    },
  },
  {
    name: "an update takes the fields that it changes, and leaves those that stay as they are",
    answers: [200],
    async run(t) {
      const first = await stored(t, { size: 1, color: "red", tags: ["x"] });
      const spec = { size: 2, color: "red", tags: ["x", "y"], shape: "round" };
      await t.request("PUT", `${t.custom("widgets", "a")}?fieldManager=updater`, { ...first, spec });
    },
  },
  {
    name: "an update that removes fields takes them from their managers",
    answers: [201, 200],
    async run(t) {
      const { body } = await apply(t, "painter", { size: 1, color: "red", ports: [{ port: 1 }, { port: 2 }] });
      const spec = { size: 1, ports: [{ port: 2, protocol: "TCP" }] };
      await t.request("PUT", `${t.custom("widgets", "a")}?fieldManager=updater`, { ...body, spec });
    },
  },
  {
    name: "a manager that applies and updates has an entry for each",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      const red = { spec: { color: "red" } };
      await t.request("PATCH", `${t.custom("widgets", "a")}?fieldManager=painter`, red, { contentType: MERGE_PATCH });
      await apply(t, "painter", { size: 2, color: "blue" }, { force: true });
    },
  },
  {
    name: "fields of status are noted under the subresource",
    answers: [200, 200, 200],
    async run(t) {
      const first = await stored(t, { size: 1 });
      const path = t.custom("widgets", "a/status");
      const conditions = [{ type: "Ready", status: "True" }];
      await t.request("PUT", `${path}?fieldManager=controller`, { ...first, status: { phase: "Done", conditions } });
      const applied = widget("a", { status: { conditions: [{ type: "Alive", status: "True" }] } });
      await applyAt(t, path, "doctor")(applied);
      await applyAt(t, path, "doctor")(widget("a"));
    },
  },
  {
    name: "status that is applied to the object itself is ignored, and spec that is applied to its status too",
    answers: [201, 200],
    async run(t) {
      const both = widget("a", { spec: { size: 1 }, status: { phase: "Done" } });
      await applyAt(t, t.custom("widgets", "a"), "painter")(both);
      await applyAt(t, t.custom("widgets", "a/status"), "doctor")({ ...both, spec: { size: 2 } });
    },
  },
  {
    name: "an apply to the status of what is not there is not found",
    answers: [404],
    async run(t) {
      await applyAt(t, t.custom("widgets", "a/status"), "doctor")(widget("a", { status: { phase: "Done" } }));
    },
  },
  {
    name: "replicas that are written at scale are noted under it, and applied ones are in conflict with it",
    answers: [201, 200, 200, 409],
    async run(t) {
      await apply(t, "painter", { replicas: 1 });
      const scale = await t.prepare("GET", t.custom("widgets", "a/scale"));
      const scaled = { ...scale, spec: { replicas: 3 } };
      await t.request("PUT", `${t.custom("widgets", "a/scale")}?fieldManager=scaler`, scaled);
      await t.request("GET", t.custom("widgets", "a"));
      await apply(t, "painter", { replicas: 1 });
    },
  },
  {
    name: "an update without managed fields keeps them",
    answers: [200, 200],
    async run(t) {
      const first = await stored(t, { size: 1 });
      const path = `${t.custom("widgets", "a")}?fieldManager=updater`;
      const { body } = await t.request("PUT", path, withManagedFields({ ...first, spec: { size: 2 } }, undefined));
      await t.request("PUT", path, withManagedFields({ ...body, spec: { size: 3 } }, []));
    },
  },
  {
    name: "an update with one empty entry forgets all managed fields",
    answers: [200, 200],
    async run(t) {
      const first = await stored(t, { size: 1 });
      const { body } = await t.request("PUT", t.custom("widgets", "a"), withManagedFields(first, [{}]));
      await t.request("PUT", t.custom("widgets", "a"), { ...body, spec: { size: 2 } });
    },
  },
  {
    name: "an update may take an entry away: those fields are nobody's then",
    answers: [201, 200, 200, 200],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      const { body } = await apply(t, "builder", { color: "red" });
      const { managedFields } = body.metadata as { managedFields: { manager: string }[] };
      const others = managedFields.filter(({ manager }) => manager !== "painter");
      await t.request("PUT", t.custom("widgets", "a"), withManagedFields(body, others));
      await apply(t, "builder", { color: "red", size: 2 });
    },
  },
  {
    name: "managed fields that make no sense are refused or left out",
    async run(t) {
      const first = await stored(t, { size: 1 });
      const entry = { manager: "x", operation: "Update", apiVersion: "apply.example.com/v1", fieldsType: "FieldsV1" };
      const put = (managed: JsonObject) =>
        t.request("PUT", t.custom("widgets", "a"), withManagedFields(first, [{ ...entry, ...managed }]));
      await put({ operation: "Guess", fieldsV1: {} });
      await put({ fieldsType: "FieldsV9", fieldsV1: {} });
      await put({ fieldsV1: { "what:is": {} } });
    },
  },
  {
    name: "an equal update by another manager changes nothing, managed fields neither",
    answers: [200, 200],
    async run(t) {
      const first = await stored(t, { size: 1 });
      await t.request("GET", t.custom("widgets", "a"));
      await t.request("PUT", `${t.custom("widgets", "a")}?fieldManager=updater`, first);
    },
  },
  {
    name: "more than ten updaters are not told apart: the oldest become ancient-changes",
    answers: [200],
    async run(t) {
      await stored(t, {});
      for (let index = 0; index < 13; index += 1) {
        const note = { spec: { notes: { [`note-${index}`]: "x" } } };
        const path = `${t.custom("widgets", "a")}?fieldManager=updater-${String(index).padStart(2, "0")}`;
        await t.prepare("PATCH", path, note, { contentType: MERGE_PATCH });
      }
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "fields are noted in the version that they were written in",
    answers: [201, 200, 409],
    async run(t) {
      const v2 = (spec: JsonObject) => ({ ...gadget("a", { spec }), apiVersion: "apply.example.com/v2" });
      const path = t.custom("gadgets", "a");
      await applyAt(t, path, "painter")(gadget("a", { spec: { size: 1 } }));
      await applyAt(t, path.replace("/v1/", "/v2/"), "builder")(v2({ color: "red" }));
      await applyAt(t, path.replace("/v1/", "/v2/"), "builder")(v2({ color: "red", size: 2 }));
    },
  },
  {
    name: "an apply by kubectl brings the annotation of its client-side apply up to date",
    answers: [200],
    async run(t) {
      const key = "kubectl.kubernetes.io/last-applied-configuration";
      const last = JSON.stringify(configMap("a", { color: "red" }));
      const path = `${t.core("configmaps")}?fieldManager=kubectl-client-side-apply`;
      await t.prepare("POST", path, configMap("a", { color: "red" }, { annotations: { [key]: last } }));
      const config = configMap("a", { color: "blue" });
      await applyAt(t, t.core("configmaps", "a"), "kubectl")(config, { force: true });
    },
  },
  {
    name: "an object that is being deleted can still be applied to",
    answers: [200],
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a", { metadata: { finalizers: ["example.com/wait"] } }));
      await t.prepare("DELETE", t.custom("widgets", "a"));
      await apply(t, "painter", { size: 1 });
    },
  },
];
