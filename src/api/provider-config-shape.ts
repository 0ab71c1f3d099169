// SPDX-License-Identifier: Apache-2.0
import type { KubernetesObject, Normalised, Warning } from "./kind-definition.ts";

/** The provider that is accepted for the Go Butler's sake and does nothing here. */
export const UNSUPPORTED = "local";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Turns the older shape of a ProviderConfig (`spec.type`, credentials inside the provider's block) into today's, and says
 * what is deprecated. An object in today's shape comes back as it is. Never changes its input; invalid objects pass
 * through, since refusing them is the schema's business.
 */
export function normaliseProviderConfig(object: KubernetesObject, names: readonly string[]): Normalised {
  const spec = fieldsOf("spec" in object ? object.spec : undefined);
  if (spec === undefined) return { object, warnings: [] };
  const warnings: Warning[] = [];
  let next: Fields = spec;
  if ("type" in next && !("provider" in next)) {
    const { type, ...rest } = next;
    next = { provider: type, ...rest };
    warnings.push({ path: ["spec", "type"], message: "spec.type is deprecated: use spec.provider" });
  }
  const name = String(next.provider);
  if (name === UNSUPPORTED) {
    const path = ["spec", "provider" in spec ? "provider" : "type"];
    warnings.push({ path, message: `provider ${UNSUPPORTED} is accepted but not supported: nothing will be made` });
  }
  const block = names.includes(name) ? fieldsOf(next[name]) : undefined;
  if (block !== undefined && "credentialsRef" in block && !("credentialsRef" in next)) {
    const { credentialsRef, ...rest } = block;
    next = { ...next, credentialsRef, [name]: rest };
    warnings.push({
      path: ["spec", name, "credentialsRef"],
      message: `spec.${name}.credentialsRef is deprecated: use spec.credentialsRef`,
    });
  }
  return { object: warnings.length === 0 ? object : { ...object, ...{ spec: next } }, warnings };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
