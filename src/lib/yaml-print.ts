// SPDX-License-Identifier: Apache-2.0
import { readPlainScalar } from "./yaml-scalar.ts";

/**
 * Prints a JSON value as one YAML document, ending with a newline. Keys keep their order, undefined members are left
 * out, lines are never folded, and a string stays a string for YAML 1.1 and 1.2 readers alike.
 */
export function printYaml(value: unknown): string {
  return `${block(value, "").replace(/^[\n ]/, "")}\n`;
}

/** Prints several documents as one stream, each opened by a line `---`. */
export function printYamlStream(values: readonly unknown[]): string {
  return values.map((value) => `---\n${printYaml(value)}`).join("");
}

/** What follows a key's colon or a list's dash, with the separating space or line break in front. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []" : `\n${list(value, indent)}`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return entries.length === 0 ? " {}" : `\n${map(entries, indent)}`;
  }
  return ` ${scalar(value, indent)}`;
}

function map(entries: readonly [string, unknown][], indent: string): string {
  return entries.map(([name, value]) => indent + key(name, indent) + member(value, indent)).join("\n");
}

/** Lists stand in the column of their key, as Kubernetes tools print them. */
function member(value: unknown, indent: string): string {
  return block(value, Array.isArray(value) ? indent : `${indent}  `);
}

function key(name: string, indent: string): string {
  const printed = text(name);
  // Readers look only so far ahead for the colon of a short-form key.
  return printed.length > 1000 ? `? ${printed}\n${indent}:` : `${printed}:`;
}

function list(items: readonly unknown[], indent: string): string {
  const inner = `${indent}  `;
  return items.map((item) => `${indent}-${besideDash(block(item, inner), inner)}`).join("\n");
}

function besideDash(printed: string, inner: string): string {
  return printed.startsWith("\n") ? ` ${printed.slice(1 + inner.length)}` : printed;
}

function scalar(value: unknown, indent: string): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return isBlockText(value) ? literal(value, indent) : text(value);
  throw new TypeError(`a ${typeof value} cannot be printed as YAML`);
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be printed as YAML`);
  // Some readers take an exponent without a point for a string.
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

// Printable, and no line break other than \n to any reader.
const printable = /^[\n -~\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]*$/;

/** Texts of several lines that a literal block can carry without an indentation sign or loss. */
function isBlockText(value: string): boolean {
  return (
    /[^\n]\n./.test(value) &&
    printable.test(value) &&
    !/^[ \n]/.test(value) &&
    !/^ +$/m.test(value) &&
    !value.endsWith("\n\n")
  );
}

function literal(value: string, indent: string): string {
  const margin = indent === "" ? "  " : indent;
  const header = value.endsWith("\n") ? "|" : "|-";
  const lines = value.replace(/\n$/, "").split("\n");
  return [header, ...lines.map((line) => (line === "" ? "" : margin + line))].join("\n");
}

function text(value: string): string {
  return isPlainText(value) ? value : quote(value);
}

/** Deliberately narrow: when in doubt, quotes are right. */
function isPlainText(value: string): boolean {
  return (
    /^[\w./^($\\;+~\u00C0-\u024F]/.test(value) &&
    !/[\t\n]|: |:$| #| $/.test(value) &&
    printable.test(value) &&
    readPlainScalar(value) === value &&
    !/^[-+.\d][-+.\d_:eExXoObBa-fA-FtTzZ ]*$/.test(value)
  );
}

function quote(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
