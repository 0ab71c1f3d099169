// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { findKubectl } from "../../test/kubectl/find-kubectl.ts";
import { kubernetesTest, type TestServer } from "../../test/kubernetes/harness.ts";
import { kubeconfigText } from "../../test/kubernetes/kubeconfig.ts";
import { systemClock } from "../kube/index.ts";
import { harvesterSimulator } from "../providers/harvester/simulator.ts";
import { run } from "./run.ts";
import { type FakeIo, fakeIo } from "./testing/fake-io.ts";

/** Waits for what happens on a real network and in real time. */
async function until(what: string, { io, ended, seen }: Watching, holds: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  let end = "";
  ended.then(
    (exit) => {
      end = `; the manager has ended with ${exit}`;
    },
    (error: unknown) => {
      end = `; the manager has ended: ${error}`;
    },
  );
  for (let tries = 0; tries < 300 && end === ""; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const log = io.complaints.split("\n").slice(-40).join("\n");
  assert.fail(`${what}: not within ${seconds} s${end}\n${await seen()}\nthe manager's last words:\n${log}`);
}

interface Watching {
  readonly io: FakeIo;
  readonly ended: Promise<number>;
  /** Everything that tells how far it got. */
  readonly seen: () => Promise<string>;
}

/** Real kubectl as the administrator; undefined where there is none. */
async function operator(server: TestServer, folder: string, t: TestContext) {
  const found = await findKubectl();
  if ("missing" in found) {
    t.skip(found.missing);
    return undefined;
  }
  const { url, ca, adminCertificate: certificate, adminKey: key } = server;
  const kubeconfig = join(folder, "admin.yaml");
  await writeFile(kubeconfig, kubeconfigText({ url, ca, certificate, key }));
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
  const kubectl = async (...words: string[]) => (await promisify(execFile)(found.path, words, { env })).stdout;
  const apply = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return await kubectl("apply", "--server-side", "-f", join(folder, name));
  };
  return { kubectl, apply };
}

function tokenKubeconfig({ url, ca }: TestServer, token: string): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "own", cluster }],
    users: [{ name: "own", user: { token } }],
    contexts: [{ name: "own", context: { cluster: "own", user: "own" } }],
    "current-context": "own",
  });
}

const machine = (name: string) => ({
  apiVersion: "butler.butlerlabs.dev/v1alpha1",
  kind: "MachineRequest",
  metadata: { name, namespace: "butler-system" },
  spec: { providerRef: { name: "prod" }, machineName: name, role: "worker", cpu: 2, memoryMB: 2048, diskGB: 20 },
});

kubernetesTest(
  "on a real API server, installed by real kubectl, with exactly the rights of butleradm manifests: whole lives, and nothing is left",
  async (server, t) => {
    const folder = await mkdtemp(join(tmpdir(), "butler-manager-"));
    const simulator = await harvesterSimulator.start({
      clock: systemClock,
      random: Math.random,
      listens: true,
      pace: 0.05,
    });
    const told = Promise.withResolvers<void>();
    let ended: Promise<number> | undefined;
    try {
      const admin = await operator(server, folder, t);
      if (admin === undefined) return;
      const { kubectl, apply } = admin;
      const printed = fakeIo();
      assert.equal(await run("butleradm", ["manifests"], printed), 0);
      await apply("manifests.yaml", printed.output);
      const token = (await kubectl("create", "token", "-n", "butler-system", "butler-manager")).trim();
      await writeFile(join(folder, "manager.yaml"), tokenKubeconfig(server, token));
      const io = fakeIo({ directory: folder, home: folder });
      io.untilTold = () => told.promise;
      ended = run("butleradm", ["manager", "--kubeconfig", "manager.yaml", "--health-port", "0"], io);
      const { settings, secret } = simulator;
      await apply(
        "provider.json",
        JSON.stringify({
          apiVersion: "v1",
          kind: "List",
          items: [
            {
              apiVersion: "v1",
              kind: "Secret",
              metadata: { name: "credentials", namespace: "butler-system" },
              stringData: secret,
            },
            {
              apiVersion: "butler.butlerlabs.dev/v1alpha1",
              kind: "ProviderConfig",
              metadata: { name: "prod", namespace: "butler-system" },
              spec: { provider: "harvester", credentialsRef: { name: "credentials" }, harvester: settings },
            },
            ...["one", "two", "three"].map(machine),
          ],
        }),
      );
      const phases = () => kubectl("get", "mr", "-n", "butler-system", "-o", "jsonpath={.items[*].status.phase}");
      const seen = async () =>
        [
          await kubectl("get", "mr,providerconfigs,leases,events", "-n", "butler-system"),
          await kubectl("get", "mr,providerconfigs", "-n", "butler-system", "-o", "jsonpath={.items[*].status}"),
          `on Harvester: ${JSON.stringify(simulator.machines())}`,
        ].join("\n");
      const watching = { io, ended, seen };
      await until("running", watching, async () => (await phases()) === "Running Running Running");
      const table = await kubectl("get", "mr", "-n", "butler-system");
      assert.match(table, /^NAME +MACHINE +ROLE +PHASE +IP +AGE\n/);
      const reasons = () => kubectl("get", "events", "-n", "butler-system", "-o", "jsonpath={.items[*].reason}");
      await until("told", watching, async () => {
        const all = await reasons();
        return all.includes("VMCreated") && all.includes("VMRunning") && all.includes("ProviderReady");
      });
      await kubectl("delete", "mr", "--all", "-n", "butler-system", "--timeout=60s");
      await kubectl("delete", "providerconfig", "prod", "-n", "butler-system", "--timeout=60s");
      await kubectl("delete", "secret", "credentials", "-n", "butler-system", "--timeout=60s");
      assert.deepEqual(simulator.leftovers(), []);
      told.resolve();
      assert.equal(await ended, 0);
      // A right that is missing shows in the log, whatever came of it.
      const bad = io.complaints.split("\n").filter((line) => /"status":403|reconcile failed/.test(line));
      assert.deepEqual(bad, []);
    } finally {
      told.resolve();
      await ended;
      await simulator.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
