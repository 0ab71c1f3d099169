// SPDX-License-Identifier: Apache-2.0
import type { YAMLParseError } from "yaml";

/** What is said of an anchor with other characters than Kubernetes' parser takes. */
export const badAnchor = "not a valid alias or anchor name";

const words: Partial<Record<YAMLParseError["code"], string>> = {
  ALIAS_PROPS: "an alias cannot have a tag or an anchor of its own",
  BAD_ALIAS: badAnchor,
  BAD_COLLECTION_TYPE: "the tag does not fit this kind of value",
  BAD_DIRECTIVE: "not a valid YAML directive",
  BAD_DQ_ESCAPE: "unknown escape after a backslash: write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "wrong indentation: it must line up with its neighbours",
  BAD_PROP_ORDER: "tag and anchor must come before the value",
  BAD_SCALAR_START: "a value that starts with this character must be quoted",
  BLOCK_AS_IMPLICIT_KEY: "a mapping cannot start here: quote the value if it contains a colon, or start a new line",
  BLOCK_IN_FLOW: "an indented block cannot stand inside [ ] or { }",
  KEY_OVER_1024_CHARS: "a key must be shorter than 1024 characters",
  MULTILINE_IMPLICIT_KEY: "a key and its colon must be on one line: is a colon missing here?",
  MULTIPLE_ANCHORS: "only one anchor is allowed here",
  MULTIPLE_TAGS: "only one tag is allowed here",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "tabs cannot indent: use spaces",
  TAG_RESOLVE_FAILED: "unknown tag",
  UNEXPECTED_TOKEN: "this cannot stand here",
};

/** Says in our words what a parser error means. The parser's own words can quote the text, and a text can hold secrets. */
export function explainSyntaxError(error: YAMLParseError): string {
  if (error.code === "MISSING_CHAR") return `malformed YAML: ${missingCharacter(error.message)}`;
  if (error.message.includes("end with a")) return "malformed YAML: the closing bracket is missing, or not indented";
  return `malformed YAML: ${words[error.code] ?? "it cannot be read"}`;
}

function missingCharacter(message: string): string {
  if (message.includes("quote")) return "the closing quote is missing";
  if (message.includes(",")) return "a comma is missing";
  if (message.includes("]") || message.includes("}")) return "the closing bracket is missing, or not indented";
  if (message.includes("Implicit map keys")) return "a colon is missing after this key";
  if (message.includes("Comments")) return "a comment needs a space before its #";
  return "a character is missing";
}
