// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../clock.ts";
import type { Clock } from "../types.ts";
import { redact, redactText } from "./redact.ts";

/** How much a line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What belongs to a message. An `error` may be anything that was thrown. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line per call: a constant message and fields. It never throws and never shows secrets; see `redact`. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with these fields on every line. */
  with(fields: LogFields): Log;
}

/** How to log. */
export interface LogOptions {
  /** Gets each line with its newline; standard error unless told otherwise. */
  readonly write?: (line: string) => void;
  /** Lines below it are left out; `info` unless told otherwise. */
  readonly level?: LogLevel;
  readonly clock?: Pick<Clock, "now">;
  readonly fields?: LogFields;
  /** Texts that must not be seen, in base64 neither. Where they are known this is safer than any pattern. */
  readonly secrets?: readonly string[];
}

const ORDER: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Makes a log of JSON lines with `time`, `level` and `message` first. */
export function createLog(options: LogOptions = {}): Log {
  const { level: least = "info", clock = systemClock, fields: own = {}, secrets = [] } = options;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const line = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (ORDER[level] < ORDER[least]) return;
    try {
      const time = new Date(clock.now()).toISOString();
      const more = redact({ ...own, ...fields }, secrets);
      const safe = typeof more === "object" ? more : {};
      write(`${JSON.stringify({ time, level, message: redactText(message, secrets), ...safe })}\n`);
    } catch {
      // A log that cannot be written must not stop the work.
    }
  };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => createLog({ ...options, fields: { ...own, ...fields } }),
  };
}
