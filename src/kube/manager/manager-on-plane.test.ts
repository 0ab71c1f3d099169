// SPDX-License-Identifier: Apache-2.0
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { handOver, handOverPromise } from "./testing/manager-behaviour.ts";

const plane = await startPlane({ memory: true });
after(() => plane.stop());

test(`on the plane: ${handOverPromise}`, () => handOver(loadKubeconfig({ text: plane.kubeconfig, trusted: false })));
