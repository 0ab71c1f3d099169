// SPDX-License-Identifier: Apache-2.0
import { defineProvider } from "../../engine/define-provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { openClient, readCredentials } from "./client.ts";
import { createMachines } from "./machines.ts";
import { harvesterBlock } from "./settings.ts";
import { createSite } from "./site.ts";
import { tokenLife } from "./token-life.ts";
import { validateSettings } from "./validate.ts";

/** Virtual machines on Harvester, over its Kubernetes API. */
export const provider = defineProvider({
  block: harvesterBlock,
  // Its watch notices silence by itself.
  watchLastsMs: 2 * 3_600_000,
  async connect({ settings, secret, secretKey, installation, clock, random, transport }) {
    const [problem] = validateSettings(settings);
    if (problem !== undefined)
      throw new ProviderError({ kind: "invalid", reason: "InvalidSettings", message: problem });
    const config = readCredentials({ secret, ...(secretKey === undefined ? {} : { secretKey }) });
    const client = openClient(config, { clock, random, ...(transport === undefined ? {} : { transport }) });
    const { token, password } = config.credentials ?? {};
    const secrets = [token, password].filter((text): text is string => text !== undefined && text !== "");
    const site = createSite({ client, settings, installation, clock, secrets });
    return {
      place: `${config.server} ${settings.namespace}`,
      machines: createMachines(site, tokenLife(config.credentials)),
      close: () => client.close().catch(() => {}),
    };
  },
});
