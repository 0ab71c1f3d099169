// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import {
  type Cache,
  type Client,
  type Clock,
  type EventRecorder,
  type Log,
  LostLeadershipError,
  type Random,
} from "../kube/index.ts";
import type { Outcome } from "./account.ts";
import type { Call } from "./call.ts";
import type { Connected } from "./connections.ts";
import type { MachineRecord } from "./machine-memory.ts";
import type { Operation } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import type { Released } from "./released.ts";
import { planRetry, type TriedVerb } from "./retry-plan.ts";

/** What steps are taken with. */
export interface Workbench {
  readonly provider: string;
  /** Every MachineRequest there is. */
  readonly cache: Pick<Cache<MachineRequest>, "list">;
  readonly releasedIn: (namespace: string) => Released;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: () => string;
  readonly log: Log;
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly record: MachineRecord;
  /** Writes the status that tells of this outcome; resolves to the request as it is then. */
  readonly writeStatus: (request: MachineRequest, outcome: Outcome) => Promise<MachineRequest>;
}

/** What came of a step. */
export interface StepResult {
  /** As the server has it now. */
  readonly request: MachineRequest;
  readonly outcome: Outcome;
  /** A long operation that was started. */
  readonly operation?: Operation | undefined;
  /** To be seen to again after so long, at the latest. */
  readonly againInMs?: number | undefined;
}

/** One call, for messages and for the audit. */
export interface TriedCall {
  readonly place: Connected;
  readonly verb: TriedVerb;
  readonly what: string;
  readonly machine: string;
  /** The provider's usual one unless told otherwise. */
  readonly limitMs?: number;
}

/** Calls a verb. What goes wrong is planned to be tried again and returned; only what ends the work as a whole is thrown. */
export async function tryCall<T>(
  bench: Workbench,
  { place, verb, what, machine, limitMs = place.provider.callLimitMs }: TriedCall,
  send: (call: Call) => Promise<T>,
): Promise<T | ProviderError> {
  const { record, clock, random, signal } = bench;
  try {
    const answer = await place.calls.run({ what, machine, signal, limitMs }, send);
    if (record.trouble?.verb === verb || verb !== "find") record.trouble = undefined;
    return answer;
  } catch (thrown) {
    if (signal.aborted || thrown instanceof LostLeadershipError) throw thrown;
    const error = thrown instanceof ProviderError ? thrown : internalError(thrown, { what, bench });
    record.trouble = planRetry({ verb, error, before: record.trouble, clock, random });
    return error;
  }
}

function internalError(thrown: unknown, { what, bench }: { what: string; bench: Workbench }): ProviderError {
  const id = bench.newId().slice(0, 8);
  bench.log.error("a provider's verb failed in a way it should not", { id, what, error: thrown });
  return new ProviderError({
    kind: "internal",
    reason: "InternalError",
    message: `${what}: internal error ${id}; the manager's log tells more under this id`,
    cause: thrown,
  });
}
