// SPDX-License-Identifier: Apache-2.0

/** Shorter ones would be found in any text. */
const SHORTEST = 4;
const SHORTEST_LINE = 8;

/**
 * The texts under which a server may quote secrets: as they are, escaped as in JSON or Go, in base64, and each line of some length by
 * itself. The longest first, so that no part of one is left over.
 */
export function secretForms(secrets: readonly (string | undefined)[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.trim().length < SHORTEST) continue;
    const lines = secret.split(/\r?\n/).map((line) => line.trim());
    for (const text of [secret, secret.trim(), ...lines.filter(({ length }) => length >= SHORTEST_LINE)])
      for (const form of [text, ...escaped(text)]) forms.add(form);
    forms.add(Buffer.from(secret).toString("base64"));
  }
  return [...forms].sort((left, right) => right.length - left.length);
}

/** Escaped once, and twice, as where an escaped text is quoted in turn. */
function escaped(text: string): readonly string[] {
  const inJson = (plain: string) => JSON.stringify(plain).slice(1, -1);
  const once = inJson(text);
  // Servers written in Go hide what HTML would take for its own.
  const forHtml = once.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return [once, forHtml, inJson(once), inGo(text)];
}

const GO_ESCAPES: Readonly<Record<string, string>> = { "\u0007": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v" };

/** As `%q` writes it: like JSON but for control characters. */
function inGo(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\u00([01][0-9a-f])/g, (whole, code: string) => {
      const sign = String.fromCharCode(Number.parseInt(code, 16));
      return GO_ESCAPES[sign] ?? `\\x${whole.slice(-2)}`;
    });
}
