// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { provider as harvester } from "../../providers/harvester/index.ts";
import { harvesterSimulator } from "../../providers/harvester/simulator.ts";
import type { Call } from "../call.ts";
import type { ConnectInput, Machines, MachineWant, Provider } from "../provider.ts";
import { ProviderError, type ProviderErrorParts } from "../provider-error.ts";
import { machineRules, playRule } from "./machine-contract.ts";

/** One way in which a provider's author may go wrong, and the rules that must notice. */
interface Mistake {
  readonly rules: readonly string[];
  readonly what: string;
  readonly make: (machines: Machines, input: ConnectInput<unknown>) => Partial<Machines>;
}

function withMistake({ make }: Mistake): Provider {
  return {
    ...harvester,
    async connect(input) {
      const connection = await harvester.connect(input);
      const { machines } = connection;
      return { ...connection, machines: { ...machines, ...make(machines, input) } };
    },
  };
}

/** The same verbs with every error changed. */
function withErrors(machines: Machines, change: (error: ProviderError) => ProviderErrorParts): Partial<Machines> {
  const changed = <T>(promise: Promise<T>): Promise<T> =>
    promise.catch((error: unknown) => {
      throw error instanceof ProviderError ? new ProviderError({ ...change(error) }) : error;
    });
  return {
    find: (want, call) => changed(machines.find(want, call)),
    list: (call) => changed(machines.list(call)),
    create: (want, call) => changed(machines.create(want, call)),
    delete: (have, call) => changed(machines.delete(have, call)),
  };
}

const parts = ({ kind, reason, message, code, requestId, retryAfterMs, mayHaveActed }: ProviderError) => {
  return { kind, reason, message, code, requestId, retryAfterMs, mayHaveActed };
};

let serial = 0;

