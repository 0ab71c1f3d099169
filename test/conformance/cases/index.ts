// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../framework/types.ts";
import { apply } from "./apply/index.ts";
import { auth } from "./auth/index.ts";
import { garbage } from "./garbage/index.ts";
import { patch } from "./patch/index.ts";
import { printing } from "./printing/index.ts";
import { rest } from "./rest/index.ts";
import { schema } from "./schema/index.ts";
import { selectors } from "./selectors/index.ts";
import { watch } from "./watch/index.ts";

/** Every category of the conformance suite. */
export const suites: readonly Suite[] = [rest, selectors, schema, printing, auth, watch, apply, patch, garbage];
