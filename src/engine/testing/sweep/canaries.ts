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

/** The canaries in some credentials and in these texts, also where a longer text that has them in it is shown in base64. */
export function createCanaries(access: Pick<SimulatedAccess, "secret">, texts: readonly string[]): Canaries {
  const secrets = Object.values(access.secret);
  const words = [...secrets.flatMap(secretWords), ...texts.flatMap(lastWord)];
  const canaries = [...new Set([...words, ...words.flatMap(insideBase64), ...secrets.map(middleOfBase64)])];
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

/** What a word becomes within a longer text in base64, without the letters to which its neighbours add; usual and safe for URLs. */
function insideBase64(word: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(word)]);
    const [first, last] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((form) => bytes.toString(form).slice(first, last));
  });
}
