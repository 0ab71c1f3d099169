// SPDX-License-Identifier: Apache-2.0

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const VALUE = `(${KEY})?`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const dns1035Pattern = new RegExp(`^${DNS_1035_LABEL}$`);
const keyPattern = new RegExp(`^${KEY}$`);
const valuePattern = new RegExp(`^${VALUE}$`);

const KEY_WORDS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** What is wrong with a DNS-1123 label, in the server's words; empty when nothing is. */
export function dns1123LabelProblems(name: string): string[] {
  const problems = tooLong(name, 63, "characters");
  if (labelPattern.test(name)) return problems;
  if (subdomainPattern.test(name)) return [...problems, "must not contain dots"];
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character";
  return [...problems, mismatch(words, LABEL, ["my-name", "123-abc"])];
}

/** What is wrong with a DNS-1123 subdomain, the rule for names of custom resources. */
export function dns1123SubdomainProblems(name: string, unit: LengthUnit = "characters"): string[] {
  const problems = tooLong(name, 253, unit);
  if (subdomainPattern.test(name)) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    "and must start and end with an alphanumeric character";
  return [...problems, mismatch(words, SUBDOMAIN, ["example.com"])];
}

/** What is wrong with a DNS-1035 label, the rule for kinds in lower case. */
export function dns1035LabelProblems(name: string): string[] {
  const problems = tooLong(name, 63, "characters");
  if (dns1035Pattern.test(name)) return problems;
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, mismatch(words, DNS_1035_LABEL, ["my-name", "abc-123"])];
}

/** What is wrong with a label key, which annotations and finalizers follow too. */
export function labelKeyProblems(key: string): string[] {
  const problems: string[] = [];
  const parts = key.split("/");
  if (parts.length > 2) {
    const words = mismatch(KEY_WORDS, KEY, ["MyName", "my.name", "123-abc"]);
    return [`a valid label key ${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    problems.push(...dns1123SubdomainProblems(prefix, "bytes").map((words) => `prefix part ${words}`));
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63, "bytes").map((words) => `name part ${words}`));
  if (!keyPattern.test(name)) problems.push(`name part ${mismatch(KEY_WORDS, KEY, ["MyName", "my.name", "123-abc"])}`);
  return problems;
}

/** What is wrong with a label's value. */
export function labelValueProblems(value: string): string[] {
  const problems = tooLong(value, 63, "bytes");
  if (valuePattern.test(value)) return problems;
  const words =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    "and must start and end with an alphanumeric character";
  return [...problems, mismatch(words, VALUE, ["MyValue", "my_value", "12345"])];
}

/** What is wrong with a name that becomes part of a URL path. */
export function pathSegmentProblems(name: string, isPrefix: boolean): string[] {
  if (!isPrefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((text) => name.includes(text)).map((text) => `may not contain '${text}'`);
}

/** A name to which something will be appended may end in a dash: the same name with that dash made harmless. */
export function withoutTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

/** The server always counts bytes, but does not always say so. */
type LengthUnit = "bytes" | "characters";

function tooLong(text: string, limit: number, unit: LengthUnit): string[] {
  return Buffer.byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : [];
}

function mismatch(words: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${words} (e.g. ${list}regex used for validation is '${pattern}')`;
}
