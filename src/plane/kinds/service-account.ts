// SPDX-License-Identifier: Apache-2.0
import { subdomainName } from "../../schema/metadata-rules.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { boolean, list, listBy, of, optional, pointer, struct, text } from "./fields.ts";
import { builtIn } from "./kind.ts";
import { objectReference } from "./metadata.ts";
import { createdMetadata, listAt, textAt, updatedMetadata, valueAt } from "./rules.ts";

const MOUNTABLE = "kubernetes.io/enforce-mountable-secrets";

const localObjectReference = struct(
  "io.k8s.api.core.v1.LocalObjectReference",
  "Names an object in the same namespace.",
  { name: optional(text, "Name of the object.") },
  { isAtomic: true },
);

/** ServiceAccounts: identities of programs. Tokens for them come from the `token` subresource. */
export const serviceAccounts: ResourceType = builtIn({
  group: "",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  namespaced: true,
  definitions: "io.k8s.api.core.v1",
  about: "An identity for programs. Tokens for it are asked for through its token subresource.",
  fields: {
    secrets: optional(listBy("name", of(objectReference)), "Secrets that programs with this identity may mount."),
    imagePullSecrets: optional(
      list(of(localObjectReference)),
      "Secrets for pulling images of pods with this identity.",
    ),
    automountServiceAccountToken: pointer(boolean, "Whether pods with this identity get a token without asking."),
  },
  subresources: [
    {
      name: "token",
      verbs: ["create"],
      kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
    },
  ],
  // Unlike other kinds, the last state is the answer to a delete.
  returnsDeletedObject: true,
  behaviour: {
    prepareCreate: withPlainSecrets,
    prepareUpdate: withPlainSecrets,
    validate: (object, old) =>
      old === undefined
        ? createdMetadata(object, subdomainName)
        : [...updatedMetadata(object, old), ...createdMetadata(object, subdomainName)],
    warnings: (object, old) =>
      isEnforcing(object) && !(old !== undefined && isEnforcing(old))
        ? [
            `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; ` +
              "prefer separate namespaces to isolate access to mounted secrets",
          ]
        : [],
  },
});

function isEnforcing(object: KubeObject): boolean {
  return valueAt(object, "metadata", "annotations", MOUNTABLE) !== undefined;
}

/** Of references to secrets only the names are kept. */
function withPlainSecrets(object: KubeObject): KubeObject {
  if (object.secrets === undefined) return object;
  const secrets = listAt(object, "secrets").map((secret) => {
    const name = textAt(secret, "name");
    return name === "" ? {} : { name };
  });
  return { ...object, secrets };
}
