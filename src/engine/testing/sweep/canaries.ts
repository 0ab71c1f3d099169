// SPDX-License-Identifier: Apache-2.0
import type { SimulatedAccess } from "../simulator.ts";

/** Texts that must never be seen, and where they may be. */
export interface Canaries {
  /** Whether the text has one in it. */
  isIn(text: string): boolean;
  /** Whether an object, as JSON, shows one where it may not: all but a Secret's data and a MachineRequest's user and network data. */
  isShownBy(json: string): boolean;
}

/** Shorter words may stand anywhere by chance. */
const LEAST_LENGTH = 24;

/** The canaries in some credentials and in these texts, in base64 too. */
export function createCanaries(access: Pick<SimulatedAccess, "secret">, texts: readonly string[]): Canaries {
  const secrets = Object.values(access.secret);
  const wholes = [...secrets, ...texts].map(middleOfBase64);
  const canaries = [...new Set([...secrets.flatMap(secretWords), ...texts.flatMap(lastWord), ...wholes])];
  const isIn = (text: string) => canaries.some((canary) => text.includes(canary));
  return {
    isIn,
    isShownBy(json) {
      if (!isIn(json)) return false;
      const object: { readonly kind?: string; readonly spec?: object } = JSON.parse(json);
      if (object.kind === "Secret") return false;
      if (object.kind !== "MachineRequest") return true;
      const {
        userData: _user,
        networkData: _network,
        ...spec
      }: { userData?: unknown; networkData?: unknown } = object.spec ?? {};
      return isIn(JSON.stringify({ ...object, spec }));
    },
  };
}

/** Tokens, keys and passwords, and not the words around them. */
function secretWords(secret: string): readonly string[] {
  const words = secret.split(/[\s"',]+/).filter((word) => !word.includes("://"));
  return [...words, ...words.flatMap((word) => word.split("."))].filter(({ length }) => length >= LEAST_LENGTH);
}

function lastWord(text: string): readonly string[] {
  return text.trim().split(/\s+/).slice(-1);
}

/** A part of it that is the same wherever the whole text is shown in base64. */
function middleOfBase64(text: string): string {
  return Buffer.from(text).toString("base64").slice(8, 56);
}
