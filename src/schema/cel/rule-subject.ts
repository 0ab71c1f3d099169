// SPDX-License-Identifier: Apache-2.0
import type { Correlation } from "../correlation.ts";
import type { Place } from "../place.ts";
import type { Json } from "../types.ts";
import type { CelValue } from "./values.ts";

/** What a value is compared with, and the nearest value above it that has an old one. */
export interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

/** A value that rules are run on. */
export interface Subject {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly place: Place;
  readonly ratchet: Ratchet;
}

/** The values of `self` and `oldSelf`. Making them may throw a CelError. */
export type Variables = () => ReadonlyMap<string, CelValue>;
