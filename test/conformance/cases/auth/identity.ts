// SPDX-License-Identifier: Apache-2.0
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { grant, isAllowed, rule, user } from "./kinds.ts";

const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };

/** Who the server takes the caller for; what it adds about the credential is its own business. */
function identity({ status }: JsonObject): JsonObject {
  const { username, groups } = (status as { userInfo: JsonObject }).userInfo;
  return { username, groups };
}

async function tokenOf(t: Target, account: string, audiences?: readonly string[]): Promise<string> {
  await t.prepare("POST", t.core("serviceaccounts"), { metadata: { name: account } });
  const { status } = await t.prepare("POST", t.core("serviceaccounts", `${account}/token`), {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { ...(audiences && { audiences }) },
  });
  return (status as { token: string }).token;
}

export const identities: readonly Case[] = [
  {
    name: "anonymous callers get health, and nothing of the API",
    answers: [200, 200, 200, 403, 403, 403, 403, 403],
    async run(t) {
      const anybody = t.as("anonymous");
      for (const path of ["/livez", "/readyz", "/healthz"]) await anybody.request("GET", path);
      await anybody.request("GET", "/api");
      await anybody.request("GET", "/nowhere");
      await anybody.request("GET", t.core("configmaps"));
      await anybody.request("POST", t.core("secrets"), { metadata: { name: "a" } });
      await anybody.request("DELETE", `/api/v1/namespaces/${t.namespace}`);
    },
  },
  {
    name: "a token that the server did not make is refused, whatever is asked for",
    answers: [401, 401, 401],
    async run(t) {
      const stranger = t.as({ name: "stranger", token: "not-a-token" });
      await stranger.request("GET", t.core("configmaps"));
      await stranger.request("GET", "/livez");
      const forged = ["eyJhbGciOiJFUzI1NiJ9", "eyJzdWIiOiJhZG1pbiJ9", "c2lnbmF0dXJl"].join(".");
      await t.as({ name: "forger", token: forged }).request("GET", t.core("configmaps"));
    },
  },
  {
    name: "a client certificate tells user and groups, and every known user is authenticated",
    answers: [201, 403],
    async run(t) {
      await t.as(user(t, "ann", ["staff", "nurses"])).request("POST", REVIEW, review, { show: identity });
      await t.as("anonymous").request("POST", REVIEW, review, { show: identity });
    },
  },
  {
    name: "a service account's token tells the account and its groups",
    answers: [201, 403],
    async run(t) {
      const robot = t.as({ name: "robot", token: await tokenOf(t, "robot") });
      await robot.request("POST", REVIEW, review, { show: identity });
      await robot.request("GET", t.core("configmaps"));
    },
  },
  {
    name: "a token is good for as long as its service account is there",
    answers: [401],
    async run(t) {
      // Not used before: a real server remembers for some seconds that a token was good.
      const robot = t.as({ name: "robot", token: await tokenOf(t, "robot") });
      await t.prepare("DELETE", t.core("serviceaccounts", "robot"));
      await robot.eventually(t.core("configmaps"), ({ status }) => status === 401);
    },
  },
  {
    name: "a token for somebody else is no token for the server",
    answers: [401],
    async run(t) {
      const robot = t.as({ name: "robot", token: await tokenOf(t, "robot", ["somebody-else"]) });
      await robot.request("GET", t.core("configmaps"));
    },
  },
  {
    name: "a token review tells whose token it is, or that it is nobody's",
    answers: [201, 201],
    async run(t) {
      const path = "/apis/authentication.k8s.io/v1/tokenreviews";
      const ask = (token: string) => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } });
      const show = ({ status }: JsonObject) => {
        const { authenticated, user: found } = status as { authenticated?: boolean; user?: JsonObject };
        return { authenticated, username: found?.username, groups: found?.groups };
      };
      await t.request("POST", path, ask(await tokenOf(t, "robot")), { show });
      await t.request("POST", path, ask("not-a-token"), { show });
    },
  },
  {
    name: "a service account has the rights that are bound to it",
    answers: [200, 403],
    async run(t) {
      const token = await tokenOf(t, "robot");
      const account = { kind: "ServiceAccount", name: "robot", namespace: t.namespace };
      await grant(t, [rule(["list"], ["secrets"])], [account]);
      const robot = t.as({ name: "robot", token });
      await robot.eventually(t.core("secrets"), isAllowed);
      await robot.request("GET", t.core("secrets", "a"));
    },
  },
];
