// SPDX-License-Identifier: Apache-2.0
import { declare, type FunctionDeclaration } from "../declare.ts";
import { conversions } from "./conversions.ts";
import { kubernetes } from "./kubernetes.ts";
import { lists } from "./lists.ts";
import { network, networkTexts } from "./network.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";

/** Every function that rules in a CRD can use on a Kubernetes 1.36 server, by name. */
export const FUNCTIONS: ReadonlyMap<string, FunctionDeclaration> = new Map(
  [...operators, ...conversions, ...strings, ...times, ...lists, ...optionals, ...network, ...kubernetes].map(
    (declaration) => [declaration.name, withNetworkTexts(declaration)],
  ),
);

function withNetworkTexts(declaration: FunctionDeclaration): FunctionDeclaration {
  if (declaration.name !== "string") return declaration;
  return declare("string", [...declaration.overloads, ...networkTexts]);
}
