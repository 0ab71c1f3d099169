// SPDX-License-Identifier: Apache-2.0
import { managerManifests } from "../engine/manager-manifests.ts";
import { kinds } from "../kinds.ts";
import { printYamlStream } from "../lib/yaml-print.ts";
import { providers } from "../providers/index.ts";
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";
import { chosenNamespaces, chosenProviders } from "./provider-names.ts";

const IMAGE = "ghcr.io/butlerdotdev/butler";

/** Prints what a cluster needs to run the controllers, as one YAML stream. */
export async function run(io: Io, { options }: Input): Promise<number> {
  const manifests = managerManifests({
    providers: chosenProviders(options.providers, providers),
    namespaces: chosenNamespaces(options.namespaces),
    image: imageOf(options.image) ?? `${IMAGE}:v${io.version()}`,
    definitions: kinds.map((kind) => kind.crd()),
  });
  io.write(printYamlStream(manifests));
  return exitCodes.fine;
}

function imageOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w][\w./:@-]*$/.test(text)) return text;
  throw new UsageError(`--image: "${text}" is no image; write it as registry/name:tag`);
}
