// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  configMap,
  customResourceDefinition,
  event,
  lease,
  namespace as namespaceKind,
  secret,
  selfSubjectAccessReview,
  serviceAccount,
} from "../../core.ts";
import { isAlreadyExists, isBadRequest, isConflict, isForbidden, isInvalid, isNotFound } from "../../errors.ts";
import type { KindDescriptor, KubeObject } from "../../types.ts";
import { createClient } from "../client.ts";
import type { ClusterConfig } from "../cluster-config.ts";
import type { Client } from "../types.ts";

/** Where a behaviour is tried: any API server, reached as its administrator. */
export interface Target {
  readonly config: ClusterConfig;
}

/** A promise of the client that every API server must see kept. */
export interface Behaviour {
  readonly promise: string;
  run(target: Target): Promise<void>;
}

interface Stage {
  readonly client: Client;
  readonly namespace: string;
  readonly config: ClusterConfig;
}

/** Runs on a fresh namespace of its own. */
function behaviour(promise: string, run: (stage: Stage) => Promise<void>): Behaviour {
  return {
    promise,
    async run({ config }) {
      const client = createClient(config);
      try {
        const { metadata } = await client.create(namespaceKind, { metadata: { generateName: "client-" } });
        await run({ client, namespace: metadata.name ?? "", config });
      } finally {
        await client.close();
      }
    },
  };
}

interface Widget extends KubeObject {
  spec?: { size?: number };
  status?: { phase?: string };
}

const widget: KindDescriptor<Widget> = {
  group: "client.butler.test",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

async function installWidgets(client: Client): Promise<void> {
  const properties = { spec: { type: "object", properties: { size: { type: "integer", minimum: 1 } } } };
  const status = { type: "object", properties: { phase: { type: "string" } } };
  const draft = {
    metadata: { name: "widgets.client.butler.test" },
    spec: {
      group: widget.group,
      scope: widget.scope,
      names: { kind: widget.kind, plural: widget.plural, singular: "widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { ...properties, status } } },
          subresources: { status: {} },
        },
      ],
    },
  };
  const isEstablished = (crd: { status?: { conditions?: { type: string; status: string }[] } }) =>
    crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  const { resourceVersion } = (
    await client.apply(customResourceDefinition, draft, { fieldManager: "test", force: true })
  ).metadata;
  if (isEstablished(await client.get(customResourceDefinition, draft.metadata))) return;
  const options = { fieldSelector: `metadata.name=${draft.metadata.name}`, resourceVersion: resourceVersion ?? "" };
  for await (const each of client.watch(customResourceDefinition, options))
    if (each.type !== "BOOKMARK" && isEstablished(each.object)) return;
}

