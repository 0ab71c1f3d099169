// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, type TestContext, test } from "node:test";
import { parseYaml } from "../../src/lib/yaml.ts";
import { type Plane, type PlaneOptions, startPlane } from "../../src/plane/plane.ts";
import { forbidden } from "../../src/plane/status-error.ts";
import { type Client, createClient } from "../kubernetes/request.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

function configMap(name: string, data: Record<string, string> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

function clientOf(plane: Plane): Client {
  const { certificate, key } = plane.authority.admin;
  return createClient({ url: plane.url, ca: plane.authority.certificate, certificate, key });
}

async function open(context: TestContext, options: PlaneOptions = { memory: true }) {
  const plane = await startPlane(options);
  const client = clientOf(plane);
  context.after(async () => {
    await client.close();
    await plane.stop();
  });
  return { plane, client };
}

function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "butler-plane-"));
  after(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "plane");
}

describe("a plane over HTTPS", () => {
  test("serves create, get, list, update, patch and delete", async (context) => {
    const { client } = await open(context);
    assert.equal((await client.request("POST", MAPS, configMap("a", { x: "1" }))).status, 201);
    assert.equal((await client.request("PUT", `${MAPS}/a`, configMap("a", { x: "2" }))).status, 200);
    const contentType = "application/merge-patch+json";
    await client.request("PATCH", `${MAPS}/a`, { data: { y: "3" } }, { contentType });
    assert.deepEqual(Object((await client.request("GET", `${MAPS}/a`)).body).data, { x: "2", y: "3" });
    assert.equal(Object((await client.request("GET", MAPS)).body).items.length, 1);
    assert.equal((await client.request("DELETE", `${MAPS}/a`)).status, 200);
    assert.equal((await client.request("GET", `${MAPS}/a`)).status, 404);
  });

  test("lets nobody do anything who does not say who he is, but ask for its health", async (context) => {
    const { plane } = await open(context);
    const stranger = createClient({ url: plane.url, ca: plane.authority.certificate });
    context.after(() => stranger.close());
    assert.equal((await stranger.request("GET", "/livez")).status, 200);
    // The real server also tells its version; who asks for that here has to say who he is.
    assert.equal((await stranger.request("GET", "/version")).status, 403);
    assert.equal((await stranger.request("GET", MAPS)).status, 403);
    assert.equal((await stranger.request("GET", "/api")).status, 403);
  });

  test("refuses bodies beyond 3 MiB and stays usable", async (context) => {
    const { client } = await open(context);
    const { status, body } = await client.request("POST", MAPS, configMap("a", { x: "x".repeat(3 * 1024 * 1024) }));
    assert.deepEqual([status, Object(body).reason], [413, "RequestEntityTooLarge"]);
    assert.equal((await client.request("POST", MAPS, configMap("a"))).status, 201);
  });

  test("ends watches when it stops, and stopping twice is stopping once", async () => {
    const plane = await startPlane({ memory: true });
    const client = clientOf(plane);
    const watch = client.request("GET", `${MAPS}?watch=true`);
    await client.request("POST", MAPS, configMap("a"));
    await Promise.all([plane.stop(), plane.stop()]);
    assert.equal((await watch).status, 200);
    await client.close();
  });

  test("a kubeconfig names the server and carries the administrator's certificate", async (context) => {
    const { plane } = await open(context);
    const config = Object(parseYaml(plane.kubeconfig)[0]?.value);
    assert.equal(config.clusters[0].cluster.server, plane.url);
    assert.ok(config.users[0].user["client-certificate-data"].length > 100);
  });
});

describe("a plane with a folder", () => {
  test("comes back with all its objects, versions and keys", async () => {
    const dir = temporaryFolder();
    const first = await startPlane({ dir });
    const client = clientOf(first);
    await client.request("POST", MAPS, configMap("a", { x: "1" }));
    const { body } = await client.request("POST", MAPS, configMap("b"));
    await client.request("DELETE", `${MAPS}/b`);
    const ca = first.authority.certificate;
    await first.settled();
    const state = first.dump();
    await client.close();
    await first.stop();

    const second = await startPlane({ dir });
    const again = clientOf(second);
    assert.equal(second.authority.certificate, ca);
    assert.deepEqual(second.dump(), state);
    const { body: next } = await again.request("POST", MAPS, configMap("c"));
    assert.ok(Number(Object(next).metadata.resourceVersion) > Number(Object(body).metadata.resourceVersion) + 1);
    assert.equal(statSync(second.kubeconfigPath ?? "").mode & 0o777, 0o600);
    await again.close();
    await second.stop();
  });

  test("serves custom resources again, by their definition of before", async () => {
    const dir = temporaryFolder();
    const first = await startPlane({ dir, listen: false });
    const type = first.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions") ?? assert.fail();
    const spec = { type: "object", properties: { color: { type: "string", default: "red" } } };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    await first.objects.createObject(type, "", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await first.settled();
    await first.stop();
    const second = await startPlane({ dir, listen: false });
    const widgets = second.registry.find("example.com", "v1", "widgets") ?? assert.fail();
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: {} };
    const { object } = await second.objects.createObject(widgets, "", widget);
    assert.deepEqual(object.spec, { color: "red" });
    await second.stop();
  });

  test("is not shared with a second plane", async () => {
    const dir = temporaryFolder();
    const plane = await startPlane({ dir, listen: false });
    await assert.rejects(startPlane({ dir, listen: false }), /plane\.db/);
    await plane.stop();
    await (await startPlane({ dir, listen: false })).stop();
  });
});

