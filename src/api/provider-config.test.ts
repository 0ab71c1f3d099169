// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import type { ProviderBlock } from "./provider-block.ts";
import { providerConfigKind } from "./provider-config.ts";

const cloud: ProviderBlock = {
  name: "cumulus",
  title: "Cumulus",
  networking: "cloud",
  settings: z.object({ region: z.string(), ambientCredentials: z.boolean().default(false) }),
  overrides: z.object({}),
  secretKeys: [{ required: { token: "A token." } }],
};
const kind = providerConfigKind([cloud]);
const metadata = { name: "p", namespace: "n" };
const of = (spec: object) => ({ apiVersion: "butler.butlerlabs.dev/v1alpha1", kind: "ProviderConfig", metadata, spec });

test("a provider's block, its name and its rules come from its folder alone", () => {
  const spec = kind.schema().properties?.spec;
  assert.deepEqual(spec?.properties?.provider?.enum, ["cumulus", "local"]);
  assert.equal(spec?.properties?.cumulus?.properties?.region?.type, "string");
  const rules = spec?.["x-kubernetes-validations"]?.map(({ message }) => message);
  assert.ok(rules?.includes("cumulus is required when provider is cumulus"));
});

describe("the older shape", () => {
  const today = of({ provider: "cumulus", credentialsRef: { name: "s" }, cumulus: { region: "r" } });

  test("becomes today's, and each deprecated field is named where it stood", () => {
    const older = of({ type: "cumulus", cumulus: { region: "r", credentialsRef: { name: "s" } } });
    const frozen = structuredClone(older);
    const { object, warnings } = kind.normalise(older);
    assert.deepEqual(object, today);
    assert.deepEqual(
      warnings.map(({ path }) => path.join(".")),
      ["spec.type", "spec.cumulus.credentialsRef"],
    );
    assert.deepEqual(older, frozen, "the input stays as it was");
  });

  test("may be half of it", () => {
    const { object, warnings } = kind.normalise(
      of({ type: "cumulus", credentialsRef: { name: "s" }, cumulus: { region: "r" } }),
    );
    assert.deepEqual(object, today);
    assert.equal(warnings.length, 1);
  });

  test("is not seen in today's shape, nor in blocks that are not in use", () => {
    for (const object of [
      today,
      of({ provider: "cumulus", credentialsRef: { name: "s" }, other: { credentialsRef: { name: "s" } } }),
    ]) {
      assert.deepEqual(kind.normalise(object), { object, warnings: [] });
    }
  });

  test("passes through where the object is not valid anyway", () => {
    for (const spec of [{}, { type: 7 }, { provider: "x", type: "cumulus" }, { type: "cumulus", cumulus: "text" }]) {
      assert.doesNotThrow(() => kind.normalise(of(spec)));
    }
    const odd = { apiVersion: "v1", kind: "ProviderConfig", metadata };
    assert.deepEqual(kind.normalise(odd), { object: odd, warnings: [] });
  });
});

test("the provider that is not supported is warned about, in both shapes", () => {
  for (const field of ["provider", "type"]) {
    const { warnings } = kind.normalise(of({ [field]: "local" }));
    assert.ok(
      warnings.some(({ path, message }) => path.join(".") === `spec.${field}` && message.includes("not supported")),
    );
  }
});
