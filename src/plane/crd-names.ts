// SPDX-License-Identifier: Apache-2.0
import { quote } from "../schema/go-text.ts";
import { deepEqual } from "../schema/json.ts";
import type { CrdCondition, CrdNames, CustomResourceDefinition } from "./crd-types.ts";

const NO_NAMES: CrdNames = { plural: "", kind: "" };

/** What a definition's names come to among those of its neighbours. */
export interface NamesOutcome {
  readonly acceptedNames: CrdNames;
  readonly namesAccepted: CrdCondition;
}

/** The names in use in a definition's group by others: those that were accepted. */
export function namesInUse(
  crd: CustomResourceDefinition,
  all: readonly CustomResourceDefinition[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of all) {
    if (other.spec.group !== crd.spec.group || other.metadata.name === crd.metadata.name) continue;
    const { plural, singular = "", shortNames = [], kind, listKind = "" } = other.status?.acceptedNames ?? NO_NAMES;
    for (const name of [plural, singular, ...shortNames]) if (name !== "") resources.add(name);
    for (const name of [kind, listKind]) if (name !== "") kinds.add(name);
  }
  return { resources, kinds };
}

/** Decides which of the wanted names a definition gets. The first that asks for a name has it. */
export function acceptNames(crd: CustomResourceDefinition, all: readonly CustomResourceDefinition[]): NamesOutcome {
  const wanted = crd.spec.names;
  const accepted: CrdNames = crd.status?.acceptedNames ?? NO_NAMES;
  const { resources, kinds } = namesInUse(crd, all);
  let names: CrdNames = accepted;
  let refusal: { reason: string; message: string } | undefined;

  const take = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const name = wanted[field] ?? "";
    if (name !== (accepted[field] ?? "") && used.has(name)) refusal = { reason, message: inUse(name) };
    else names = { ...names, [field]: name };
  };
  take("plural", resources, "PluralConflict");
  take("singular", resources, "SingularConflict");
  const short = wanted.shortNames ?? [];
  const taken = short.filter((name) => !(accepted.shortNames ?? []).includes(name) && resources.has(name));
  if (taken.length === 0) names = withShortNames(names, wanted.shortNames);
  else {
    const messages = taken.map(inUse);
    refusal = {
      reason: "ShortNamesConflict",
      message: messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`,
    };
  }
  take("kind", kinds, "KindConflict");
  take("listKind", kinds, "ListKindConflict");
  names = withCategories(names, wanted.categories);
  return {
    acceptedNames: inOrder(names),
    namesAccepted:
      refusal === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...refusal },
  };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}

function withShortNames(names: CrdNames, shortNames: readonly string[] | undefined): CrdNames {
  const { shortNames: _, ...rest } = names;
  return shortNames === undefined ? rest : { ...rest, shortNames };
}

function withCategories(names: CrdNames, categories: readonly string[] | undefined): CrdNames {
  const { categories: _, ...rest } = names;
  return categories === undefined ? rest : { ...rest, categories };
}

function inOrder({ plural, singular, shortNames, kind, listKind, categories }: CrdNames): CrdNames {
  return {
    plural,
    ...(singular === undefined || singular === "" ? {} : { singular }),
    ...(shortNames === undefined ? {} : { shortNames }),
    kind,
    ...(listKind === undefined || listKind === "" ? {} : { listKind }),
    ...(categories === undefined ? {} : { categories }),
  };
}

/** Whether a definition's names are all its own. */
export function hasItsNames({ spec, status }: CustomResourceDefinition): boolean {
  return deepEqual({ ...inOrder(spec.names) }, { ...inOrder(status?.acceptedNames ?? NO_NAMES) });
}
