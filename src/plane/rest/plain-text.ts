// SPDX-License-Identifier: Apache-2.0

/** A value of a body as text. Never by its own `toString`, which a body may name as it likes. */
export function plainText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
