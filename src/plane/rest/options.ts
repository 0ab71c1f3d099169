// SPDX-License-Identifier: Apache-2.0
import { append } from "../../schema/append.ts";
import { quote } from "../../schema/go-text.ts";
import type { Problem } from "../../schema/index.ts";
import { forbidden, invalid as invalidValue, notSupported, required, tooLong } from "../../schema/problems.ts";
import { readDeleteOptions } from "../protobuf/index.ts";
import { isTrue } from "../request-info.ts";
import { badRequest, invalid } from "../status-error.ts";
import { BodyError } from "./body.ts";
import { readBody } from "./decode.ts";
import type { DeleteOptions } from "./objects.ts";
import { plainText } from "./plain-text.ts";

/** The options of create, update and patch requests. */
export interface RequestOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Only for apply. */
  readonly force: boolean;
}

interface OptionsContext {
  readonly kind: "CreateOptions" | "UpdateOptions" | "PatchOptions";
  readonly userAgent: string | undefined;
  readonly isApply?: boolean;
}

/** Reads and checks the query of a write. Without a field manager it is the first part of the user agent. */
export function writeOptions(
  query: URLSearchParams,
  { kind, userAgent, isApply = false }: OptionsContext,
): RequestOptions {
  const manager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const problems: Problem[] = [];
  if (isApply && manager === "") problems.push(required(at("fieldManager"), "is required for apply patch"));
  if (kind === "PatchOptions" && !isApply && query.has("force"))
    problems.push(forbidden(at("force"), "may not be specified for non-apply patch"));
  append(problems, [...managerProblems(manager), ...dryRunProblems(query.getAll("dryRun"))]);
  if (!isFieldValidation(fieldValidation))
    problems.push(notSupported(at("fieldValidation"), fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", problems);
  return {
    dryRun: query.getAll("dryRun").length > 0,
    manager: manager === "" ? managerOf(userAgent ?? "") : manager,
    fieldValidation: isFieldValidation(fieldValidation) && fieldValidation !== "" ? fieldValidation : "Warn",
    force: isTrue(query.get("force")),
  };
}

function isFieldValidation(text: string): text is "" | "Ignore" | "Warn" | "Strict" {
  return ["", "Ignore", "Warn", "Strict"].includes(text);
}

function at(field: string): { path: string[]; field: string } {
  return { path: [field], field };
}

function managerProblems(manager: string): Problem[] {
  const problems: Problem[] = [];
  if (Buffer.byteLength(manager) > 128) problems.push(tooLong(at("fieldManager"), 128));
  let position = 0;
  for (const character of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      problems.push(invalidValue(at("fieldManager"), manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return problems;
}

function dryRunProblems(values: readonly string[]): Problem[] {
  if (values.every((value) => value === "All")) return [];
  return [notSupported(at("dryRun"), values, ["All"])];
}

/** Only printable characters, at most 128, up to the first slash. */
function managerOf(userAgent: string): string {
  const prefix = userAgent.split("/")[0] ?? "";
  const printable = [...prefix].filter((character) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  let manager = "";
  for (const character of printable) {
    if (Buffer.byteLength(manager) + Buffer.byteLength(character) > 128) break;
    manager += character;
  }
  return manager;
}

/** Reads how to delete, from the body where there is one, else from the query. */
export function deleteOptions(
  query: URLSearchParams,
  body: Uint8Array | undefined,
  contentType: string | undefined,
): DeleteOptions {
  const given = body === undefined || body.length === 0 ? fromQuery(query) : fromBody(body, contentType);
  const { orphanDependents, propagationPolicy, dryRun } = given;
  const problems: Problem[] = [];
  const policy = at("propagationPolicy");
  if (orphanDependents !== undefined && propagationPolicy !== undefined)
    problems.push(
      invalidValue(policy, propagationPolicy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  if (propagationPolicy !== undefined && !isPolicy(propagationPolicy))
    problems.push(notSupported(policy, propagationPolicy, ["Foreground", "Background", "Orphan", "nil"]));
  append(problems, dryRunProblems(dryRun));
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", problems);
  return {
    dryRun: dryRun.length > 0,
    ...(given.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: given.gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && isPolicy(propagationPolicy) ? { propagationPolicy } : {}),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(given.preconditions === undefined ? {} : { preconditions: given.preconditions }),
  };
}

function isPolicy(text: string): text is "Orphan" | "Background" | "Foreground" {
  return ["Orphan", "Background", "Foreground"].includes(text);
}

interface GivenDeleteOptions {
  readonly dryRun: readonly string[];
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

function fromQuery(query: URLSearchParams): GivenDeleteOptions {
  const orphan = query.get("orphanDependents");
  return {
    dryRun: query.getAll("dryRun"),
    gracePeriodSeconds: integerOption(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: orphan === null ? undefined : isTrue(orphan),
    preconditions: undefined,
  };
}

function fromBody(body: Uint8Array, contentType: string | undefined): GivenDeleteOptions {
  let value: unknown;
  try {
    ({ value } = readBody(body, contentType, readDeleteOptions));
  } catch (error) {
    if (error instanceof BodyError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
  const given = Object(value);
  const { apiVersion = "", kind = "DeleteOptions" } = given;
  if (kind !== "DeleteOptions" && kind !== "")
    throw badRequest(
      `no kind ${quote(plainText(kind))} is registered for version ${quote(plainText(apiVersion))} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:33"`,
    );
  const typed = <T>(name: string, is: (value: unknown) => value is T, go: string): T | undefined => {
    const option: unknown = given[name];
    if (option === undefined || option === null) return undefined;
    if (is(option)) return option;
    const word = Array.isArray(option) ? "array" : typeof option === "boolean" ? "bool" : typeof option;
    throw badRequest(`json: cannot unmarshal ${word} into Go struct field DeleteOptions.${name} of type ${go}`);
  };
  const dryRun = typed("dryRun", isTextList, "[]string") ?? [];
  const preconditions = typed("preconditions", isPreconditions, "v1.Preconditions");
  return {
    dryRun,
    gracePeriodSeconds: typed("gracePeriodSeconds", isInteger, "int64"),
    propagationPolicy: typed("propagationPolicy", isText, "v1.DeletionPropagation"),
    orphanDependents: typed("orphanDependents", isBoolean, "bool"),
    preconditions,
  };
}

const isText = (value: unknown) => typeof value === "string";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isPreconditions = (value: unknown): value is { uid?: string; resourceVersion?: string } => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { uid = "", resourceVersion = "" } = Object(value);
  return isText(uid) && isText(resourceVersion);
};

/** An integer of a query; text that is none is refused as Go does. */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^[-+]?\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
}
