// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import { dns1123SubdomainProblems } from "../../schema/names.ts";
import { badRequest, type StatusError } from "../status-error.ts";
import type { PlaneRequest, User } from "../types.ts";
import { type Decision, denial } from "./authorizer.ts";
import type { Attributes } from "./policy-rule.ts";
import { serviceAccountGroups } from "./service-account-tokens.ts";

/** Decides what a user may do. */
export type Decide = (user: User, wanted: Attributes) => Decision;

/** Who a request wants to be taken for. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const AUTHENTICATION = "authentication.k8s.io";
const EXTRA = "impersonate-extra-";

/** Lets users act as others, by headers, where they have the right to. */
export interface Impersonation {
  /** Whoever the request is to be taken for: the user, unless it asks for another. Throws where that is refused. */
  effectiveUser(user: User, headers: PlaneRequest["headers"], info: Attributes): User;
}

/** Users whose last successful way is remembered. */
const KEPT_WAYS = 10_000;

/**
 * Impersonation as of Kubernetes 1.36: by rights that hold for one verb of one resource, or else by the old right to
 * impersonate for everything. A refusal is told in the words of the way that last worked for this user.
 */
export function createImpersonation(decide: Decide): Impersonation {
  const lastWay = new Map<string, Way>();
  return {
    effectiveUser(user, headers, info) {
      const wanted = readHeaders(headers);
      if (wanted === undefined) return user;
      const last = lastWay.get(user.name);
      const ways = last === undefined ? WAYS : [last, ...WAYS.filter((way) => way !== last)];
      let refusal: StatusError | undefined;
      for (const way of ways) {
        if (!way.applies(wanted)) continue;
        const found = tryWay(decide, { way, user, wanted, info });
        if (found === undefined) {
          if (lastWay.size >= KEPT_WAYS) lastWay.clear();
          lastWay.set(user.name, way);
          return impersonated(wanted, way);
        }
        refusal ??= found;
      }
      throw refusal ?? badRequest("all impersonation modes failed");
    },
  };
}

function readHeaders(headers: PlaneRequest["headers"]): Wanted | undefined {
  const name = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = valuesOf(headers["impersonate-group"]);
  const extra: Record<string, readonly string[]> = {};
  for (const [header, value] of Object.entries(headers))
    if (header.startsWith(EXTRA)) extra[unescapeKey(header.slice(EXTRA.length))] = valuesOf(value);
  if (name !== "") return { name, uid, groups, extra };
  if (uid === "" && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goText({ name, uid, groups, extra })} without impersonating a user name`);
}

/** Headers given more than once arrive as one, with a comma and a space between the values. */
function valuesOf(header: string | undefined): string[] {
  return header === undefined ? [] : header.split(", ");
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As the real server prints it in its refusal. */
function goText({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]) => `[]string{${values.map(quote).join(", ")}}`;
  const keys = Object.keys(extra).sort();
  const map = keys.map((key) => `${quote(key)}:${list(extra[key] ?? [])}`).join(", ");
  return (
    `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, ` +
    `Groups:${groups.length === 0 ? "[]string(nil)" : list(groups)}, ` +
    `Extra:map[string][]string${keys.length === 0 ? "(nil)" : `{${map}}`}}`
  );
}

/** A kind of right to impersonate. */
interface Way {
  readonly verb: string;
  /** The right that must come with it for the request itself; undefined for the old, unconstrained way. */
  readonly onRequest: string | undefined;
  applies(wanted: Wanted): boolean;
}

const LEGACY: Way = { verb: "impersonate", onRequest: undefined, applies: () => true };

const WAYS: readonly Way[] = [
  constrained("arbitrary-node", (wanted) => hasOnlyName(wanted) && nodeName(wanted.name) !== undefined),
  constrained("serviceaccount", (wanted) => hasOnlyName(wanted) && serviceAccount(wanted.name) !== undefined),
  constrained("user-info", ({ name }) => nodeName(name) === undefined && serviceAccount(name) === undefined),
  LEGACY,
];

function constrained(mode: string, applies: Way["applies"]): Way {
  return { verb: `impersonate:${mode}`, onRequest: `impersonate-on:${mode}:`, applies };
}

function hasOnlyName({ uid, groups, extra }: Wanted): boolean {
  return uid === "" && groups.length === 0 && Object.keys(extra).length === 0;
}

interface Attempt {
  readonly way: Way;
  readonly user: User;
  readonly wanted: Wanted;
  readonly info: Attributes;
}

/** The first refusal, or undefined where everything is allowed. */
function tryWay(decide: Decide, { way, user, wanted, info }: Attempt): StatusError | undefined {
  const checks: (Attributes | StatusError)[] = [];
  if (way.onRequest !== undefined) checks.push({ ...info, verb: way.onRequest + info.verb });
  const resource = (plural: string, name: string, more: Partial<Attributes> = {}): Attributes => ({
    isResource: true,
    verb: way.verb,
    path: "",
    group: AUTHENTICATION,
    namespace: "",
    plural,
    subresource: "",
    name,
    ...more,
  });
  const group = way === LEGACY ? "" : AUTHENTICATION;
  checks.push(nameCheck(wanted.name, way, (plural, name, namespace) => resource(plural, name, { group, namespace })));
  if (wanted.uid !== "") checks.push(resource("uids", wanted.uid));
  if (way !== LEGACY && wanted.groups.includes("system:masters"))
    checks.push(
      denial(user, resource("groups", "system:masters"), "impersonating the system:masters group is not allowed"),
    );
  else checks.push(...wanted.groups.map((name) => resource("groups", name, { group })));
  for (const [key, values] of Object.entries(wanted.extra))
    checks.push(...values.map((value) => resource("userextras", value, { subresource: key })));
  for (const check of checks) {
    if (check instanceof Error) return check;
    const { allowed, reason } = decide(user, check);
    if (!allowed) return denial(user, check, reason);
  }
  return undefined;
}

function nameCheck(
  name: string,
  way: Way,
  resource: (plural: string, name: string, namespace: string) => Attributes,
): Attributes {
  const account = serviceAccount(name);
  if (account !== undefined) return resource("serviceaccounts", account.name, account.namespace);
  const node = way === LEGACY ? undefined : nodeName(name);
  return node === undefined ? resource("users", name, "") : resource("nodes", node, "");
}

function impersonated({ name, uid, groups, extra }: Wanted, way: Way): User {
  const account = serviceAccount(name);
  const isNode = way !== LEGACY && nodeName(name) !== undefined;
  const own = isNode
    ? ["system:nodes"]
    : account !== undefined && groups.length === 0
      ? serviceAccountGroups(account.namespace)
      : groups;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: withMembership(name, own),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function withMembership(name: string, groups: readonly string[]): readonly string[] {
  const isAnonymous = name === "system:anonymous";
  if (!isAnonymous && groups.includes("system:unauthenticated")) return groups;
  const group = isAnonymous ? "system:unauthenticated" : "system:authenticated";
  return groups.includes(group) ? groups : [...groups, group];
}

function serviceAccount(user: string): { namespace: string; name: string } | undefined {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  if (match === null) return undefined;
  const [, namespace = "", name = ""] = match;
  return { namespace, name };
}

function nodeName(user: string): string | undefined {
  const name = /^system:node:(.+)$/.exec(user)?.[1];
  return name !== undefined && dns1123SubdomainProblems(name).length === 0 ? name : undefined;
}
