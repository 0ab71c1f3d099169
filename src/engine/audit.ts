// SPDX-License-Identifier: Apache-2.0
import type { Log, Metrics } from "../kube/index.ts";
import type { OutsideCall } from "./call.ts";

/** Who is told of outside calls, and for whom they were made. */
export interface AuditOptions {
  readonly log: Log | undefined;
  readonly metrics: Metrics | undefined;
  readonly provider: string;
  /** As `namespace/name`. */
  readonly providerConfig: string;
}

/** Makes one log line and one metric of every outside call. Neither has secrets in it. */
export function createAudit({ log, metrics, provider, providerConfig }: AuditOptions): (call: OutsideCall) => void {
  const count = metrics?.counter("butler_outside_calls_total", "Requests to infrastructures by verb and result.");
  const time = metrics?.histogram("butler_outside_call_duration_seconds", "Time of a request to an infrastructure.");
  return ({ verb, machine, result, code, requestId, durationMs }) => {
    count?.add({ provider, providerConfig, verb, result });
    time?.observe(durationMs / 1000, { provider, verb });
    const isTrouble = ["denied", "exhausted", "throttled", "unavailable", "internal"].includes(result);
    log?.[isTrouble ? "warn" : "info"]("outside call", {
      provider,
      providerConfig,
      verb,
      ...(machine === "" ? {} : { machine }),
      result,
      code,
      requestId,
      durationMs: Math.round(durationMs),
    });
  };
}
