// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig, Team } from "../api/index.ts";
import type { Cache, Namespace } from "../kube/index.ts";

/** The label of a namespace that says whose it is. */
export const TEAM_LABEL = "butler.butlerlabs.dev/team";

/** A namespace as far as it matters who owns it. */
export interface UsingNamespace {
  readonly name: string;
  /** Undefined where the namespace itself is not known. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** What is asked. */
export interface Use {
  readonly namespace: UsingNamespace;
  readonly config: Pick<ProviderConfig, "metadata" | "spec">;
  /** The team that the ProviderConfig's scope names, where there is one of that name. */
  readonly team: Pick<Team, "metadata" | "status"> | undefined;
}

/**
 * Whether objects of a namespace may use a ProviderConfig. Pure, and fails closed: what is not known to be allowed is not. A
 * ProviderConfig for the platform is for everybody; a team's is for namespaces that the team's label or the Team's status names.
 */
export function mayUse({ namespace, config, team }: Use): boolean {
  const { scope } = config.spec;
  if (scope === undefined || scope.type === "platform") return true;
  if (scope.type !== "team") return false;
  const name = scope.teamRef?.name;
  if (name === undefined || name === "" || namespace.name === "") return false;
  if (namespace.labels?.[TEAM_LABEL] === name) return true;
  return team !== undefined && team.metadata.name === name && team.status?.namespace === namespace.name;
}

/** Whether this request's namespace may use the ProviderConfig, as far as is known now. */
export type MayRequestUse = (request: MachineRequest, config: ProviderConfig) => boolean;

/** Makes the question that goes by what the caches know. */
export function createMayRequestUse({
  namespaces,
  teams,
}: {
  readonly namespaces: Cache<Namespace>;
  readonly teams: Cache<Team>;
}): MayRequestUse {
  return ({ metadata }, config) => {
    const { namespace: name = "" } = metadata;
    const teamName = config.spec.scope?.teamRef?.name;
    const team = teamName === undefined ? undefined : teams.get({ name: teamName });
    return mayUse({ namespace: { name, labels: namespaces.get({ name })?.metadata.labels }, config, team });
  };
}
