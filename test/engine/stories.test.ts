// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { findKubectl } from "../kubectl/find-kubectl.ts";
import { kubectlFor } from "../kubectl/kubectl.ts";
import { type Described, readDescribed } from "./described.ts";
import { type HarvesterLife, type LifeOptions, onHarvesterLife } from "./harvester-life.ts";

interface Telling extends HarvesterLife {
  /** What kubectl writes for `kubectl -n butler-system ...`. */
  kubectl(...args: readonly string[]): Promise<string>;
  describe(name: string): Promise<Described>;
}

const HOUR_MS = 3_600_000;

/** A test on a plane that real kubectl looks at; skipped with one line where there is none. */
function story(promise: string, play: (life: Telling) => Promise<void>, options: LifeOptions = {}): void {
  test(promise, async (t: TestContext) => {
    const found = await findKubectl();
    if ("missing" in found) {
      t.diagnostic(found.missing);
      return t.skip(found.missing);
    }
    // kubectl reckons ages by its own clock.
    const startMs = Date.now() - HOUR_MS;
    await onHarvesterLife(
      async (life) => {
        const { url, authority } = life.plane;
        const program = kubectlFor(found.path, { url, ca: authority.certificate, admin: authority.admin });
        const kubectl = async (...args: readonly string[]) => {
          const { exit, stdout, stderr } = await program.run([...args, "-n", "butler-system"]);
          assert.equal(exit, 0, stderr);
          return stdout;
        };
        try {
          const describe = async (name: string) => readDescribed(await kubectl("describe", "mr", name));
          await play({ ...life, kubectl, describe });
        } finally {
          program.close();
        }
      },
      { ...options, startMs, listens: true },
    );
  });
}

interface Expected {
  readonly phase: string;
  readonly reason: string;
  /** What is wrong, which, and what to do. */
  readonly says: readonly RegExp[];
  /** What happens next without anybody's doing. */
  readonly next: RegExp;
  readonly event: string;
}

/** Asserts that an operator who reads this knows what it waits for, since when, what happens next and what to do. */
function assertTold(told: Described, { phase, reason, says, next, event }: Expected): void {
  const { fields, conditions, events, text } = told;
  const [ready, progressing, degraded] = ["Ready", "Progressing", "Degraded"].map((type) => conditions.get(type));
  assert.equal(fields.get("Phase"), phase, text);
  assert.deepEqual([ready?.status, ready?.reason], ["False", reason], text);
  for (const each of says) assert.match(ready?.message ?? "", each);
  assert.ok(Number.isFinite(Date.parse(ready?.since ?? "")), "since when");
  assert.match(progressing?.message ?? "", next);
  assert.notEqual(
    progressing?.message,
    ready?.message,
    "no condition repeats another where it has something else to say",
  );
  if (degraded?.status === "True") assert.deepEqual([degraded.reason, degraded.message], [reason, ready?.message]);
  const about = events.filter((each) => each.startsWith(event));
  assert.equal(about.length, 1, `one event ${event}:\n${events.join("\n")}`);
  assertPlain(told);
}

