// SPDX-License-Identifier: Apache-2.0
import {
  conditionCases,
  missing,
  notATime,
  type RuleTable,
  ready,
  referenceCases,
  tooShort,
  unsupported,
} from "./rule-case.ts";

export const imageSyncRules: RuleTable = {
  kind: "ImageSync",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "ImageSync",
    metadata: { name: "talos", namespace: "default" },
    spec: {
      factoryRef: { schematicID: "376567988ad370138ad8", version: "v1.12.6", arch: "amd64", platform: "nocloud" },
      providerConfigRef: { name: "harvester-prod", namespace: "butler-system" },
      format: "qcow2",
      transferMode: "direct",
      displayName: "Talos v1.12.6",
    },
    status: { phase: "Ready", lastUpdated: "2026-03-10T12:00:00Z", conditions: [ready] },
  },
  cases: [
    missing("spec"),
    missing("spec.factoryRef"),
    missing("spec.factoryRef.schematicID"),
    tooShort("spec.factoryRef.schematicID", 8),
    missing("spec.factoryRef.version"),
    unsupported("spec.factoryRef.arch", "riscv64"),
    missing("spec.providerConfigRef"),
    ...referenceCases("spec.providerConfigRef"),
    unsupported("spec.transferMode", "carrier"),

    unsupported("status.phase", "Running"),
    notATime("status.lastUpdated"),
    ...conditionCases(),
  ],
};
