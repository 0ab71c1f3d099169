// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from "node:test";
import { type ManualClock, manualClock } from "../../../../kube/index.ts";
import type { KubeObject } from "../../../../plane/types.ts";
import { type HarvesterOptions, type HarvesterSimulation, harvesterSimulator } from "../../simulator.ts";
import { strangerMachine } from "../machines.ts";
import { listAt, textAt } from "../read.ts";

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A simulated Harvester, and plain requests to it. */
export interface Stage {
  readonly harvester: HarvesterSimulation;
  readonly clock: ManualClock;
  /** Sends a request as the administrator, or with the token of a kubeconfig. */
  send(method: string, path: string, body?: unknown, kubeconfig?: string): Promise<Answer>;
  get(path: string): Promise<KubeObject | undefined>;
  /** Goes on by so much time and lets everything happen that does not wait any longer. */
  pass(ms: number): Promise<void>;
  /** Goes on until it is so; throws where it never is. */
  until(isSo: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
}

export const VMS = "/apis/kubevirt.io/v1/namespaces/default/virtualmachines";
export const VMIS = "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances";
export const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
export const SECRETS = "/api/v1/namespaces/default/secrets";
export const IMAGES = "/apis/harvesterhci.io/v1beta1/namespaces/default/virtualmachineimages";
export const EVENTS = "/api/v1/namespaces/default/events";

/** Numbers that look random and are the same for the same seed. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts one for a test; it ends with the test. */
export async function stage(test: TestContext, options: Partial<HarvesterOptions> = {}): Promise<Stage> {
  const clock = manualClock();
  const harvester = await harvesterSimulator.start({ clock, random: numbers(1), listens: false, ...options });
  test.after(() => harvester.stop());
  const send = sender(harvester);
  const pass = (ms: number) => letPass(harvester, clock, ms);
  return {
    harvester,
    clock,
    send,
    pass,
    async get(path) {
      const { status, body } = await send("GET", path);
      return status === 200 ? { ...body, apiVersion: "", kind: "", metadata: {}, ...body } : undefined;
    },
    async until(isSo, withinMs = 120_000) {
      await harvester.settled();
      for (let passed = 0; !(await isSo()); passed += 50) {
        if (passed > withinMs) throw new Error(`it was not so within ${withinMs} ms`);
        await pass(50);
      }
    },
  };
}

/** Goes from wait to wait: what one of them sets going is over before the clock goes on. */
export async function letPass(harvester: HarvesterSimulation, clock: ManualClock, ms: number): Promise<void> {
  await harvester.settled();
  const end = clock.monotonic() + ms;
  while (clock.monotonic() < end) {
    await clock.advance(Math.min(end - clock.monotonic(), clock.nextInMs ?? ms));
    await harvester.settled();
  }
}

function sender(harvester: HarvesterSimulation): Stage["send"] {
  const admin = tokenOf(harvester.adminKubeconfig);
  return async (method, path, body, kubeconfig) => {
    const answer = await harvester.transport({
      method,
      path,
      headers: {
        authorization: `Bearer ${kubeconfig === undefined ? admin : tokenOf(kubeconfig)}`,
        "user-agent": "test/1",
        ...(body === undefined
          ? {}
          : { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" }),
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      signal: new AbortController().signal,
    });
    if (typeof answer.body !== "string") throw new Error("this is a stream");
    const read = JSON.parse(answer.body);
    return { status: answer.status, body: read, message: textAt(read, "message") };
  };
}

/** The token in a kubeconfig. */
export function tokenOf(kubeconfig: string): string {
  return /token: (\S+)/.exec(kubeconfig)?.[1] ?? "";
}

/** A machine as a person would make one. */
export function machine(name: string, options: MachineOptions = {}): KubeObject {
  const plain = strangerMachine(name, {
    storageClass: options.storageClass ?? "longhorn-image-5rs6d",
    imageId: options.imageId ?? "default/image-5rs6d",
    network: options.network ?? "default/vlan40-workloads",
  });
  return options.change?.(structuredClone(plain)) ?? plain;
}

interface MachineOptions {
  readonly storageClass?: string;
  readonly imageId?: string;
  readonly network?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests bend objects in every way
  readonly change?: (vm: any) => KubeObject;
}

/** The condition of a type as `status reason`. */
export function condition(object: unknown, type: string): string {
  const found = listAt(object, "status", "conditions").find((one) => textAt(one, "type") === type);
  return found === undefined ? "" : `${textAt(found, "status")} ${textAt(found, "reason")}`.trim();
}