const MISTAKES: readonly Mistake[] = [
  {
    rules: ["M1"],
    what: "find always finds something",
    make: (machines) => ({
      find: async (want, call) => ({ have: { ...imagined(want) }, ...(await machines.find(want, call)) }),
    }),
  },
  {
    rules: ["M2"],
    what: "create makes up a name each time",
    make: (machines) => ({
      create: (want, call) => {
        serial += 1;
        return machines.create({ ...want, name: `${want.name}-${serial}` }, call);
      },
    }),
  },
  {
    rules: ["M2"],
    what: "create takes what is there already for an error",
    make: (machines) => ({
      async create(want, call) {
        const { have } = await machines.find(want, call);
        if (have !== undefined) throw new ProviderError({ kind: "invalid", reason: "Exists", message: "exists" });
        return machines.create(want, call);
      },
    }),
  },
  {
    rules: ["M3"],
    what: "find takes a stranger's machine for its own",
    make: (machines) => ({
      async find(want, call) {
        const found = await machines.find(want, call);
        return found.stranger === undefined ? found : { have: imagined(want) };
      },
    }),
  },
  {
    rules: ["M3"],
    what: "create succeeds on a stranger's machine",
    make: (machines) => ({
      create: (want, call) =>
        machines.create(want, call).catch((error: unknown) => {
          if (error instanceof ProviderError && error.kind === "invalid") return {};
          throw error;
        }),
    }),
  },
  {
    rules: ["M4"],
    what: "delete of nothing is an error",
    make: (machines) => ({
      async delete(have, call) {
        if ((await machines.list(call)).length === 0)
          throw new ProviderError({ kind: "invalid", reason: "NotFound", message: "nothing there" });
        return machines.delete(have, call);
      },
    }),
  },
  {
    rules: ["M5"],
    what: "find does not see disks without a machine",
    make: (machines) => ({
      async find(want, call) {
        const found = await machines.find(want, call);
        return found.have?.state === "remains" ? {} : found;
      },
    }),
  },
  {
    rules: ["M6"],
    what: "find makes what it does not find",
    make: (machines) => ({
      async find(want, call) {
        const found = await machines.find(want, call);
        if (found.have === undefined && found.stranger === undefined) await machines.create(want, call);
        return found;
      },
    }),
  },
  {
    rules: ["M6"],
    what: "list sends requests past the audit",
    make: (machines) => ({ list: (call) => machines.list({ ...call, outside: (_verb, send) => send() }) }),
  },
  {
    rules: ["M7"],
    what: "create changes what it was given",
    make: (machines) => ({
      create: (want, call) => machines.create(Object.assign(want, { token: "used" }), call),
    }),
  },
  {
    rules: ["M8"],
    what: "errors quote the credentials",
    make: (machines, { secret }) =>
      withErrors(machines, (error) => ({ ...parts(error), message: `${error.message}: ${Object.values(secret)[0]}` })),
  },
  {
    rules: ["M8"],
    what: "bad credentials count as a passing error",
    make: (machines) =>
      withErrors(machines, (error) =>
        error.kind === "denied" ? { ...parts(error), kind: "unavailable" } : parts(error),
      ),
  },
  {
    rules: ["M9"],
    what: "a quota counts as a passing error",
    make: (machines) => ({
      ...withErrors(machines, (error) => ({
        ...parts(error),
        kind: error.kind === "exhausted" ? "unavailable" : error.kind,
      })),
      async find(want, call) {
        const { have, stranger } = await machines.find(want, call);
        const blurred =
          have?.trouble === undefined ? have : { ...have, trouble: { ...have.trouble, kind: "unavailable" as const } };
        return { ...(blurred === undefined ? {} : { have: blurred }), ...(stranger === undefined ? {} : { stranger }) };
      },
    }),
  },
  {
    rules: ["M10"],
    what: "429 counts as any other passing error",
    make: (machines) =>
      withErrors(machines, (error) =>
        error.kind === "throttled" ? { ...parts(error), kind: "unavailable" } : parts(error),
      ),
  },
  {
    rules: ["M10"],
    what: "server errors count as final",
    make: (machines) =>
      withErrors(machines, (error) =>
        error.kind === "unavailable" ? { ...parts(error), kind: "invalid" } : parts(error),
      ),
  },
  {
    rules: ["M11"],
    what: "find does not heed the signal",
    make: (machines) => ({ find: (want, call) => machines.find(want, deaf(call)) }),
  },
  {
    rules: ["M12"],
    what: "list knows one page only",
    make: (machines) => ({ list: async (call) => (await machines.list(call)).slice(0, 2) }),
  },
  {
    rules: ["M13"],
    what: "errors lose the request's id",
    make: (machines) => withErrors(machines, (error) => ({ ...parts(error), requestId: undefined })),
  },
  {
    rules: ["M13"],
    what: "errors do not name the machine",
    make: (machines) => withErrors(machines, (error) => ({ ...parts(error), message: `failed (${error.code})` })),
  },
];

function imagined({ name, mark, labels }: MachineWant) {
  return { name, mark, labels, providerId: "imagined", state: "running", addresses: ["127.0.0.1"] } as const;
}

function deaf(call: Call): Call {
  return { signal: new AbortController().signal, outside: (verb, send) => call.outside(verb, send) };
}

for (const mistake of MISTAKES)
  test(`${mistake.rules.join(", ")} catches a provider where ${mistake.what}`, async () => {
    const contestants = { provider: withMistake(mistake), simulator: harvesterSimulator, overSockets: false };
    for (const number of mistake.rules) {
      const sides = machineRules.filter((rule) => rule.number === number);
      const outcomes = await Promise.allSettled(sides.map((rule) => playRule(rule, contestants)));
      assert.ok(
        outcomes.some(({ status }) => status === "rejected"),
        `${number} did not notice`,
      );
    }
  });

test("every rule M1 to M13 is there, and some mistake is caught by each", () => {
  const numbers = Array.from({ length: 13 }, (_, index) => `M${index + 1}`);
  assert.deepEqual([...new Set(machineRules.map(({ number }) => number))], numbers);
  assert.deepEqual([...new Set(MISTAKES.flatMap(({ rules }) => rules))], numbers);
});
