// SPDX-License-Identifier: Apache-2.0
import { CelError, type CelValue, NO_OVERLOAD } from "../values.ts";

/** A text argument, whatever its signature promised. */
export function textOf(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelError(NO_OVERLOAD);
  return value;
}

/** An integer argument. */
export function intOf(value: CelValue | undefined): bigint {
  if (typeof value !== "bigint") throw new CelError(NO_OVERLOAD);
  return value;
}

/** Runs something that throws plain errors, and makes them errors of the expression. */
export function reading<T>(read: () => T, prefix = ""): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CelError) throw error;
    throw new CelError(prefix + (error instanceof Error ? error.message : String(error)));
  }
}
