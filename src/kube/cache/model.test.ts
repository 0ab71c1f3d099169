// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { churn } from "./testing/churn.ts";

const plane = await startPlane({ memory: true });
after(() => plane.stop());

for (const seed of [1, 2])
  test(`a cache behind the chaos proxy converges and never goes back, seed ${seed}`, async (t) => {
    const config = loadKubeconfig({ text: plane.kubeconfig, trusted: false });
    const { faults, connections, changes } = await churn(config, { seed, steps: 400 });
    t.diagnostic(`${connections} connections, ${changes} changes, ${JSON.stringify(faults)}`);
    assert.ok(Object.keys(faults).length > 0);
  });
