// SPDX-License-Identifier: Apache-2.0
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { cacheBehaviours } from "./testing/cache-behaviour.ts";

const plane = await startPlane({ memory: true });
after(() => plane.stop());

for (const { promise, run } of cacheBehaviours)
  test(`cache on the plane: ${promise}`, () =>
    run({ config: loadKubeconfig({ text: plane.kubeconfig, trusted: false }) }));
