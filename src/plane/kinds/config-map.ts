// SPDX-License-Identifier: Apache-2.0
import { append } from "../../schema/append.ts";
import type { Problem } from "../../schema/index.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { key } from "../../schema/place.ts";
import { at, invalid, tooLong } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import { boolean, bytes, map, optional, pointer, text } from "./fields.ts";
import { builtIn } from "./kind.ts";
import {
  configKeyProblems,
  createdMetadata,
  decodedLength,
  entriesAt,
  field,
  mapAt,
  updatedMetadata,
} from "./rules.ts";
import { MAX_DATA_BYTES, sealedProblems } from "./secret.ts";

/** ConfigMaps: settings that everybody with access to the namespace may read. */
export const configMaps: ResourceType = builtIn({
  group: "",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  namespaced: true,
  definitions: "io.k8s.api.core.v1",
  about: "Settings, as named texts.",
  fields: {
    immutable: pointer(boolean, "When true, neither the data nor this field can ever be changed again."),
    data: optional(map(text), "The values as text. Keys have letters, digits, '-', '_' and '.'."),
    binaryData: optional(map(bytes), "Values that are not UTF-8, in base64. No key may be in data as well."),
  },
  columns: [
    nameColumn,
    column("Data", "How many values there are.", (object) => size(object, "data") + size(object, "binaryData")),
    ageColumn,
  ],
  behaviour: {
    validate: (object, old) =>
      old === undefined
        ? problemsOf(object)
        : [
            ...updatedMetadata(object, old),
            ...sealedProblems(object, old, ["data", "binaryData"]),
            ...problemsOf(object),
          ],
  },
});

function size(object: KubeObject, name: string): number {
  return Object.keys(mapAt(object, name)).length;
}

function problemsOf(object: KubeObject): Problem[] {
  const problems = createdMetadata(object, subdomainName);
  const binary = mapAt(object, "binaryData");
  let bytes = 0;
  for (const [name, value] of entriesAt(object, "data")) {
    append(problems, configKeyProblems(name, field("data")));
    if (Object.hasOwn(binary, name))
      problems.push(invalid(at(key(field("data"), name)), name, "duplicate of key present in binaryData"));
    bytes += Buffer.byteLength(String(value));
  }
  for (const [name, value] of entriesAt(object, "binaryData")) {
    append(problems, configKeyProblems(name, field("binaryData")));
    bytes += decodedLength(value);
  }
  if (bytes > MAX_DATA_BYTES) problems.push(tooLong({ path: [], field: "[]" }, MAX_DATA_BYTES));
  return problems;
}
