// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from "../../../kube/index.ts";
import { kubeconfig } from "../../../plane/auth/index.ts";
import type { KubeObject, User } from "../../../plane/types.ts";
import { RIGHTS } from "../rights.ts";

/** Who may log in to the simulation. */
export type Account = "butler" | "butler-basic" | "admin";

/** Everything there is to know about tokens. */
export interface Tokens {
  /** A kubeconfig for an account, with a token of its own. */
  issue(account: Account, options?: { readonly livesMs?: number }): string;
  /** Whose request it is by its Authorization header; undefined where that says nothing or is no longer good. */
  userOf(authorization: string | undefined): User | undefined;
  /** Ends every token given out so far, from this moment on. */
  expireAll(): void;
}

const YEAR_MS = 365 * 24 * 3_600_000;
const NAMESPACE = "default";

interface TokensOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Where the kubeconfigs point. */
  readonly server: string;
  readonly certificateAuthority: () => string;
}

/** Makes the tokens of one simulation. They read as service account tokens do, expiry included, and are known by their text. */
export function createTokens({ clock, random, server, certificateAuthority }: TokensOptions): Tokens {
  const known = new Map<string, { readonly user: User; endsAt: number }>();
  return {
    issue(account, { livesMs = YEAR_MS } = {}) {
      const endsAt = clock.now() + livesMs;
      const token = tokenText({ account, random, from: clock.now(), endsAt });
      known.set(token, { user: userFor(account), endsAt });
      return kubeconfig({
        server,
        certificateAuthority: certificateAuthority(),
        credentials: { token },
        user: account,
        namespace: NAMESPACE,
      });
    },
    userOf(authorization = "") {
      const [scheme = "", token = ""] = authorization.split(" ");
      const found = scheme.toLowerCase() === "bearer" ? known.get(token) : undefined;
      return found === undefined || clock.now() >= found.endsAt ? undefined : found.user;
    },
    expireAll() {
      for (const one of known.values()) one.endsAt = Math.min(one.endsAt, clock.now());
    },
  };
}

function userFor(account: Account): User {
  if (account === "admin") return { name: "admin", groups: ["system:masters", "system:authenticated"] };
  return {
    name: `system:serviceaccount:${NAMESPACE}:${account}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${NAMESPACE}`, "system:authenticated"],
  };
}

interface TokenText {
  readonly account: Account;
  readonly random: Random;
  readonly from: number;
  readonly endsAt: number;
}

function tokenText({ account, random, from, endsAt }: TokenText): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    aud: ["https://kubernetes.default.svc.cluster.local"],
    exp: Math.floor(endsAt / 1000),
    iat: Math.floor(Math.min(from, endsAt - 1000) / 1000),
    iss: "https://kubernetes.default.svc.cluster.local",
    sub: `system:serviceaccount:${NAMESPACE}:${account}`,
  };
  const signature = Buffer.from(Array.from({ length: 32 }, () => Math.floor(random() * 256)));
  return `${part({ alg: "RS256" })}.${part(claims)}.${signature.toString("base64url")}`;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function rule(group: string, resource: string, verbs: string): Rule {
  return { apiGroups: [group], resources: [resource], verbs: verbs.split(" ") };
}

/** The rights that the provider's readme asks for. */
const FULL: readonly Rule[] = RIGHTS.map(({ kind: { group, plural }, verbs }) => rule(group, plural, verbs.join(" ")));

/** The rights of the older controller's readme, and no others. */
const BASIC: readonly Rule[] = [
  rule("kubevirt.io", "virtualmachines", "create get list watch delete"),
  rule("kubevirt.io", "virtualmachineinstances", "get list watch"),
  rule("", "persistentvolumeclaims", "create get list watch delete"),
  rule("", "secrets", "get"),
];

/** The roles of the accounts and who has them. */
export function accessObjects(): readonly { readonly kind: AccessKind; readonly object: KubeObject }[] {
  return [...grant("butler", FULL), ...grant("butler-basic", BASIC)];
}

type AccessKind = "serviceAccount" | "clusterRole" | "clusterRoleBinding";

function grant(account: Account, rules: readonly Rule[]): { readonly kind: AccessKind; readonly object: KubeObject }[] {
  const group = "rbac.authorization.k8s.io";
  const name = `simulated-${account}`;
  const metadata = { name };
  return [
    {
      kind: "serviceAccount",
      object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: NAMESPACE } },
    },
    { kind: "clusterRole", object: { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata, rules } },
    {
      kind: "clusterRoleBinding",
      object: {
        apiVersion: `${group}/v1`,
        kind: "ClusterRoleBinding",
        metadata,
        roleRef: { apiGroup: group, kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", name: account, namespace: NAMESPACE }],
      },
    },
  ];
}
