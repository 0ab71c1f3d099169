// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { providerConfigDescriptor } from "../../src/engine/provider-config-use.ts";
import { type Client, type KindDescriptor, type KubeObject, secret } from "../../src/kube/index.ts";
import { CONFIG, type LivesWorld, NAMESPACE } from "./lives-world.ts";
import type { Witness } from "./witness.ts";

/** After the last request is gone: nothing is left on either side, and nothing is held any more. */
export async function leaveNothing({ client, simulator, requests }: LivesWorld, witness: Witness): Promise<void> {
  assert.equal(requests.size, 0);
  assert.deepEqual(simulator.leftovers(), []);
  assert.deepEqual(simulator.machines(), []);
  await removed(client, providerConfigDescriptor);
  await removed(client, secret);
  witness.checkFaults();
}

/** Deletes it, and waits until nobody holds it. */
async function removed<T extends KubeObject>(client: Client, kind: KindDescriptor<T>): Promise<void> {
  const key = { namespace: NAMESPACE, name: CONFIG };
  await client.delete(kind, key);
  const deadline = performance.now() + 60_000;
  while ((await client.list(kind, { namespace: NAMESPACE })).items.some(({ metadata }) => metadata.name === CONFIG)) {
    assert.ok(performance.now() < deadline, `${kind.kind} ${CONFIG} is still there`);
    await delay(50);
  }
}
