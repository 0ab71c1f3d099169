// SPDX-License-Identifier: Apache-2.0
import { durationMs } from "../engine/duration.ts";
import { type ElectionTimes, electionTimes } from "../kube/index.ts";
import type { Input } from "./command.ts";
import { UsageError } from "./io.ts";

const PREFIX = "leader-elect-";
const LONGEST_MS = 24 * 3_600_000;

/** The times of the election that the `--leader-elect-...` options name, each with its usual value where it is left out. */
export function chosenTimes(options: Input["options"]): Required<ElectionTimes> {
  const timeOf = (name: string) => {
    const text = options[`${PREFIX}${name}`];
    return text === undefined ? undefined : timeIn(text, `--${PREFIX}${name}`);
  };
  const [leaseDurationMs, renewDeadlineMs, retryPeriodMs] = [
    timeOf("lease-duration"),
    timeOf("renew-deadline"),
    timeOf("retry-period"),
  ];
  try {
    return electionTimes({
      ...(leaseDurationMs === undefined ? {} : { leaseDurationMs }),
      ...(renewDeadlineMs === undefined ? {} : { renewDeadlineMs }),
      ...(retryPeriodMs === undefined ? {} : { retryPeriodMs }),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--${PREFIX}lease-duration, renew-deadline and retry-period: ${error.message}`);
  }
}

function timeIn(text: string, flag: string): number {
  const ms = /^([0-9]+(ms|s|m|h))+$/.test(text) ? durationMs(text, 0) : 0;
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new UsageError(`${flag}: "${text}" is not a time; write 15s or 1m30s, at most 24h`);
}
