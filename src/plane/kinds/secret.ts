// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Problem } from "../../schema/index.ts";
import { deepEqual, setOwn } from "../../schema/json.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { key } from "../../schema/place.ts";
import { at, forbidden, invalid, required, tooLong } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import { boolean, bytes, map, named, optional, pointer, text } from "./fields.ts";
import { jsonMapFault } from "./go-json.ts";
import { builtIn } from "./kind.ts";
import {
  configKeyProblems,
  createdMetadata,
  decodedLength,
  entriesAt,
  field,
  immutable,
  mapAt,
  textAt,
  updatedMetadata,
  valueAt,
  within,
} from "./rules.ts";

/** ConfigMaps and Secrets hold no more than this. */
export const MAX_DATA_BYTES = 1024 * 1024;

const ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name";

/** Secrets: small pieces of data that only some may read. */
export const secrets: ResourceType = builtIn({
  group: "",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
  definitions: "io.k8s.api.core.v1",
  about: "Small pieces of data that only some may read, such as passwords and keys.",
  fields: {
    immutable: pointer(boolean, "When true, neither the data nor this field can ever be changed again."),
    data: optional(map(bytes), "The values, in base64. Keys have letters, digits, '-', '_' and '.'."),
    stringData: optional(map(text), "Values as plain text, for writing only: they are merged into data."),
    type: optional(named("v1.SecretType"), "What the data is for; Opaque unless told otherwise. Cannot be changed."),
  },
  setDefaults(object) {
    if (textAt(object, "type") === "") object.type = "Opaque";
    if (object.stringData === undefined) return;
    for (const [name, value] of entriesAt(object, "stringData"))
      setOwn(within(object, "data"), name, Buffer.from(String(value)).toString("base64"));
    delete object.stringData;
  },
  columns: [
    nameColumn,
    column("Type", "What the data is for.", (object) => textAt(object, "type")),
    column("Data", "How many values there are.", (object) => Object.keys(mapAt(object, "data")).length),
    ageColumn,
  ],
  selectableFields: [".type"],
  behaviour: {
    validate: (object, old) =>
      old === undefined ? problemsOf(object) : [...changeProblems(object, old), ...problemsOf(object)],
    warnings: (object) => (textAt(object, "type") === "kubernetes.io/tls" ? keyPairWarnings(object) : []),
  },
});

function changeProblems(object: KubeObject, old: KubeObject): Problem[] {
  return [...updatedMetadata(object, old), ...immutable(object, old, "type"), ...sealedProblems(object, old, ["data"])];
}

/** What may no longer change once `immutable` is set. */
export function sealedProblems(object: KubeObject, old: KubeObject, fields: readonly string[]): Problem[] {
  if (valueAt(old, "immutable") !== true) return [];
  const words = "field is immutable when `immutable` is set";
  const problems = valueAt(object, "immutable") === true ? [] : [forbidden(at(field("immutable")), words)];
  for (const name of fields)
    if (!deepEqual(mapAt(object, name), mapAt(old, name))) problems.push(forbidden(at(field(name)), words));
  return problems;
}

function problemsOf(object: KubeObject): Problem[] {
  const problems = createdMetadata(object, subdomainName);
  let size = 0;
  for (const [name, value] of entriesAt(object, "data")) {
    problems.push(...configKeyProblems(name, field("data")));
    size += decodedLength(value);
  }
  if (size > MAX_DATA_BYTES) problems.push(tooLong(at(field("data")), MAX_DATA_BYTES));
  return [...problems, ...typeProblems(object)];
}

function typeProblems(object: KubeObject): Problem[] {
  const data = mapAt(object, "data");
  const missing = (name: string) => (data[name] === undefined ? [required(at(key(field("data"), name)))] : []);
  switch (textAt(object, "type")) {
    case "kubernetes.io/service-account-token": {
      const place = key(field("metadata", "annotations"), ACCOUNT_ANNOTATION);
      return textAt(object, "metadata", "annotations", ACCOUNT_ANNOTATION) === "" ? [required(at(place))] : [];
    }
    case "kubernetes.io/dockercfg":
      return [...missing(".dockercfg"), ...jsonProblems(object, ".dockercfg")];
    case "kubernetes.io/dockerconfigjson":
      return [...missing(".dockerconfigjson"), ...jsonProblems(object, ".dockerconfigjson")];
    case "kubernetes.io/basic-auth":
      return missing("username").length + missing("password").length < 2
        ? []
        : [...missing("username"), ...missing("password")];
    case "kubernetes.io/ssh-auth":
      return textAt(object, "data", "ssh-privatekey") === ""
        ? [required(at(key(field("data"), "ssh-privatekey")))]
        : [];
    case "kubernetes.io/tls":
      return [...missing("tls.crt"), ...missing("tls.key")];
    default:
      return [];
  }
}

function jsonProblems(object: KubeObject, name: string): Problem[] {
  if (mapAt(object, "data")[name] === undefined) return [];
  const fault = jsonMapFault(Buffer.from(textAt(object, "data", name), "base64").toString());
  return fault === undefined ? [] : [invalid(at(key(field("data"), name)), "<secret contents redacted>", fault)];
}

/** The server looks whether key and certificate belong together, and only warns. */
function keyPairWarnings(object: KubeObject): string[] {
  const pem = (name: string) => Buffer.from(textAt(object, "data", name), "base64").toString();
  if (!/-----BEGIN CERTIFICATE-----/.test(pem("tls.crt")))
    return ["tls: failed to find any PEM data in certificate input"];
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem("tls.key")))
    return ["tls: failed to find any PEM data in key input"];
  try {
    const certificate = new X509Certificate(pem("tls.crt"));
    const isPair = certificate.checkPrivateKey(createPrivateKey(pem("tls.key")));
    return isPair ? [] : ["tls: private key does not match public key"];
  } catch {
    return ["x509: malformed certificate"];
  }
}
