// SPDX-License-Identifier: Apache-2.0

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`, as the API takes it; the other value where there is none. */
export function durationMs(text: string | undefined, otherwise: number): number {
  const parts = [...(text ?? "").matchAll(/([0-9]+)(ms|s|m|h)/g)];
  if (parts.length === 0) return otherwise;
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (UNITS_MS[unit] ?? 0), 0);
}