describe("what a plane is given", () => {
  test("admission sees every write, and may change or refuse it", async (context) => {
    const { client } = await open(context, {
      memory: true,
      controllers: false,
      admission: [
        ({ operation, type, object }) => {
          if (type.plural !== "configmaps" || object === undefined) return undefined;
          if (object.metadata.name === "bad") throw forbidden(type, "bad", "we do not like it");
          const data = { ...Object(object.data), seen: operation };
          return { object: { ...object, data }, warnings: ["it was looked at"] };
        },
      ],
    });
    const { body, warnings } = await client.request("POST", MAPS, configMap("a"));
    assert.deepEqual([Object(body).data, warnings], [{ seen: "CREATE" }, ["it was looked at"]]);
    const refused = await client.request("POST", MAPS, configMap("bad"));
    assert.deepEqual(
      [refused.status, Object(refused.body).message],
      [403, 'configmaps "bad" is forbidden: we do not like it'],
    );
  });

  test("an interceptor sees every request first, and may answer it", async (context) => {
    const { client } = await open(context, {
      memory: true,
      intercept: async (request, next) => {
        if (!request.path.startsWith("/api/v1/namespaces/default/secrets")) return next(request);
        return { status: 503, headers: { "content-type": "text/plain" }, body: "not now" };
      },
    });
    assert.equal((await client.request("GET", "/api/v1/namespaces/default/secrets")).body, "not now");
    assert.equal((await client.request("GET", MAPS)).status, 200);
  });

  test("time and chance are those it is given: the same requests lead to the same state", async () => {
    const run = async () => {
      let next = 1;
      const random = () => {
        next = (next * 48_271) % 2_147_483_647;
        return next / 2_147_483_647;
      };
      const clock = { now: () => Date.UTC(2030, 0, 1), after: () => () => {} };
      const plane = await startPlane({ memory: true, listen: false, clock, random });
      const type = plane.registry.find("", "v1", "configmaps") ?? assert.fail();
      await plane.objects.createObject(type, "default", { ...configMap(""), metadata: { generateName: "a-" } });
      await plane.settled();
      const state = plane.dump();
      await plane.stop();
      return state;
    };
    assert.deepEqual(await run(), await run());
  });

  test("a fault of its own is told to the operator and not to the client", async (context) => {
    const faults: unknown[] = [];
    const { client } = await open(context, {
      memory: true,
      controllers: false,
      onFault: (error) => faults.push(error),
      admission: [
        () => {
          throw new Error("secret words");
        },
      ],
    });
    const { status, body } = await client.request("POST", MAPS, configMap("a"));
    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(body), /secret words/);
    assert.equal(faults.length, 1);
  });
});

test("a plane in memory is ready in milliseconds", async (t) => {
  await (await startPlane({ memory: true })).stop();
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    const plane = await startPlane({ memory: true });
    times.push(performance.now() - start);
    await plane.stop();
  }
  const [best = 0] = times.toSorted((one, other) => one - other);
  t.diagnostic(`ready within ${best.toFixed(1)} ms`);
  assert.ok(best < 500, `${best} ms`);
});

test("bodies that wait in memory are bounded, whoever sends them", async (context) => {
  const { plane, client } = await open(context, { memory: true, limits: { bodyBytes: 100_000 } });
  const stranger = createClient({ url: plane.url, ca: plane.authority.certificate });
  context.after(() => stranger.close());
  const { status, body } = await stranger.request("POST", MAPS, configMap("a", { text: "x".repeat(200_000) }));
  assert.deepEqual([status, Object(body).reason], [429, "TooManyRequests"]);
  assert.equal((await client.request("POST", MAPS, configMap("a", { text: "x".repeat(50_000) }))).status, 201);
  assert.equal((await client.request("POST", MAPS, configMap("b", { text: "x".repeat(50_000) }))).status, 201);
});
