// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import type { ToldTrouble } from "./account.ts";
import type { ConnectionState } from "./connections.ts";
import { ANNOTATIONS, abandonIds, holderOf, type Identity } from "./identity.ts";
import type { Situation } from "./situation.ts";

/** What it is told with. */
export interface HindranceInput {
  readonly request: MachineRequest;
  readonly identity: Identity | undefined;
  readonly key: string;
  readonly provider: string;
  readonly situation: Situation;
  /** Whether the machine of the launch is meant, and not one that is to be made. */
  readonly isOfLaunch: boolean;
}

/** Why a machine's infrastructure cannot be asked, and what to do about it. */
export function hindranceOf(state: ConnectionState, input: HindranceInput): ToldTrouble | undefined {
  const { request, identity, key, provider, situation, isOfLaunch } = input;
  const name = identity?.launch?.name ?? request.spec.machineName;
  const wayOut = isOfLaunch ? howToLetGo(request, { identity, name }) : "";
  switch (state.state) {
    case "connected": {
      const { launch } = identity ?? {};
      if (launch === undefined || situation.isPlaceSame) return undefined;
      return {
        kind: "invalid",
        reason: "ProviderConfigPointsElsewhere",
        // Where it leads now is not told: annotations are the user's to write, and this may be another team's.
        message: `ProviderConfig "${key}" does not lead to "${launch.place}" any more, where machine "${name}" was launched: point it back.${wayOut}`,
      };
    }
    case "refused": {
      const { kind, reason, message, code, requestId } = state.error;
      return {
        kind,
        reason,
        code,
        requestId,
        message: `${message}${wayOut === "" ? "" : `.${wayOut}`}`,
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

/** Why it is not known what has become of a machine: what says where it was made is gone. `key`: where it was looked for. */
export function untracedTrouble(request: MachineRequest, identity: Identity | undefined, key: string): ToldTrouble {
  const name = identity?.launch?.name ?? request.spec.machineName;
  const id = request.status?.providerID === undefined ? "" : ` (${request.status.providerID})`;
  return {
    kind: "invalid",
    reason: "LaunchUnknown",
    message: `the annotation ${ANNOTATIONS.launch} does not say any more where machine "${name}"${id} was made, and it is not found where ProviderConfig "${key}" leads: if that led elsewhere before, point it back, and the machine is found again.${howToLetGo(request, { identity, name })}`,
    keepsPhase: true,
  };
}

/** Why a machine is neither deleted nor let go of: it is not known which of both is wanted. */
export function unclearTrouble(request: MachineRequest, identity: Identity | undefined): ToldTrouble {
  const { metadata } = request;
  const name = identity?.launch?.name ?? request.spec.machineName;
  const said = metadata.annotations?.[ANNOTATIONS.abandon] ?? "";
  return {
    kind: "invalid",
    reason: "AbandonUnclear",
    message: `the annotation ${ANNOTATIONS.abandon} says "${said}", which is not the id of machine "${name}": nothing is deleted or let go of until that is put right. To have the machine deleted: kubectl annotate machinerequest -n ${metadata.namespace} ${metadata.name} ${ANNOTATIONS.abandon}-.${howToLetGo(request, { identity, name })}`,
    keepsPhase: true,
  };
}

/** Empty where there is no machine to give up. */
function howToLetGo(
  request: MachineRequest,
  { identity, name }: { readonly identity: Identity | undefined; readonly name: string },
): string {
  const { metadata, status } = request;
  const [id] = abandonIds(request, identity);
  const isLaunched = identity?.launch !== undefined || status?.providerID !== undefined;
  if (id === undefined || (!isLaunched && holderOf(request) === undefined)) return "";
  // What is there already is not replaced by itself.
  const force = metadata.annotations?.[ANNOTATIONS.abandon] === undefined ? "" : " --overwrite";
  return ` To give up machine "${name}" without deleting it: kubectl annotate machinerequest -n ${metadata.namespace} ${metadata.name} ${ANNOTATIONS.abandon}=${id}${force}, and delete the request`;
}
