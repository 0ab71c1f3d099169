// SPDX-License-Identifier: Apache-2.0
import type { ResourceType } from "../types.ts";
import { boolean, list, map, needed, of, optional, required, shown, struct, text } from "./fields.ts";
import { builtIn, type KindDefinition } from "./kind.ts";

const AUTHENTICATION = "io.k8s.api.authentication.v1";

const userInfo = struct(`${AUTHENTICATION}.UserInfo`, "Who somebody is.", {
  username: optional(text, "The name."),
  uid: optional(text, "The id."),
  groups: optional(list(text), "The groups."),
  extra: optional(map(list(text, "v1.ExtraValue")), "What else is known."),
});

const tokenSpec = struct(`${AUTHENTICATION}.TokenReviewSpec`, "Which token.", {
  token: required(optional(text, "The token.")),
  audiences: optional(list(text), "For whom it must be; this server when empty."),
});

const tokenStatus = struct(`${AUTHENTICATION}.TokenReviewStatus`, "Whose token it is.", {
  authenticated: optional(boolean, "Whether it is somebody's."),
  user: shown(of(userInfo), "Whose it is."),
  audiences: optional(list(text), "For whom it is."),
  error: optional(text, "Why it is nobody's."),
});

const selfStatus = struct(`${AUTHENTICATION}.SelfSubjectReviewStatus`, "Who you are.", {
  userInfo: shown(of(userInfo), "Who you are."),
});

function review(kind: string, about: string, fields: KindDefinition["fields"]): ResourceType {
  return builtIn({
    group: "authentication.k8s.io",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
    verbs: ["create"],
    definitions: AUTHENTICATION,
    about,
    fields,
    isVirtual: true,
    behaviour: {},
  });
}

/** Who am I? */
export const selfSubjectReviews = review("SelfSubjectReview", "The question who you are, with its answer.", {
  status: shown(of(selfStatus), "The answer."),
});

/** Whose token is this? */
export const tokenReviews = review("TokenReview", "The question whose token something is, with its answer.", {
  spec: needed(of(tokenSpec), "Which token."),
  status: shown(of(tokenStatus), "The answer."),
});
