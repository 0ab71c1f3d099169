// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import type { Connected } from "./connections.ts";
import { ANNOTATIONS, isKin, ownerOf } from "./identity.ts";
import type { Survey } from "./machine-survey.ts";
import type { Mark } from "./provider.ts";
import { isReleased } from "./released.ts";
import type { Workbench } from "./workbench.ts";

/** A machine, or a part of one, whose mark names a request as its owner, under another machine id than the request has. */
export interface Kin {
  readonly mark: Mark;
  readonly providerId?: string | undefined;
}

interface Surroundings {
  readonly home: Pick<Connected, "released">;
  readonly bench: Pick<Workbench, "cache" | "signal">;
}

/** Whether the request may take it on. It may not where it was let go of, or where another request carries its id. */
export async function kinshipOf(
  request: MachineRequest,
  { mark, providerId }: Kin,
  { home, bench }: Surroundings,
): Promise<"own" | "let go" | "another's"> {
  const { machineId, owner } = mark;
  // The request before it, of the same name, may have let go of it a moment ago.
  const released = await home.released.ids({ signal: bench.signal, isFresh: true });
  if (isReleased(released, { machineId, owner, providerId })) return "let go";
  const isAnothers = (other: MachineRequest) =>
    other.metadata.annotations?.[ANNOTATIONS.machineId] === machineId && ownerOf(other) !== ownerOf(request);
  return bench.cache.list().some(isAnothers) ? "another's" : "own";
}

/** What is seen of this very request under another id, parts of machines included, which are not told as strangers. */
export function kinIn({ sightings }: Connected, own: Parameters<typeof isKin>[1]): readonly Kin[] {
  return sightings.ofOwner(own.owner).filter(({ mark }) => isKin(mark, own));
}

/** The same after a direct look, with such kin alone as the request may take on. */
export async function withOwnKin(request: MachineRequest, surveyed: Survey, bench: Workbench): Promise<Survey> {
  const { home, sought, situation } = surveyed;
  const { look, identity } = situation;
  if (look.by !== "find" || home === undefined || sought === undefined) return surveyed;
  const named = look.kin === undefined ? [] : [{ mark: look.kin, providerId: look.stranger?.providerId }];
  // Where nothing tells of a machine its parts, which have no name in the way, are all there is to go by.
  const parts = situation.isDeleting && identity?.launch === undefined ? kinIn(home, sought.mark) : [];
  let kin: Mark | undefined;
  let isKinLetGo = false;
  for (const each of [...named, ...parts]) {
    const kinship = await kinshipOf(request, each, { home, bench });
    if (kinship === "own") kin ??= each.mark;
    else if (kinship === "let go") isKinLetGo ||= each.mark === look.kin;
  }
  return { ...surveyed, situation: { ...situation, look: { ...look, kin, isKinLetGo } } };
}
