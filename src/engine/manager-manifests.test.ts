// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import {
  type Client,
  configMap,
  createCaches,
  createClient,
  createLog,
  type HandlerRequest,
  type KubeObject,
  lease,
  type PolicyRule,
} from "../kube/index.ts";
import { requestInfo } from "../plane/request-info.ts";
import { managerManifests } from "./manager-manifests.ts";
import { createManagers } from "./managers.ts";
import { scriptedProvider } from "./testing/scripted-provider.ts";
import { fixedRandom, raiseStage, type Stage } from "./testing/stage.ts";

const USER = "system:serviceaccount:butler-system:butler-manager";

interface Manifest extends KubeObject {
  rules?: PolicyRule[];
}

function manifests(namespaces: "all" | readonly string[]): readonly Manifest[] {
  return managerManifests({
    providers: ["harvester"],
    namespaces,
    image: "butler:test",
    definitions: [],
  }) as Manifest[];
}

const plurals: Readonly<Record<string, string>> = {
  ServiceAccount: "serviceaccounts",
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};

/** Applies what a cluster needs, but for the Deployment and the namespace that is there already. */
async function install(stage: Stage, namespaces: "all" | readonly string[]): Promise<void> {
  for (const object of manifests(namespaces)) {
    const plural = plurals[object.kind];
    if (plural === undefined) continue;
    const base = object.apiVersion === "v1" ? "/api/v1" : `/apis/${object.apiVersion}`;
    const { namespace } = object.metadata;
    const folder = namespace === undefined ? base : `${base}/namespaces/${namespace}`;
    await stage.client.raw("POST", `${folder}/${plural}`, { body: object });
  }
}

/** A client with the manager's rights alone, and what it was used for. */
function managerClient(stage: Stage): { client: Client; used: Set<string>; refused: string[] } {
  const used = new Set<string>();
  const refused: string[] = [];
  const transport = async (request: HandlerRequest) => {
    const user = { name: USER, groups: ["system:serviceaccounts", "system:authenticated"] };
    const response = await stage.plane.handle({ ...request, user });
    const { verb, group, plural, subresource } = requestInfo(request.method, request.path);
    const what = `${verb} ${group}/${plural}${subresource === "" ? "" : `/${subresource}`}`;
    used.add(what);
    if (response.status === 403) refused.push(`${what} ${request.path}`);
    return response;
  };
  const client = createClient({ server: "http://plane" }, { transport, clock: stage.clock, random: fixedRandom(5) });
  return { client, used, refused };
}

test("with exactly the rights that are printed whole lives are lived, and every right is needed", async () => {
  const provider = scriptedProvider();
  const stage = await raiseStage([provider.entry]);
  try {
    await install(stage, ["butler-system"]);
    const { client, used, refused } = managerClient(stage);
    const { clock, entries, metrics } = stage;
    const log = createLog({ write: (line) => void stage.lines.push(line), clock });
    const end = new AbortController();
    const managers = createManagers({
      providers: ["harvester"],
      entries,
      client,
      clock,
      random: fixedRandom(9),
      log,
      metrics,
      identity: "one",
      leaderElect: true,
    });
    const ended = managers.run(end.signal);
    await stage.secret();
    await stage.config();
    await stage.request("lost", { providerRef: { name: "nowhere" } });
    for (const name of ["one", "kept"])
      await stage.request(name, { deletionPolicy: name === "one" ? "Delete" : "Retain" });
    for (const name of ["one", "kept"])
      await stage.until(name, async () => (await stage.requestNow(name))?.status?.phase === "Running");
    await stage.until("lost is told", async () => (await stage.requestNow("lost"))?.status?.conditions !== undefined);
    for (const name of ["one", "kept", "lost"])
      await stage.client.delete(machineRequest, { namespace: "butler-system", name });
    for (const name of ["one", "kept", "lost"])
      await stage.until(`${name} is gone`, async () => (await stage.requestNow(name)) === undefined);
    await stage.until("let go", async () => (await stage.configNow())?.metadata.finalizers === undefined);
    await stage.settle(60_000);
    assert.equal(provider.machines.size, 1);
    const released = await stage.client.get(configMap, { namespace: "butler-system", name: "butler-released" });
    assert.equal(Object.keys(released.data ?? {}).length, 1);
    assert.equal(
      (await stage.client.get(lease, { namespace: "butler-system", name: "butler-provider-harvester" })).spec
        ?.holderIdentity,
      "one",
    );
    end.abort(new Error("enough"));
    await ended;
    await client.close();
    assert.deepEqual(refused, []);
    const unused = granted(manifests(["butler-system"])).filter((each) => !used.has(each) && !RARE.has(each));
    assert.deepEqual(unused, []);
  } finally {
    await stage.stop();
  }
});

/** Needed only where something goes wrong: after a lost answer, a conflict, or an event of another manager. */
const RARE = new Set([
  "get butler.butlerlabs.dev/machinerequests",
  "get butler.butlerlabs.dev/providerconfigs",
  "get events.k8s.io/events",
  "patch events.k8s.io/events",
  "patch /configmaps",
]);

function granted(objects: readonly Manifest[]): readonly string[] {
  return objects.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
      ),
    ),
  );
}

test("no rule has a wildcard, and nothing but events, leases and ConfigMaps can be created, nothing deleted", () => {
  for (const namespaces of [["butler-system", "team-a"], "all"] as const) {
    const rights = granted(manifests(namespaces));
    assert.deepEqual(
      rights.filter((each) => /\*|delete|impersonate|escalate|bind/.test(each)),
      [],
    );
    const created = rights.filter((each) => each.startsWith("create"));
    assert.deepEqual([...new Set(created)].sort(), [
      "create /configmaps",
      "create coordination.k8s.io/leases",
      "create events.k8s.io/events",
    ]);
  }
});

test("Secrets can be read in butler-system alone, unless that is widened to some namespaces or all", () => {
  const where = (namespaces: "all" | readonly string[]) =>
    manifests(namespaces)
      .filter(({ rules = [] }) => rules.some(({ resources = [] }) => resources.includes("secrets")))
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "everywhere"}`);
  assert.deepEqual(where(["butler-system"]), ["Role butler-system"]);
  assert.deepEqual(where(["butler-system", "team-a"]), ["Role butler-system", "Role team-a"]);
  assert.deepEqual(where("all"), ["ClusterRole everywhere"]);
});

test("a Secret that may not be read is named, with how to allow it, and read once it is allowed", async () => {
  const provider = scriptedProvider();
  const stage = await raiseStage([provider.entry]);
  try {
    await install(stage, ["butler-system"]);
    const { client } = managerClient(stage);
    const { clock } = stage;
    stage.run("harvester", { client, caches: createCaches(client, { clock, random: fixedRandom(2) }) });
    const key = { namespace: "default", name: "prod" };
    await stage.secret({ kubeconfig: "x" }, { namespace: "default", name: "credentials" });
    await stage.config({}, key);
    const ready = async () => (await stage.configNow(key))?.status?.conditions?.find(({ type }) => type === "Ready");
    await stage.until("refused", async () => (await ready())?.reason === "SecretNotReadable");
    assert.match((await ready())?.message ?? "", /install what "butleradm manifests --namespaces default" prints/);
    for (const object of manifests(["default"]).filter(({ metadata }) => metadata.namespace === "default"))
      await stage.client.raw("POST", `/apis/${object.apiVersion}/namespaces/default/${plurals[object.kind]}`, {
        body: object,
      });
    await stage.until("ready", async () => (await ready())?.status === "True");
    await client.close();
  } finally {
    await stage.stop();
  }
});
