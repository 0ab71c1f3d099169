// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startApiServer } from "./api-server.ts";
import { findAssets } from "./assets.ts";
import { createNamespace, installCrds, kubernetesTest, sharedServer, tryCreate } from "./harness.ts";
import { createClient } from "./request.ts";

const WIDGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.butlerlabs.dev" },
  spec: {
    group: "test.butlerlabs.dev",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["color"],
                properties: {
                  size: { type: "integer", minimum: 1, default: 3 },
                  color: { type: "string", enum: ["red", "blue"] },
                },
                "x-kubernetes-validations": [{ rule: "self.color != 'red' || self.size < 5", message: "red is small" }],
              },
            },
          },
        },
      },
    ],
  },
};

function widget(spec: Record<string, unknown>, metadata: Record<string, string> = {}) {
  return { apiVersion: "test.butlerlabs.dev/v1", kind: "Widget", metadata: { name: "one", ...metadata }, spec };
}

kubernetesTest("the server is ready and says which version it is", async (server) => {
  assert.equal((await server.request("GET", "/readyz")).body, "ok");
  const { body } = await server.request("GET", "/version");
  assert.match(String((body as { gitVersion?: string }).gitVersion), /^v1\.\d+\.\d+$/);
});

kubernetesTest("permissions are checked: nobody and strangers are refused, the admin is not", async (server) => {
  const anonymous = createClient({ url: server.url, ca: server.ca });
  const stranger = createClient({ url: server.url, ca: server.ca, ...(await server.issueClient("eve", ["eves"])) });
  try {
    assert.equal((await anonymous.request("GET", "/api/v1/secrets")).status, 403);
    const refused = await stranger.request("GET", "/api/v1/secrets");
    assert.equal(refused.status, 403);
    assert.match(String((refused.body as { message?: string }).message), /User "eve" cannot list resource "secrets"/);
    assert.equal((await server.request("GET", "/api/v1/secrets")).status, 200);
  } finally {
    await anonymous.close();
    await stranger.close();
  }
});

kubernetesTest(
  "a CRD is installed without a word, serves, defaults, and gives the causes of a refusal",
  async (server) => {
    assert.deepEqual(await installCrds(server, [WIDGETS]), [{ name: WIDGETS.metadata.name, warnings: [] }]);

    const good = await tryCreate(server, WIDGETS, widget({ color: "blue" }));
    assert.equal(good.status, 201);
    assert.deepEqual((good.object as { spec: unknown }).spec, { color: "blue", size: 3 });

    const bad = await tryCreate(server, WIDGETS, widget({ color: "green", size: 0 }));
    assert.equal(bad.status, 422);
    assert.deepEqual(
      bad.causes.find(({ field }) => field === "spec.size"),
      {
        field: "spec.size",
        reason: "FieldValueInvalid",
        message: "Invalid value: 0: spec.size in body should be greater than or equal to 1",
      },
    );
    assert.deepEqual(
      bad.causes.map(({ field, reason }) => `${field} ${reason}`).toSorted(),
      // The last says that CEL rules were left out.
      ["<nil> FieldValueInvalid", "spec.color FieldValueNotSupported", "spec.size FieldValueInvalid"],
    );

    const broken = await tryCreate(server, WIDGETS, widget({ color: "red", size: 9 }));
    assert.deepEqual(
      broken.causes.map(({ field, message }) => [field, message]),
      [["spec", "Invalid value: red is small"]],
    );
  },
);

kubernetesTest("unknown fields are warned about, and refuse the object when strict", async (server) => {
  const object = widget({ color: "blue", colour: 1, "a,b": { c: [] } });
  const lenient = await tryCreate(server, WIDGETS, object);
  assert.equal(lenient.accepted, true);
  assert.deepEqual(lenient.unknownFields.toSorted(), ["spec.a,b", "spec.colour"]);

  const strict = await tryCreate(server, WIDGETS, object, { strict: true });
  assert.equal(strict.status, 400);
  assert.deepEqual(strict.unknownFields.toSorted(), ["spec.a,b", "spec.colour"]);

  const both = await tryCreate(server, WIDGETS, widget({ color: "green", colour: 1 }));
  assert.deepEqual(both.unknownFields, ["spec.colour"], "a lenient refusal tells the unknown fields too");
  assert.equal(both.causes[0]?.field, "spec.color");
});