/** All that holds on every API server. */
export const clientBehaviours: readonly Behaviour[] = [
  behaviour("an object is created, read, replaced, patched and deleted", async ({ client, namespace }) => {
    const key = { namespace, name: "one" };
    const made = await client.create(configMap, { metadata: key, data: { a: "1" } });
    assert.equal(made.kind, "ConfigMap");
    assert.deepEqual(await client.get(configMap, key), made);
    const replaced = await client.update(configMap, { ...made, data: { a: "2", b: "3" } });
    assert.notEqual(replaced.metadata.resourceVersion, made.metadata.resourceVersion);
    const merged = await client.mergePatch(configMap, key, { data: { b: null, c: "4" } });
    assert.deepEqual(merged.data, { a: "2", c: "4" });
    const patched = await client.jsonPatch(configMap, key, [
      { op: "test", path: "/data/a", value: "2" },
      { op: "replace", path: "/data/a", value: "5" },
    ]);
    assert.deepEqual(patched.data, { a: "5", c: "4" });
    await client.delete(configMap, key);
    await assert.rejects(client.get(configMap, key), isNotFound);
    await assert.rejects(client.delete(configMap, key), isNotFound);
  }),

  behaviour("refusals are told apart", async ({ client, namespace }) => {
    const key = { namespace, name: "one" };
    const made = await client.create(configMap, { metadata: key });
    await assert.rejects(client.create(configMap, { metadata: key }), isAlreadyExists);
    await client.update(configMap, { ...made, data: { a: "1" } });
    await assert.rejects(client.update(configMap, { ...made, data: { a: "2" } }), isConflict);
    await assert.rejects(client.create(configMap, { metadata: { namespace, name: "Not A Name" } }), (error) => {
      assert.ok(isInvalid(error));
      assert.deepEqual(
        error.causes.map(({ field }) => field),
        ["metadata.name"],
      );
      assert.match(error.message, /^create configmaps ".*": ConfigMap "Not A Name" is invalid/);
      return true;
    });
    const missing = { namespace: `${namespace}-missing`, name: "x" };
    await assert.rejects(client.create(configMap, { metadata: missing }), isNotFound);
    await assert.rejects(client.raw("GET", "/apis/nowhere.example/v1/things"), isNotFound);
  }),

  behaviour("apply creates, changes only what it owns, and takes over only by force", async ({ client, namespace }) => {
    const draft = { metadata: { namespace, name: "one" }, data: { a: "1" } };
    const made = await client.apply(configMap, draft, { fieldManager: "first" });
    const same = await client.apply(configMap, draft, { fieldManager: "first" });
    assert.equal(same.metadata.resourceVersion, made.metadata.resourceVersion);
    const other = { ...draft, data: { a: "2", b: "1" } };
    await assert.rejects(client.apply(configMap, other, { fieldManager: "second" }), (error) => {
      assert.ok(isConflict(error));
      assert.deepEqual(
        error.causes.map(({ field }) => field),
        [".data.a"],
      );
      return true;
    });
    const taken = await client.apply(configMap, other, { fieldManager: "second", force: true });
    assert.deepEqual(taken.data, { a: "2", b: "1" });
    const left = await client.apply(configMap, { metadata: draft.metadata }, { fieldManager: "second" });
    assert.equal(left.data, undefined);
  }),

  behaviour("the status is written apart from the rest", async ({ client, namespace }) => {
    await installWidgets(client);
    const key = { namespace, name: "one" };
    const made = await client.create(widget, { metadata: key, spec: { size: 1 }, status: { phase: "ignored" } });
    assert.equal(made.status, undefined);
    const status = { subresource: "status" };
    const updated = await client.update(widget, { ...made, spec: { size: 9 }, status: { phase: "A" } }, status);
    assert.deepEqual([updated.spec, updated.status, updated.metadata.generation], [{ size: 1 }, { phase: "A" }, 1]);
    assert.deepEqual((await client.mergePatch(widget, key, { status: { phase: "B" } }, status)).status, { phase: "B" });
    const steps = [{ op: "replace", path: "/status/phase", value: "C" }] as const;
    assert.deepEqual((await client.jsonPatch(widget, key, steps, status)).status, { phase: "C" });
    const draft = { metadata: key, status: { phase: "D" } };
    const applied = await client.apply(widget, draft, { ...status, fieldManager: "m", force: true });
    assert.deepEqual([applied.spec, applied.status], [{ size: 1 }, { phase: "D" }]);
    await assert.rejects(client.mergePatch(widget, key, { spec: { size: 0 } }), isInvalid);
  }),

  behaviour("a list comes whole however small its pages, and as selected", async ({ client, namespace }) => {
    const names = Array.from({ length: 25 }, (_, at) => `item-${String(at).padStart(2, "0")}`);
    await Promise.all(
      names.map((name, at) =>
        client.create(configMap, { metadata: { namespace, name, labels: { parity: at % 2 === 0 ? "even" : "odd" } } }),
      ),
    );
    const labelSelector = "parity in (even,odd)";
    const { items, resourceVersion } = await client.list(configMap, { namespace, labelSelector, limit: 10 });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      names,
    );
    assert.ok(items.every(({ kind, apiVersion }) => kind === "ConfigMap" && apiVersion === "v1"));
    assert.notEqual(resourceVersion, "");
    const sizes: number[] = [];
    for await (const page of client.pages(configMap, { namespace, labelSelector, limit: 10 }))
      sizes.push(page.items.length);
    assert.deepEqual(sizes, [10, 10, 5]);
    assert.equal((await client.list(configMap, { namespace, labelSelector: "parity=odd" })).items.length, 12);
    const fieldSelector = "metadata.name=item-03";
    assert.equal((await client.list(configMap, { namespace, fieldSelector })).items.length, 1);
    assert.ok((await client.list(configMap, { labelSelector, resourceVersion: "0" })).items.length >= 25);
  }),

  behaviour("a watch goes on from a list and sees every change in order", async ({ client, namespace }) => {
    const key = { namespace, name: "one" };
    const { resourceVersion } = await client.list(configMap, { namespace });
    const made = await client.create(configMap, { metadata: key, data: { step: "1" } });
    await client.mergePatch(configMap, key, { data: { step: "2" } });
    await client.delete(configMap, key);
    const seen: string[] = [];
    for await (const each of client.watch(configMap, { namespace, resourceVersion, timeoutSeconds: 60 })) {
      if (each.type === "BOOKMARK" || each.object.metadata.name !== "one") continue;
      assert.equal(each.object.metadata.uid, made.metadata.uid);
      seen.push(`${each.type} ${each.object.data?.step}`);
      if (each.type === "DELETED") break;
    }
    assert.deepEqual(seen, ["ADDED 1", "MODIFIED 2", "DELETED 2"]);
  }),

  behaviour("a watch can send what is there first, and says when that is done", async ({ client, namespace }) => {
    for (const name of ["a", "b"]) await client.create(secret, { metadata: { namespace, name } });
    const seen: (string | undefined)[] = [];
    for await (const each of client.watch(secret, { namespace, sendInitialEvents: true })) {
      if (each.type !== "BOOKMARK") seen.push(each.object.metadata.name);
      else if (each.endsInitialEvents) {
        assert.notEqual(each.resourceVersion, "");
        break;
      }
    }
    assert.deepEqual(seen.sort(), ["a", "b"]);
  }),

  behaviour("a watch ends when its time is over", async ({ client, namespace }) => {
    for await (const each of client.watch(configMap, { namespace, resourceVersion: "0", timeoutSeconds: 1 }))
      assert.ok(each.type === "ADDED" || each.type === "BOOKMARK");
  }),

  behaviour(
    "a delete is bound to the object it was meant for, and finalizers keep it",
    async ({ client, namespace }) => {
      const key = { namespace, name: "one" };
      const made = await client.create(configMap, { metadata: { ...key, finalizers: ["client.butler.test/hold"] } });
      await assert.rejects(client.delete(configMap, key, { preconditions: { uid: "another" } }), isConflict);
      const { uid = "" } = made.metadata;
      const kept = await client.delete(configMap, key, { preconditions: { uid }, propagationPolicy: "Background" });
      assert.ok(kept?.metadata.deletionTimestamp);
      await client.mergePatch(configMap, key, { metadata: { finalizers: null } });
      await assert.rejects(client.get(configMap, key), isNotFound);
    },
  ),

  behaviour(
    "a dry run keeps nothing, and unknown fields are refused where that is asked for",
    async ({ client, namespace }) => {
      const key = { namespace, name: "one" };
      await client.create(configMap, { metadata: key }, { dryRun: true });
      await assert.rejects(client.get(configMap, key), isNotFound);
      const odd = { metadata: key, unknown: 1 };
      await assert.rejects(client.create(configMap, odd, { fieldValidation: "Strict" }), isBadRequest);
      await client.create(configMap, odd, { fieldValidation: "Ignore" });
      await client.delete(configMap, key, { dryRun: true });
      await client.get(configMap, key);
    },
  ),

  behaviour("leases, events and access reviews have the shapes that are declared", async ({ client, namespace }) => {
    const renewTime = "2026-01-01T00:00:00.123456Z";
    const spec = {
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      renewTime,
      acquireTime: renewTime,
      leaseTransitions: 0,
    };
    const held = await client.create(lease, { metadata: { namespace, name: "one" }, spec });
    assert.deepEqual(held.spec, spec);
    const noted = await client.create(event, {
      metadata: { namespace, generateName: "one-" },
      eventTime: renewTime,
      reportingController: "butler.test/client",
      reportingInstance: "client-0",
      action: "Test",
      reason: "Tested",
      type: "Normal",
      regarding: { apiVersion: "v1", kind: "ConfigMap", namespace, name: "one" },
      note: "as declared",
    });
    assert.equal(noted.note, "as declared");
    const resourceAttributes = { namespace, verb: "create", resource: "secrets" };
    const review = await client.create(selfSubjectAccessReview, { metadata: {}, spec: { resourceAttributes } });
    assert.equal(review.status?.allowed, true);
  }),

  behaviour("whoever acts as somebody without rights is refused", async ({ config, namespace }) => {
    const impersonate = { user: "nobody", groups: ["strangers"] };
    const client = createClient({ ...config, credentials: { ...config.credentials, impersonate } });
    try {
      await assert.rejects(client.list(secret, { namespace }), (error) => {
        assert.ok(isForbidden(error));
        assert.match(error.message, /User "nobody" cannot list resource "secrets"/);
        return true;
      });
    } finally {
      await client.close();
    }
  }),

  behaviour("a service account's token in a file says who calls", async ({ client, config, namespace }) => {
    await client.create(serviceAccount, { metadata: { namespace, name: "robot" } });
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };
    const answer = (await client.raw("POST", path, { body })).body as { status: { token: string } };
    const folder = mkdtempSync(join(tmpdir(), "token-"));
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, `${answer.status.token}\n`, { mode: 0o600 });
    const { certificate: _certificate, key: _key, ...rest } = config.credentials ?? {};
    const robot = createClient({ ...config, credentials: { ...rest, tokenFile } });
    try {
      await assert.rejects(robot.list(secret, { namespace }), (error) => {
        assert.ok(isForbidden(error));
        assert.match(error.message, new RegExp(`User "system:serviceaccount:${namespace}:robot" cannot list`));
        return true;
      });
    } finally {
      rmSync(folder, { recursive: true });
      await robot.close();
    }
  }),

  behaviour("raw requests reach what is no resource", async ({ client }) => {
    const { status, body } = await client.raw("GET", "/readyz", { accept: "text/plain" });
    assert.deepEqual([status, body], [200, "ok"]);
    const version = await client.raw("GET", "/version");
    assert.equal(typeof version.body, "object");
  }),
];