/** Nothing that helps nobody: no stack, no placeholder, no fault of ours. */
function assertPlain({ conditions, events }: Described): void {
  const words = [...[...conditions.values()].map(({ message }) => message), ...events].join("\n");
  assert.doesNotMatch(words, /undefined|null|NaN|\[object|\bat .*\.ts|internal error|providerError|resourceVersion/i);
}

story("kubectl get mr shows name, machine, role, phase, address and age", async (life) => {
  await life.request("butler-mgmt-cp-0", { role: "control-plane" });
  await life.request("butler-mgmt-w-0");
  for (const name of ["butler-mgmt-cp-0", "butler-mgmt-w-0"]) await life.phase(name, "Running");
  await life.settle(30 * 60_000);
  const [head = "", ...rows] = (await life.kubectl("get", "mr")).trimEnd().split("\n");
  assert.deepEqual(head.split(/ {2,}/), ["NAME", "MACHINE", "ROLE", "PHASE", "IP", "AGE"]);
  assert.deepEqual(
    rows.map((row) =>
      row
        .replace(/127\.40\.0\.\d+/, "ADDRESS")
        .replace(/\d+m$/, "AGE")
        .split(/ {2,}/),
    ),
    [
      ["butler-mgmt-cp-0", "butler-mgmt-cp-0", "control-plane", "Running", "ADDRESS", "AGE"],
      ["butler-mgmt-w-0", "butler-mgmt-w-0", "worker", "Running", "ADDRESS", "AGE"],
    ],
  );
});

story("the story of a machine that runs: nothing is wrong, and two events tell how it came to be", async (life) => {
  await life.request("web-1");
  await life.phase("web-1", "Running");
  const told = await life.describe("web-1");
  assert.deepEqual(
    [...told.conditions].map(([type, { status, reason }]) => `${type}=${status} ${reason}`),
    ["Ready=True VMRunning", "Progressing=False VMRunning", "Degraded=False VMRunning"],
  );
  assert.deepEqual(
    told.events.slice(0, 2).map((event) => event.split(":")[0]),
    ["Normal VMCreated", "Normal VMRunning"],
  );
  assertPlain(told);
});

story(
  "the story of a machine that waits for an image: which, that it goes on by itself, and where to look",
  async (life) => {
    await life.sim.addImage("default/talos-v1.10", { import: "stalls" });
    await life.request("web-1", { image: "default/talos-v1.10" });
    await life.settle(5 * 60_000);
    assertTold(await life.describe("web-1"), {
      phase: "Pending",
      reason: "ImageImporting",
      says: [/machine "web-1"/, /image "default\/talos-v1\.10"/, /still importing/, /see the image on Harvester/],
      next: /every minute at the latest/,
      event: "Warning VMCreationFailed",
    });
    await life.sim.finishImport("default/talos-v1.10");
    await life.phase("web-1", "Running", 10);
    const after = await life.describe("web-1");
    assert.equal(after.conditions.get("Degraded")?.status, "False");
    assert.equal(after.fields.get("Kind"), "MachineRequest", "no error is left");
  },
);

story(
  "the story of a machine that waits for an address: what may be missing, how long it has, how to start over",
  async (life) => {
    life.sim.holdAddresses(true);
    await life.request("web-1");
    await life.settle(3 * 60_000);
    const waiting = await life.describe("web-1");
    assertTold(waiting, {
      phase: "Creating",
      reason: "WaitingForIP",
      says: [/"web-1" runs/, /not reported an address/, /DHCP/, /guest agent/],
      next: /Failed when it is not up 20m after its launch/,
      event: "Normal VMCreated",
    });
    assert.ok(waiting.fields.has("Mac Address"), "what to look for in the logs of DHCP");
    await life.settle(18 * 60_000);
    assertTold(await life.describe("web-1"), {
      phase: "Failed",
      reason: "CreationTimeout",
      says: [/Not up within 20m/, /DHCP/, /guest agent/],
      next: /stays and may still come up.*kubectl annotate mr -n butler-system web-1 butler\.butlerlabs\.dev\/retry=now/,
      event: "Warning VMCreationFailed",
    });
    life.sim.holdAddresses(false);
    await life.phase("web-1", "Running");
  },
);

story("an image without a guest agent is told apart from a network without addresses", async (life) => {
  await life.sim.addImage("default/bare", { hasGuestAgent: false });
  await life.settle(10 * 60_000);
  await life.request("web-1", { image: "default/bare" });
  await life.settle(3 * 60_000);
  const { conditions } = await life.describe("web-1");
  assert.match(conditions.get("Ready")?.message ?? "", /guest agent not connected/);
});

story(
  "the story of a machine that waits for a right: which one, where, and that the next try is planned",
  async (life) => {
    const grant = life.sim.inject({
      on: ({ method, path }) => method === "POST" && /\/virtualmachines/.test(path),
      effect: {
        type: "refuse",
        status: 403,
        message: 'virtualmachines.kubevirt.io is forbidden: User "butler" cannot',
      },
    });
    await life.request("web-1");
    await life.settle(10_000);
    const told = await life.describe("web-1");
    assertTold(told, {
      phase: "Pending",
      reason: "PermissionMissing",
      says: [
        /may not create virtualmachines\.kubevirt\.io in namespace "default"/,
        /grant that right on Harvester/,
        /403/,
      ],
      next: /as soon as the ProviderConfig or its Secret is changed, and every 5 minutes at the latest/,
      event: "Warning VMCreationFailed",
    });
    assert.ok(Date.parse(told.fields.get("Next Retry Time") ?? "") > life.clock.now(), told.text);
    grant();
    await life.phase("web-1", "Running", 10);
  },
);

story("the story of a machine that a quota on the number of machines keeps waiting", async (life) => {
  await life.sim.setQuota("default", { virtualMachines: 0 });
  await life.request("web-1");
  await life.settle(10_000);
  const told = await life.describe("web-1");
  assertTold(told, {
    phase: "Pending",
    reason: "QuotaExceeded",
    says: [
      /machine "web-1"/,
      /quota on Harvester is used up: raise it, or delete other machines/,
      /used: .*=0, limited: .*=0/,
    ],
    next: /every 10 minutes at the latest/,
    event: "Warning VMCreationFailed",
  });
  assert.ok(Date.parse(told.fields.get("Next Retry Time") ?? "") > life.clock.now(), told.text);
  await life.sim.setQuota("default");
  await life.phase("web-1", "Running", 15);
});

story("the story of a machine that Harvester switched off for want of quota, until there is some", async (life) => {
  await life.sim.setQuota("default", { cpu: 2 });
  await life.request("web-1", { cpu: 8 });
  await life.settle(60_000);
  const told = await life.describe("web-1");
  assertTold(told, {
    phase: "Creating",
    reason: "QuotaExceeded",
    says: [/machine "web-1"/, /resource quota .* is used up: raise it, or delete other machines/, /cpu/],
    next: /every 10 minutes at the latest/,
    event: "Warning VMCreationFailed",
  });
  assert.ok(told.fields.has("Next Retry Time"), told.text);
  await life.sim.setQuota("default");
  await life.phase("web-1", "Running", 12);
});

story("the story of a machine that was deleted behind our back: that, and how to have it made anew", async (life) => {
  await life.request("web-1");
  await life.phase("web-1", "Running");
  await life.settle(60_000);
  await life.sim.deleteObject("vm", "default/web-1");
  await life.phase("web-1", "Failed");
  // Its disks are still there, which changes nothing.
  await life.settle(10 * 60_000);
  const told = await life.describe("web-1");
  assertTold(told, {
    phase: "Failed",
    reason: "VMLost",
    says: [
      /"web-1" is gone/,
      /Butler did not delete it/,
      /kubectl annotate mr -n butler-system web-1 butler\.butlerlabs\.dev\/retry=now/,
    ],
    next: /Nothing is done by itself/,
    event: "Warning VMLost",
  });
  assert.equal(told.fields.has("Ip Address"), false, "nobody is at that address any more");
  await life.kubectl("annotate", "mr", "web-1", "butler.butlerlabs.dev/retry=now");
  await life.phase("web-1", "Running");
  assert.deepEqual(
    [life.sim.machines().length, (await life.describe("web-1")).fields.has("Failure Reason")],
    [1, false],
  );
});
