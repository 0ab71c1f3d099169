// SPDX-License-Identifier: Apache-2.0
export { openStore, type StoreOptions } from "./store.ts";
export { StoreError, type StoreErrorCode } from "./store-error.ts";
