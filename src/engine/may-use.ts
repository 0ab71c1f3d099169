// SPDX-License-Identifier: Apache-2.0
import type { ProviderConfig, Team } from "../api/index.ts";

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
