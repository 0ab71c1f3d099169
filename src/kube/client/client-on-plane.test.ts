// SPDX-License-Identifier: Apache-2.0
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { clientBehaviours } from "./testing/client-behaviour.ts";

const plane = await startPlane({ memory: true });
after(() => plane.stop());

for (const { promise, run } of clientBehaviours)
  test(`client on the plane: ${promise}`, () =>
    run({ config: loadKubeconfig({ text: plane.kubeconfig, trusted: false }) }));
