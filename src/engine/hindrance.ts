// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import type { ToldTrouble } from "./account.ts";
import type { ConnectionState } from "./connections.ts";
import { ANNOTATIONS, type Identity } from "./identity.ts";
import type { Situation } from "./situation.ts";

/** What it is told with. */
export interface HindranceInput {
  readonly request: MachineRequest;
  readonly identity: Identity | undefined;
  readonly key: string;
  readonly provider: string;
  readonly situation: Situation;
}

/** Why a machine's infrastructure cannot be asked, and what to do about it. */
export function hindranceOf(state: ConnectionState, input: HindranceInput): ToldTrouble | undefined {
  const { request, identity, key, provider, situation } = input;
  const name = identity?.launch?.name ?? request.spec.machineName;
  const wayOut = identity?.launch === undefined ? "" : ` ${howToLetGo(request, { identity, name })}`;
  switch (state.state) {
    case "connected": {
      const { launch } = identity ?? {};
      if (launch === undefined || situation.isPlaceSame) return undefined;
      return {
        kind: "invalid",
        reason: "ProviderConfigPointsElsewhere",
        message: `ProviderConfig "${key}" leads to "${state.connection.place}" now, but machine "${name}" was launched at "${launch.place}": point it back.${wayOut}`,
      };
    }
    case "refused": {
      const { kind, reason, message, code, requestId } = state.error;
      return {
        kind,
        reason,
        code,
        requestId,
        message: `${message}${identity?.launch === undefined ? "" : `.${wayOut}`}`,
      };
    }
    case "other-provider":
      return {
        kind: "invalid",
        reason: "ProviderConfigPointsElsewhere",
        message: `ProviderConfig "${key}" is not for provider "${provider}" any more, which made machine "${name}".${wayOut}`,
      };
    default:
      return {
        kind: "invalid",
        reason: state.reason,
        message: `${state.message}${wayOut === "" ? "" : `.${wayOut}`}`,
        keepsPhase: true,
      };
  }
}

function howToLetGo({ metadata }: MachineRequest, { identity, name }: { identity: Identity; name: string }): string {
  return `To give up machine "${name}" without deleting it: kubectl annotate machinerequest -n ${metadata.namespace} ${metadata.name} ${ANNOTATIONS.abandon}=${identity.machineId}, and delete the request`;
}
