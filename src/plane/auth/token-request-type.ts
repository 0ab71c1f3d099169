// SPDX-License-Identifier: Apache-2.0
import { int64, list, of, optional, pointer, shown, struct, text, time } from "../kinds/fields.ts";
import { builtIn } from "../kinds/kind.ts";
import type { ResourceType } from "../types.ts";

const AUTHENTICATION = "io.k8s.api.authentication.v1";
const DEFAULT_SECONDS = 3600;

const boundObjectReference = struct(
  `${AUTHENTICATION}.BoundObjectReference`,
  "The object without which the token is void.",
  {
    kind: optional(text, "Kind of the object: Secret."),
    apiVersion: optional(text, "Group and version of the object."),
    name: optional(text, "Name of the object."),
    uid: optional(text, "Identity of the object: another one of the same name is not meant."),
  },
);

const tokenRequestSpec = struct(`${AUTHENTICATION}.TokenRequestSpec`, "What the token is to be good for.", {
  audiences: shown(list(text), "Who is to accept the token; this server when empty."),
  expirationSeconds: pointer(int64, "How long the token is to live; the server may give less."),
  boundObjectRef: pointer(of(boundObjectReference), "An object that the token ends with."),
});

const tokenRequestStatus = struct(`${AUTHENTICATION}.TokenRequestStatus`, "The token.", {
  token: shown(text, "The token."),
  expirationTimestamp: shown(time, "When it ends."),
});

/** What is sent to `serviceaccounts/<name>/token`; never stored, and no resource of its own. */
export const tokenRequestType: ResourceType = builtIn({
  group: "authentication.k8s.io",
  kind: "TokenRequest",
  plural: "tokenrequests",
  namespaced: true,
  verbs: ["create"],
  definitions: AUTHENTICATION,
  about: "Asks for a token of a service account.",
  fields: {
    spec: shown(of(tokenRequestSpec), "What is asked for."),
    status: shown(of(tokenRequestStatus), "The answer."),
  },
  isVirtual: true,
  setDefaults(object) {
    const spec = object.spec;
    if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
      object.spec = { expirationSeconds: DEFAULT_SECONDS };
      return;
    }
    spec.expirationSeconds ??= DEFAULT_SECONDS;
  },
  behaviour: {},
});
