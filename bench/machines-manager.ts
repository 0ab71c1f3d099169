// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChild } from "./machines-child.ts";
import { openWire } from "./machines-wire.ts";

/** The manager as it is published, in a process of its own. */
export interface Manager {
  readonly pid: number;
  /** What is in use after everything that can be collected was: the heap, and what it holds outside of it. */
  memoryKb(): Promise<number>;
  stop(): Promise<void>;
}

interface ManagerPlace {
  readonly kubeconfig: string;
  /** For what it writes. */
  readonly folder: string;
}

/** Starts it, and waits until it leads. */
export async function startManager(launcher: string, { kubeconfig, folder }: ManagerPlace): Promise<Manager> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubeconfig, { mode: 0o600 });
  const wire = openWire(kubeconfig);
  const before = await holder(wire);
  const probe = join(import.meta.dirname, "machines-probe.cjs");
  const flags = process.env.BUTLER_BENCH_NODE_FLAGS?.split(" ") ?? [];
  const words = ["manager", "--kubeconfig", path, "--health-port", "0", "--log-level", "warn"];
  const child = startChild([...flags, "--expose-gc", "--require", probe, launcher, ...words]);
  for (let now = await holder(wire); now === "" || now === before; now = await holder(wire)) await delay(50);
  await wire.close();
  return { pid: child.pid, memoryKb: () => child.ask<number>("memory"), stop: () => child.stop() };
}

async function holder(wire: ReturnType<typeof openWire>): Promise<string> {
  const path = "/apis/coordination.k8s.io/v1/namespaces/butler-system/leases/butler-provider-harvester";
  const lease = await wire.send("GET", path).catch(() => undefined);
  return String(Object(lease?.spec).holderIdentity ?? "");
}
