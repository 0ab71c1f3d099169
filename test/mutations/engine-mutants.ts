// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from "./mutant.ts";

const CREATE_VM = "infrastructure POST .*/virtualmachines$";
const DELETE_VM = "infrastructure DELETE .*/virtualmachines/";
const CREATE_TOKEN_MACHINE = "infrastructure POST /machines$";

/** Engines with a broken part. */
export const ENGINE_MUTANTS: readonly Mutant[] = [
  {
    name: "finalizer dropped early",
    breaks: "a request is let go of although the call that deletes its machine has failed",
    replacements: [
      {
        file: "src/engine/machine-steps.ts",
        from: `if (operation instanceof ProviderError) return { request, outcome: { is: "waiting" } };`,
        to: "if (operation instanceof ProviderError) return (await release(request, surveyed, bench)) as never;",
      },
    ],
    life: { at: DELETE_VM, fault: "500" },
    rule: "leftover",
  },
  {
    name: "deletion not awaited",
    breaks: "a request is let go of as soon as the call that deletes its machine is answered",
    replacements: [
      {
        file: "src/engine/machine-steps.ts",
        from: "record.lastDelete = { at: clock.monotonic(), state: have.state };",
        to: "return (await release(request, surveyed, bench)) as never;",
      },
    ],
    life: { undisturbed: true },
    rule: "duplicate",
  },
  {
    name: "no finalizer before the launch",
    breaks: "the request is not held when the create call is sent, only when it is seen to again",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),",
        to: "",
      },
    ],
    life: { at: CREATE_VM, deletes: "after" },
    rule: "leftover",
  },
  {
    name: "launch written down after the call",
    breaks: "nothing is written down before the create call, all of it afterwards",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "const launched = await writeIdentity(cleared, { bench, machineId, attempt: step.attempt, launch: next });",
        to: "let launched = cleared;",
      },
      {
        file: "src/engine/machine-launch.ts",
        from: "record.welcomed = text;",
        to: "record.welcomed = text; launched = await writeIdentity(cleared, { bench, machineId, attempt: step.attempt, launch: next });",
      },
    ],
    life: { at: CREATE_VM, fault: "kill-after", deletes: "after" },
    rule: "leftover",
  },
  {
    name: "absence believed too soon",
    breaks: "nothing found means that there is nothing, although a create call may still come late",
    replacements: [
      {
        file: "src/engine/situation.ts",
        from: "if (!isAnswered) return latestEffect(launch.time) + visibilityLagMs;",
        to: "if (!isAnswered) return launched;",
      },
    ],
    life: { at: CREATE_VM, fault: "late-cut", deletes: "before" },
    rule: "leftover",
  },
  {
    name: "attempt raised without proof",
    breaks: "a create call whose answer was lost is followed by one of the next attempt",
    replacements: [
      {
        file: "src/engine/decide.ts",
        from: `if (problems.length > 0) return tell({ is: "invalid", problems });
  return waitOut(situation) ?? { do: "launch", why: "again", attempt };`,
        to: `if (problems.length > 0) return tell({ is: "invalid", problems });
  return waitOut(situation) ?? { do: "launch", why: "again", attempt: attempt + 1 };`,
      },
    ],
    life: { on: "token cloud", at: CREATE_TOKEN_MACHINE, fault: "lose-answer" },
    rule: "duplicate",
  },
  {
    name: "token not stable",
    breaks: "the token differs from try to try",
    replacements: [
      {
        file: "src/engine/identity.ts",
        from: ".update(JSON.stringify([machineId, attempt, owner]))",
        to: ".update(JSON.stringify([machineId, attempt, owner, Math.random()]))",
      },
    ],
    life: { on: "token cloud", at: CREATE_TOKEN_MACHINE, fault: "lose-answer" },
    rule: "duplicate",
  },
  {
    name: "machine id not stable",
    breaks: "every try is made with a new machine id",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "const machineId = identity?.machineId ?? record.newId;",
        to: "const machineId = bench.newId();",
      },
    ],
    life: { on: "token cloud", at: CREATE_TOKEN_MACHINE, fault: "kill-after" },
    rule: "duplicate",
  },
  {
    name: "stale cache trusted",
    breaks: "a machine that is not in the batched picture is lost, without a direct look",
    replacements: [
      {
        file: "src/engine/decide.ts",
        from: "if (wasSeen || !hasTriedCreate) return lookFirst(situation) ?? LOOK;",
        to: `if (wasSeen) return tell({ is: "lost" });
    if (!hasTriedCreate) return lookFirst(situation) ?? LOOK;`,
      },
    ],
    life: { on: "token cloud", at: "kubernetes PUT .*/machinerequests/web-1/status", fault: "kill-after" },
    rule: "status",
  },
  {
    name: "own writes not waited for",
    breaks:
      "a request is seen to again before the cache has its last write, and nothing is bound to the version that was read",
    replacements: [
      {
        file: "src/kube/controller/own-writes.ts",
        from: "if (own === undefined) return true;",
        to: "if (own !== null) return true;",
      },
      {
        file: "src/engine/machine-launch.ts",
        from: "    resourceVersion,\n    ...(finalizers.includes",
        to: "    ...(finalizers.includes",
      },
      {
        file: "src/engine/machine-launch.ts",
        from: "record.newId ??= bench.newId();",
        to: "record.newId = bench.newId();",
      },
    ],
    life: { on: "token cloud", at: "kubernetes GET .*/machinerequests\\?watch", fault: "lag" },
    rule: "stuck",
  },
  {
    name: "dependents forgotten",
    breaks: "parts that are left where the machine itself is not count as nothing",
    replacements: [
      {
        file: "src/engine/decide.ts",
        from: `return look.by === "nothing" ? undefined : look.have;
}

function strangerIn`,
        to: `return look.by === "nothing" || look.have?.state === "remains" ? undefined : look.have;
}

function strangerIn`,
      },
    ],
    life: { on: "harvester with basic rights", undisturbed: true },
    rule: "leftover",
  },
  {
    name: "status written before the call",
    breaks: "the status says Creating before the create call is sent, and is believed afterwards",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "const launched = await writeIdentity(cleared, { bench, machineId, attempt: step.attempt, launch: next });",
        to: `const launched = await bench.writeStatus(
          await writeIdentity(cleared, { bench, machineId, attempt: step.attempt, launch: next }), { is: "created" });`,
      },
      {
        file: "src/engine/decide.ts",
        from: `if (situation.isExpected) return tell({ is: "unchanged" });`,
        to: `if (situation.isExpected || situation.phase === "Creating") return tell({ is: "unchanged" });`,
      },
    ],
    life: { at: CREATE_VM, fault: "kill-before" },
    rule: "stuck",
  },
  {
    name: "secret in a message",
    breaks: "the event that tells of a new machine shows its user data",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "was created`;",
        to: "was created for ` + JSON.stringify(request.spec);",
      },
    ],
    life: { undisturbed: true },
    rule: "leak",
  },
  {
    name: "Running too soon",
    breaks: "a machine is called Running before it has an address",
    replacements: [
      {
        file: "src/engine/seen-account.ts",
        from: `if (have.state === "running" && (have.addresses.length > 0 || hasRun)) {`,
        to: `if (have.state === "running") {`,
      },
    ],
    life: { undisturbed: true },
    rule: "status",
  },
  {
    name: "launch hash without the size",
    breaks: "a machine that was made before its request's size was edited is taken for the one that is asked for",
    replacements: [
      {
        file: "src/engine/machine-want.ts",
        from: ".update(JSON.stringify(sorted(parametersOf(request))))",
        to: ".update(JSON.stringify(sorted({ ...parametersOf(request), cpu: 0, memoryMb: 0 })))",
      },
    ],
    life: { scenario: "spec-edited-size", at: CREATE_VM },
    rule: "status",
  },
  {
    name: "secret in the log",
    breaks: "a call that failed is logged with the MachineRequests that there are",
    replacements: [
      {
        file: "src/engine/workbench.ts",
        from: "record.trouble = planRetry({ verb, error,",
        to: `bench.log.warn("a call failed", { machine, requests: JSON.stringify(bench.cache.list()) });
    record.trouble = planRetry({ verb, error,`,
      },
    ],
    life: { at: CREATE_VM, fault: "cut" },
    rule: "leak",
  },
];
