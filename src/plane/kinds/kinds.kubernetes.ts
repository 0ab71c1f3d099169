// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesTest, sharedServer, type TestServer } from "../../../test/kubernetes/harness.ts";
import { builtInTypes } from "./index.ts";
import { allCases, comparable, readAnswers, writeAnswers } from "./testing/goldens.ts";
import type { KindCase } from "./testing/kind-case.ts";
import { type Answer, askLocal } from "./testing/local-judge.ts";
import { localServer } from "./testing/local-server.ts";

const clock = { now: () => Date.now(), after: () => () => undefined };

test("built-in kinds answer as the real server does, accepted or refused", async (t) => {
  const server = await sharedServer(t);
  if (server === undefined) return;
  const local = await localServer(clock);
  t.after(() => local.stop());
  assert.ok(allCases.length >= 100, `${allCases.length} cases`);
  const answers: Record<string, unknown> = {};
  for (const kindCase of allCases) {
    await t.test(kindCase.name, async () => {
      const real = comparable(await askServer(server, kindCase));
      answers[kindCase.name] = real;
      assert.deepEqual(comparable(await askLocal(local, kindCase)), real);
    });
  }
  if (process.env.UPDATE_GOLDENS === "1") writeAnswers(answers);
  assert.deepEqual(readAnswers(), answers, "the answers in testing/answers.jsonl are no longer true");
});

const REVIEWS: readonly (readonly [string, object])[] = [
  ["selfsubjectaccessreviews", { spec: {} }],
  ["selfsubjectaccessreviews", { metadata: { name: "x" }, spec: { nonResourceAttributes: {} } }],
  ["selfsubjectaccessreviews", { spec: { resourceAttributes: {}, nonResourceAttributes: { path: "/", verb: "get" } } }],
  ["selfsubjectaccessreviews", { spec: { resourceAttributes: { fieldSelector: {}, labelSelector: {} } } }],
  [
    "selfsubjectaccessreviews",
    {
      spec: {
        resourceAttributes: { labelSelector: { rawSelector: "a", requirements: [{ key: "a b", operator: "In" }] } },
      },
    },
  ],
  ["subjectaccessreviews", { spec: {} }],
];

kubernetesTest("reviews are refused for what the real server refuses them", async (server) => {
  for (const [plural, object] of REVIEWS) {
    const { body } = await server.request("POST", `/apis/authorization.k8s.io/v1/${plural}?fieldManager=`, object);
    const type = builtInTypes().find((one) => one.plural === plural);
    const decoded = type?.resource.decode(object as never).object;
    const problems = type?.behaviour?.validate?.(decoded as never, undefined) ?? [];
    const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }));
    const real = (body as { details: { causes: { message: string }[] } }).details.causes;
    const withoutManagers = real.map((cause) => ({
      ...cause,
      message: cause.message.replace(/,"managedFields":.*(?=})/, ""),
    }));
    assert.deepEqual(causes, withoutManagers, JSON.stringify(object));
  }
});

function pathOf({ resource, namespace = "default" }: KindCase): string {
  const [plural = "", ...parts] = resource.split(".");
  const group = parts.join(".");
  const root = group === "" ? "/api/v1" : `/apis/${group}/v1`;
  const isCluster = [
    "namespaces",
    "clusterroles",
    "clusterrolebindings",
    "storageclasses",
    "customresourcedefinitions",
  ].includes(plural);
  return `${root}${isCluster ? "" : `/namespaces/${namespace}`}/${plural}`;
}

async function askServer(server: TestServer, kindCase: KindCase): Promise<Answer> {
  const path = pathOf(kindCase);
  const query = `?dryRun=All&fieldManager=judge&fieldValidation=${kindCase.strict === true ? "Strict" : "Warn"}`;
  if (kindCase.old === undefined) return answerOf(await server.request("POST", path + query, kindCase.object));
  const stored = await server.request("POST", `${path}?fieldManager=judge`, kindCase.old);
  assert.equal(stored.status, 201, JSON.stringify(stored.body));
  const one = `${path}/${Object(kindCase.old.metadata).name}`;
  let { metadata } = stored.body as { metadata: { resourceVersion: string } };
  if (kindCase.oldStatus !== undefined) {
    const body = { ...(stored.body as object), status: kindCase.oldStatus };
    ({ metadata } = (await server.request("PUT", `${one}/status`, body)).body as { metadata: typeof metadata });
  }
  const sub = kindCase.subresource === undefined ? "" : `/${kindCase.subresource}`;
  const { resourceVersion } = metadata;
  const body = { ...kindCase.object, metadata: { ...Object(kindCase.object.metadata), resourceVersion } };
  const answer = answerOf(await server.request("PUT", one + sub + query, body));
  await removeFrom(server, one);
  return answer;
}

/** Nobody else takes finalizers away on this server. */
async function removeFrom(server: TestServer, one: string): Promise<void> {
  await server.request("DELETE", one);
  await server.request(
    "PATCH",
    one,
    { metadata: { finalizers: null } },
    { contentType: "application/merge-patch+json" },
  );
  if (!one.startsWith("/api/v1/namespaces/one")) return;
  const { body } = await server.request("GET", one);
  await server.request("PUT", `${one}/finalize`, { ...Object(body), spec: { finalizers: [] } });
}

function answerOf({ status, body, warnings }: { status: number; body: unknown; warnings: readonly string[] }): Answer {
  if (status < 300) return { code: 200, object: body, warnings };
  const { message, details } = body as { message: string; details?: { causes?: unknown } };
  return { code: status, message, causes: details?.causes ?? [], warnings: [] };
}
