// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { defineProvider } from "../define-provider.ts";
import type { CheckReport, ConnectInput, MachineHave, Provider } from "../provider.ts";
import type { ProviderEntry } from "../provider-entry.ts";

/** A provider whose answers a test writes down. Its infrastructure is a list of machines. */
export interface ScriptedProvider {
  readonly entry: ProviderEntry;
  readonly provider: Provider;
  /** The secrets that connections were opened with, in order. */
  readonly opened: Readonly<Record<string, string>>[];
  closed: number;
  checks: number;
  /** What is there. */
  readonly machines: Map<string, MachineHave>;
  /** What a check finds; may throw. */
  check: () => Promise<CheckReport> | CheckReport;
  /** Awaited before a machine is made at this place; may throw, or never end. */
  beforeCreate: (place: string) => Promise<void> | void;
  /** Called when a connection is opened; may throw. */
  onConnect: (input: Pick<ConnectInput<unknown>, "secret" | "secretKey">) => void;
}

/** A check that finds nothing to complain about. */
export const fineReport: CheckReport = {
  findings: [
    { condition: "CredentialsValid", result: "fine", reason: "LoggedIn", message: "logged in", isBlocking: true },
    {
      condition: "ImageAvailable",
      result: "unverified",
      reason: "NotReadable",
      message: "not known",
      isBlocking: true,
    },
  ],
  providerVersion: "v1.0",
};

/** Makes one that finds everything fine. */
export function scriptedProvider(name = "harvester"): ScriptedProvider {
  const block = {
    name,
    title: name,
    networking: "pools",
    settings: z.object({ namespace: z.string().default("default"), networkName: z.string().optional() }),
    overrides: z.object({}),
    secretKeys: [{ required: { kubeconfig: "A kubeconfig." } }],
  } as const;
  const provider = defineProvider({
    block,
    async connect({ settings, secret, secretKey }) {
      scripted.onConnect({ secret, ...(secretKey === undefined ? {} : { secretKey }) });
      scripted.opened.push(secret);
      return {
        place: `${name} ${settings.namespace}`,
        async close() {
          scripted.closed += 1;
        },
        machines: {
          validate: () => [],
          async check(call) {
            scripted.checks += 1;
            return await call.outside("check everything", async () => scripted.check());
          },
          list: async () => [...scripted.machines.values()],
          async find({ mark }) {
            const have = scripted.machines.get(mark.machineId);
            return have === undefined ? {} : { have };
          },
          async create({ name: machineName, mark, labels }) {
            await scripted.beforeCreate(settings.namespace);
            const known = scripted.machines.get(mark.machineId);
            const have: MachineHave = known ?? {
              name: machineName,
              mark,
              labels,
              providerId: `id-${machineName}`,
              state: "running",
              addresses: ["127.0.0.9"],
            };
            scripted.machines.set(mark.machineId, have);
            return { have };
          },
          async delete({ mark }) {
            scripted.machines.delete(mark.machineId);
            return undefined;
          },
        },
      };
    },
  });
  const scripted: ScriptedProvider = {
    entry: { ...block, load: async () => ({ provider }) },
    provider,
    opened: [],
    closed: 0,
    checks: 0,
    machines: new Map(),
    check: () => fineReport,
    onConnect: () => {},
    beforeCreate: () => {},
  };
  return scripted;
}
