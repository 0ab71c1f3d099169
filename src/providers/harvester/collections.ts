// SPDX-License-Identifier: Apache-2.0
import { coreEvent, type KindDescriptor, persistentVolumeClaim, secret } from "../../kube/index.ts";
import type { Requests, Selection } from "./client.ts";
import type { Collected, CollectedName } from "./gathering.ts";
import { virtualMachine, virtualMachineInstance } from "./kinds.ts";
import { LABELS } from "./names.ts";
import type { Site } from "./site.ts";
import { trimInstance, trimMachine, trimPart } from "./trim.ts";

/** One kind of objects that machines are put together from. */
export interface Collection<Name extends CollectedName = CollectedName> {
  readonly name: Name;
  readonly kind: KindDescriptor<Collected[Name]>;
  readonly selection: Selection;
  /** What is kept of an object. */
  readonly trim: (object: Collected[Name]) => Collected[Name];
}

/** The kinds that can be read: Secrets and events only with the right to do so. */
export async function collectionsOf(
  site: Site,
  { requests, verbs }: { readonly requests: Requests; readonly verbs: readonly string[] },
): Promise<readonly Collection[]> {
  const { namespace } = site.settings;
  const marked = { namespace, labelSelector: `${LABELS.installation}=${site.installation}` };
  const mayAll = async (kind: KindDescriptor) => {
    const answers = await Promise.all(verbs.map((verb) => site.may(requests, { kind, verb, namespace })));
    return answers.every((answer) => answer);
  };
  const collections: Collection[] = [
    define("vms", virtualMachine, { selection: marked, trim: trimMachine }),
    define("instances", virtualMachineInstance, { selection: marked, trim: trimInstance }),
    define("claims", persistentVolumeClaim, { selection: marked, trim: trimPart }),
  ];
  if (await mayAll(secret)) collections.push(define("secrets", secret, { selection: marked, trim: trimPart }));
  if (await mayAll(coreEvent)) {
    const selection = { namespace, fieldSelector: "type=Warning" };
    collections.push(define("events", coreEvent, { selection, trim: (event) => event }));
  }
  return collections;
}

function define<Name extends CollectedName>(
  name: Name,
  kind: KindDescriptor<Collected[Name]>,
  { selection, trim }: Pick<Collection<Name>, "selection" | "trim">,
): Collection {
  // Each collection is used with its own kind only; as a member of the list it forgets which.
  return { name, kind, selection, trim } as unknown as Collection;
}