kubernetesTest("a dry run stores nothing, a real create does, in its own namespace", async (server) => {
  const path = "/apis/test.butlerlabs.dev/v1/namespaces/workshop/widgets/one";
  await createNamespace(server, "workshop");
  await createNamespace(server, "workshop");
  await tryCreate(server, WIDGETS, widget({ color: "blue" }, { namespace: "workshop" }));
  assert.equal((await server.request("GET", path)).status, 404);
  await tryCreate(server, WIDGETS, widget({ color: "blue" }, { namespace: "workshop" }), { dryRun: false });
  assert.equal((await server.request("GET", path)).status, 200);
  const patched = await server.request(
    "PATCH",
    path,
    { spec: { size: 7 } },
    { contentType: "application/merge-patch+json" },
  );
  assert.equal(patched.status, 200);
});

kubernetesTest("a refused CRD is an error that says why", async (server) => {
  const version = { name: "v1", served: true, storage: true };
  const crd = { ...WIDGETS, spec: { ...WIDGETS.spec, versions: [version] } };
  await assert.rejects(
    installCrds(server, [crd]),
    /create CRD "widgets\.test\.butlerlabs\.dev": .*openAPIV3Schema: Required value/,
  );
});

kubernetesTest("controllers are started on demand, once, and give a namespace its service account", async (server) => {
  await Promise.all([server.startControllers(), server.startControllers()]);
  await createNamespace(server, "controlled");
  const path = "/api/v1/namespaces/controlled/serviceaccounts/default";
  const deadline = performance.now() + 20_000;
  while ((await server.request("GET", path)).status !== 200) {
    assert.ok(performance.now() < deadline, "no service account after 20 s");
    await delay(20);
  }
});

test("stop leaves no process and no folder, and may be repeated", async (t) => {
  if ((await sharedServer(t)) === undefined) return;
  const server = await startApiServer({ assets: await assetsFolder() });
  assert.equal(statSync(server.kubeconfig).mode & 0o777, 0o600);
  await server.stop();
  await server.stop();
  assert.deepEqual(Object.values(server.pids).filter(isRunning), []);
  assert.equal(existsSync(server.folder), false);
});

test("a server whose starter is killed dies with it, and its folder goes", async (t) => {
  if ((await sharedServer(t)) === undefined) return;
  const script = `
    import { startApiServer } from ${JSON.stringify(join(import.meta.dirname, "api-server.ts"))};
    const { pids, folder } = await startApiServer({ assets: ${JSON.stringify(await assetsFolder())} });
    console.log(JSON.stringify({ pids: Object.values(pids), folder }));
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(starter.stdout, "data");
  const { pids, folder } = JSON.parse(String(line)) as { pids: number[]; folder: string };
  assert.deepEqual(pids.filter(isRunning), pids);
  starter.kill("SIGKILL");
  await until(() => !pids.some(isRunning) && !existsSync(folder));
});

test("a server that cannot start shows the end of its log, and leaves no folder", async (t) => {
  if ((await sharedServer(t)) === undefined) return;
  const start = startApiServer({ assets: await assetsFolder(), flags: ["--no-such-flag"] });
  await assert.rejects(
    start,
    /kube-apiserver ended before it was ready \(exit code 1\); its log ends:\n.*no-such-flag/s,
  );
});

async function assetsFolder(): Promise<string> {
  const assets = await findAssets();
  if ("missing" in assets) throw new Error(assets.missing);
  return assets.folder;
}

/** A process that has ended but that nobody has asked about yet still has its id; it does not count. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    assert.ok(performance.now() < deadline, "still not so after 20 s");
    await delay(20);
  }
}
