// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { ResourceType } from "../types.ts";
import { createDefinitions } from "./definitions.ts";
import { pathsOf } from "./paths.ts";

/** A group and one of its versions. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const INFO = { title: "Butler plane", version: "v1.36.3" };

/** The OpenAPI 3 document of one group version. */
export function documentV3(types: readonly ResourceType[], versions: readonly GroupVersion[]): object {
  const definitions = createDefinitions({ prefix: "#/components/schemas/", versions });
  const paths = Object.assign({}, ...types.map((type) => pathsOf(type, definitions)));
  return { openapi: "3.0.0", info: INFO, paths, components: { schemas: definitions.all() } };
}

/** The OpenAPI 2 document of everything, for those that do not know version 3 yet. */
export function documentV2(types: readonly ResourceType[], versions: readonly GroupVersion[]): object {
  const definitions = createDefinitions({ prefix: "#/definitions/", versions });
  const paths = Object.assign({}, ...types.map((type) => pathsOf(type, definitions)));
  return { swagger: "2.0", info: INFO, paths: toV2(paths), definitions: toV2(definitions.all()) };
}

/** What the two versions write differently, anywhere in a document. */
function toV2(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toV2);
  if (!isObject(value)) return value;
  if (isParameter(value)) {
    const { schema, ...rest } = value;
    return { ...rest, ...(isObject(schema) ? schema : {}) };
  }
  if (value.responses !== undefined && value.operationId !== undefined) return operationV2(value);
  const { allOf, nullable: _, ...rest } = value;
  const converted = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, toV2(item)]));
  // Version 2 has no place beside a reference for anything else.
  const [only] = Array.isArray(allOf) ? allOf : [];
  if (isObject(only) && only.$ref !== undefined) return { ...converted, $ref: only.$ref };
  return allOf === undefined ? converted : { ...converted, allOf: toV2(allOf) };
}

function isParameter(value: Readonly<Record<string, unknown>>): boolean {
  return (value.in === "query" || value.in === "path") && value.schema !== undefined;
}

function operationV2(operation: Readonly<Record<string, unknown>>): object {
  const { requestBody, responses, parameters, ...rest } = operation;
  const body = contentOf(requestBody);
  const own = Array.isArray(parameters) ? parameters.map(toV2) : [];
  const bodyParameter = { name: "body", in: "body", required: true, schema: body?.schema };
  const answers = isObject(responses) ? Object.entries(responses) : [];
  return {
    ...rest,
    consumes: body?.types ?? ["*/*"],
    produces: ["application/json", "application/yaml"],
    parameters: body === undefined ? own : [bodyParameter, ...own],
    responses: Object.fromEntries(
      answers.map(([code, answer]) => {
        const schema = contentOf(answer)?.schema;
        const description = isObject(answer) ? answer.description : undefined;
        return [code, { description, ...(schema === undefined ? {} : { schema }) }];
      }),
    ),
  };
}

function contentOf(value: unknown): { readonly schema: unknown; readonly types: readonly string[] } | undefined {
  if (!isObject(value) || !isObject(value.content)) return undefined;
  const types = Object.keys(value.content);
  const first = value.content[types[0] ?? ""];
  return { schema: isObject(first) ? first.schema : undefined, types };
}
