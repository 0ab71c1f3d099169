// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { Call } from "../../../src/engine/call.ts";
import { defineProvider } from "../../../src/engine/define-provider.ts";
import type { MachineHave, Machines, Mark } from "../../../src/engine/provider.ts";
import type { ProviderEntry } from "../../../src/engine/provider-entry.ts";
import { ProviderError } from "../../../src/engine/provider-error.ts";
import type { HandlerTransport } from "../../../src/kube/index.ts";
import { type CloudMachine, type CloudWish, LAG_MS } from "./wire.ts";

const block = {
  name: "tokens",
  title: "Token cloud",
  networking: "cloud",
  settings: z.object({}),
  overrides: z.object({}),
  secretKeys: [{ required: { key: "The key." } }],
} as const;

/** The provider of a cloud whose machines may share a name, and which tells repeats of a call apart by their token alone. */
const provider = defineProvider({
  block,
  visibilityLagMs: LAG_MS,
  async connect({ transport, installation, secret: { key = "" } }) {
    if (transport === undefined) throw new Error("the token cloud is in this process only");
    return { place: "token cloud", machines: machinesOf({ transport, installation, key }), async close() {} };
  },
});

/** As the list of providers would have it. */
export const tokenEntry: ProviderEntry = { ...block, load: async () => ({ provider }) };

interface Login {
  readonly transport: HandlerTransport;
  readonly installation: string;
  readonly key: string;
}

function machinesOf(login: Login): Machines {
  const listed = async (call: Call): Promise<readonly MachineHave[]> => {
    const all: readonly CloudMachine[] = JSON.parse(
      (await send(login, call, { method: "GET", path: "/machines" })) || "[]",
    );
    return all
      .flatMap((machine) => haveOf(machine) ?? [])
      .filter(({ mark }) => mark.installation === login.installation);
  };
  return {
    validate: () => [],
    async check(call) {
      await listed(call);
      return { findings: [] };
    },
    list: listed,
    async find({ mark }, call) {
      const have = (await listed(call)).find((each) => isSame(each.mark, mark));
      return have === undefined ? {} : { have };
    },
    async create({ existing, token, name, mark, labels, cpu, memoryMb }, call) {
      if (existing !== undefined) {
        const answer = await send(login, call, { method: "PUT", path: `/machines/${existing}/labels`, body: labels });
        return answer === "" ? {} : created(answer);
      }
      const wish: CloudWish = { token, name, mark, labels, cpu, memoryMb };
      return created(await send(login, call, { method: "POST", path: "/machines", body: wish }));
    },
    async delete({ providerId }, call) {
      await send(login, call, { method: "DELETE", path: `/machines/${providerId}` });
      return undefined;
    },
  };
}

function created(answer: string) {
  const have = haveOf(JSON.parse(answer));
  return have === undefined ? {} : { have };
}

function isSame(one: Mark, other: Mark): boolean {
  return one.machineId === other.machineId && one.owner === other.owner && one.installation === other.installation;
}

function haveOf({ id, name, mark, labels, state, addresses }: CloudMachine): MachineHave | undefined {
  return mark === undefined ? undefined : { name, mark, providerId: id, state, addresses, labels };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The answer as text; empty where there is no such thing. */
function send({ transport, key }: Login, call: Call, { method, path, body }: Sent): Promise<string> {
  return call.outside(`${method} machine`, async () => {
    const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
    const headers = { authorization: `Bearer ${key}` };
    const answer = await transport({ method, path, headers, body: bytes, signal: call.signal }).catch(
      (error: unknown) => {
        throw new ProviderError({
          kind: "unavailable",
          reason: "ConnectionFailed",
          message: `${method}: broke`,
          cause: error,
        });
      },
    );
    if (answer.status === 404) return "";
    if (answer.status >= 400) throw refusal(answer.status, answer.headers);
    return typeof answer.body === "string" ? answer.body : "";
  });
}

function refusal(status: number, headers: Readonly<Record<string, unknown>>): ProviderError {
  const message = `the cloud answers ${status}`;
  const seconds = Number(headers["retry-after"]);
  if (status === 429)
    return new ProviderError({
      kind: "throttled",
      reason: "TooManyRequests",
      message,
      ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
    });
  if (status >= 500) return new ProviderError({ kind: "unavailable", reason: "ServerError", message });
  return new ProviderError({ kind: status === 401 ? "denied" : "invalid", reason: "Refused", message });
}
