// SPDX-License-Identifier: Apache-2.0

const HIDDEN = "[redacted]";
const LONGEST_TEXT = 8192;
/** How much of a text is looked at. What is cut off may begin in what is kept, so that much of the end is not shown. */
const LONGEST_READ = 2 * LONGEST_TEXT;
const LONGEST_SPLIT = 1024;
const DEEPEST = 8;
const MOST_ITEMS = 100;

/** Names of fields whose values nobody should read, compared in lower case without `-`, `_` and `.`. */
const SECRET_NAME =
  /(token|password|passwd|passphrase|authorization|kubeconfig|privatekey|clientkey|clientkeydata|apikey|secretkey|accesskey|secretaccesskey|clientsecret|cookie|credentials?|lastappliedconfiguration|tlskey|cakey)$|^secret$/;

/** Fields of errors that say what happened in a word. Others may hold anything, the body of an answer among it. */
const ERROR_WORDS: ReadonlySet<string> = new Set(["code", "reason", "requestId", "syscall"]);

/**
 * Texts that give away what they are. Each is replaced where it is found. What can be tried from many places of a text has a
 * bound, so that no text takes long.
 */
const SECRET_TEXTS: readonly RegExp[] = [
  /\b(?:bearer|basic)\s+[a-z0-9._~+/=-]{4,}/gi,
  /\beyJ[\w-]{5,2000}\.[\w-]{5,}(?:\.[\w-]*)?/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/)[^\s/]+(?=@)/g,
  /(?<=(?:token|password|passwd|passphrase|secret|client-?key-?data|api[-_]?key|cookie)["']?\s{0,64}[:=]\s{0,64}["']?)[^\s"',;&]+/gi,
];

/** Whole documents that are secrets: a Secret or a kubeconfig as JSON or YAML. */
const SECRET_DOCUMENT =
  /["']?kind["']?\s*:\s*["']?Secret(?:List)?\b|client-key-data|["']?kind["']?\s*:\s*["']?Config\b/;

/** The same text without tokens, passwords, private keys, Secrets and kubeconfigs, cut where it is endless. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  if (SECRET_DOCUMENT.test(text)) return HIDDEN;
  let whole = text;
  for (const secret of secrets) whole = whole.replaceAll(secret, HIDDEN);
  let clean = whole.slice(0, LONGEST_READ);
  for (const pattern of SECRET_TEXTS) clean = clean.replace(pattern, HIDDEN);
  const shown = whole.length > LONGEST_READ ? Math.max(0, clean.length - LONGEST_SPLIT) : clean.length;
  if (shown === clean.length && shown <= LONGEST_TEXT) return clean;
  return `${clean.slice(0, Math.min(shown, LONGEST_TEXT))}... (${text.length} characters)`;
}

/**
 * A copy that is fit for a log: what has a secret's name or form is replaced, the data of Secrets too, wherever it stands. Of
 * errors it keeps name, message, stack and cause, numbers and flags, and the words `code`, `reason`, `requestId` and `syscall`.
 * Never throws and never ends in a circle.
 */
export function redact(value: unknown, secrets: readonly string[] = []): unknown {
  const known = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString("base64")]);
  return copy(value, { secrets: known.filter((secret) => secret.length >= 4), above: [], isSecret: false });
}

interface Place {
  readonly secrets: readonly string[];
  /** The objects around this one. */
  readonly above: readonly object[];
  /** Whether this stands in a Secret. */
  readonly isSecret: boolean;
}

function copy(value: unknown, place: Place): unknown {
  if (typeof value === "string") return redactText(value, place.secrets);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (place.above.includes(value)) return "[circular]";
  if (place.above.length >= DEEPEST) return "[deep]";
  try {
    return copyObject(value, { ...place, above: [...place.above, value] });
  } catch {
    return "[unreadable]";
  }
}

function copyObject(value: object, place: Place): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map)
    return copyFields(
      [...value].map(([name, item]) => [String(name), item]),
      place,
    );
  if (value instanceof Set) return copyList([...value], place);
  if (Array.isArray(value)) return copyList(value, place);
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    const rest = Object.entries(value).filter(([field, one]) => isPlain(field, one));
    return copyFields(Object.entries({ name, message, stack, cause, ...Object.fromEntries(rest) }), place);
  }
  const isSecret = place.isSecret || ("kind" in value && (value.kind === "Secret" || value.kind === "SecretList"));
  return copyFields(Object.entries(value), { ...place, isSecret });
}

/** Whether a field of an error is shown besides what every error has. */
function isPlain(name: string, value: unknown): boolean {
  return (
    typeof value === "number" || typeof value === "boolean" || (ERROR_WORDS.has(name) && typeof value === "string")
  );
}

function copyList(list: readonly unknown[], place: Place): unknown[] {
  const items = list.slice(0, MOST_ITEMS).map((item) => copy(item, place));
  return list.length > MOST_ITEMS ? [...items, `[${list.length - MOST_ITEMS} more]`] : items;
}

function copyFields(fields: readonly (readonly [string, unknown])[], place: Place): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    const isData = place.isSecret && (name === "data" || name === "stringData");
    const isHidden = SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_./]/g, "")) && typeof value !== "boolean";
    copied[name] = (isData || isHidden) && value !== null ? HIDDEN : copy(value, place);
  }
  return copied;
}
