// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { Schema } from "../schema/types.ts";

/**
 * The structural schema of a zod schema, as a CustomResourceDefinition may carry it.
 *
 * zod prints OpenAPI 3.0, which is nearly that. What an API server refuses is put right here: unions survive only as
 * int-or-string, open objects become preserve-unknown-fields, and bounds that only repeat the number format are left out.
 * Throws on what has no structural form, which is a mistake in a kind and found by the first test that prints it.
 */
export function structural(schema: z.ZodType): Schema {
  const printed = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    cycles: "throw",
    unrepresentable: "throw",
    override: ({ zodSchema, jsonSchema }) => adjust(zodSchema, jsonSchema),
  });
  // zod's own type for what it prints is wider than what the adjustments leave.
  return printed as Schema;
}

type Printed = Record<string, unknown>;
const INT32 = [-(2 ** 31), 2 ** 31 - 1];
const SAFE = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

function adjust(zodSchema: z.core.$ZodTypes, printed: Printed): void {
  delete printed.propertyNames;
  delete printed.$schema;
  if (printed.type === "integer") integer(zodSchema, printed);
  // The format says it already, and in the API server's words.
  if (printed.format === "date-time") delete printed.pattern;
  if (typeof printed.pattern === "string") printed.pattern = printed.pattern.replaceAll("\\/", "/");
  if (printed["x-kubernetes-int-or-string"] === true) {
    printed.anyOf = [{ type: "integer" }, { type: "string" }];
    delete printed.type;
  } else if (printed.anyOf !== undefined || printed.oneOf !== undefined) {
    throw new Error("a union has no structural form: use optional fields and a rule");
  }
  if (printed.type === "object" && isOpen(printed.additionalProperties)) {
    delete printed.additionalProperties;
    if (Object.keys(printed.properties ?? {}).length === 0) delete printed.properties;
    printed["x-kubernetes-preserve-unknown-fields"] = true;
  }
  if (printed.additionalProperties === false) delete printed.additionalProperties;
}

function integer(zodSchema: z.core.$ZodTypes, printed: Printed): void {
  const { def } = zodSchema._zod;
  const isInt32 = "format" in def && def.format === "int32";
  if ("format" in def) printed.format = isInt32 ? "int32" : "int64";
  const [least, most] = isInt32 ? INT32 : SAFE;
  if (printed.minimum === least) delete printed.minimum;
  if (printed.maximum === most) delete printed.maximum;
}

function isOpen(additionalProperties: unknown): boolean {
  return (
    typeof additionalProperties === "object" &&
    additionalProperties !== null &&
    Object.keys(additionalProperties).length === 0
  );
}
