// SPDX-License-Identifier: Apache-2.0
// What the author of a provider needs, and nothing else: the door `./provider` of the package.
export type { ProviderBlock, SecretKeys } from "../api/index.ts";
export type { Clock, HandlerTransport, Random } from "../kube/index.ts";
export type { Call, OutsideCall } from "./call.ts";
export { defineProvider } from "./define-provider.ts";
export type {
  CheckReport,
  ConnectInput,
  Connection,
  Created,
  DiskWant,
  ErrorKind,
  Finding,
  Found,
  MachineHave,
  MachineState,
  Machines,
  MachineWant,
  Mark,
  Operation,
  Provider,
  ProviderDefinition,
  Sighting,
  Stranger,
  Trouble,
} from "./provider.ts";
export type { ProviderEntry } from "./provider-entry.ts";
export { ProviderError, type ProviderErrorParts } from "./provider-error.ts";
