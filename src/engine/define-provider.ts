// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { ProviderBlock } from "../api/provider-block.ts";
import type { Provider, ProviderDefinition } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";

const USUAL_CALL_LIMIT_MS = 60_000;
const USUAL_WATCH_MS = 10 * 60_000;

/** Makes a provider whose settings are parsed once, at the door. */
export function defineProvider<Block extends ProviderBlock>(definition: ProviderDefinition<Block>): Provider {
  const { block, visibilityLagMs = 0, callLimitMs = USUAL_CALL_LIMIT_MS, watchLastsMs = USUAL_WATCH_MS } = definition;
  return {
    name: block.name,
    visibilityLagMs,
    callLimitMs,
    watchLastsMs,
    async connect(input) {
      const parsed = z.safeParse<Block["settings"]>(block.settings, input.settings);
      if (parsed.success) return await definition.connect({ ...input, settings: parsed.data });
      const [first] = parsed.error.issues;
      const field = ["spec", block.name, ...(first?.path ?? [])].join(".");
      throw new ProviderError({
        kind: "invalid",
        reason: "InvalidSettings",
        message: `${field}: ${first?.message ?? "is not valid"}`,
      });
    },
  };
}
