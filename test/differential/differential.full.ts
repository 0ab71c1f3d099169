// SPDX-License-Identifier: Apache-2.0
import { kinds } from "../../src/kinds.ts";
import { installCrds, kubernetesTest } from "../kubernetes/harness.ts";
import { compareWithServer } from "./differential.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

kubernetesTest("a real API server and src/schema agree on 10,000 slightly broken objects", async (server, t) => {
  await installCrds(
    server,
    kinds.map((kind) => kind.crd()),
  );
  for (const seed of SEEDS) {
    t.diagnostic(`seed ${seed}: ${JSON.stringify(await compareWithServer(server, { seed, objects: 1000 }))}`);
  }
});
