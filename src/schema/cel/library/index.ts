// SPDX-License-Identifier: Apache-2.0
import type { FunctionDeclaration } from "../declare.ts";
import { conversions } from "./conversions.ts";
import { lists } from "./lists.ts";
import { namedFormats } from "./named-formats.ts";
import { network } from "./network.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { quantities } from "./quantities.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./urls.ts";
import { versions } from "./versions.ts";

const LIBRARIES = [
  operators,
  conversions,
  strings,
  times,
  lists,
  optionals,
  network,
  urls,
  quantities,
  versions,
  namedFormats,
];

/** Every function that rules in a CRD can use on a Kubernetes 1.36 server, by name. */
export const FUNCTIONS: ReadonlyMap<string, FunctionDeclaration> = byName(LIBRARIES.flat());

/** Libraries may add signatures to a function of another one. */
function byName(declarations: readonly FunctionDeclaration[]): Map<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>();
  for (const declaration of declarations) {
    const known = functions.get(declaration.name);
    const overloads = [...(known?.overloads ?? []), ...declaration.overloads];
    functions.set(declaration.name, { ...declaration, ...known, overloads });
  }
  return functions;
}
