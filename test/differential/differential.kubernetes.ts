// SPDX-License-Identifier: Apache-2.0
import { kinds } from "../../src/kinds.ts";
import { installCrds, kubernetesTest } from "../kubernetes/harness.ts";
import { compareWithServer } from "./differential.ts";

kubernetesTest("a real API server and src/schema agree on 1,000 slightly broken objects", async (server, t) => {
  await installCrds(
    server,
    kinds.map((kind) => kind.crd()),
  );
  const coverage = await compareWithServer(server, { seed: 20260310, objects: 1000 });
  t.diagnostic(JSON.stringify(coverage));
});
