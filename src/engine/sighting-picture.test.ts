// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kube/index.ts";
import type { MachineHave } from "./provider.ts";
import { createPicture } from "./sighting-picture.ts";

const machine = (machineId: string, owner: string): MachineHave => ({
  name: `vm-${machineId}`,
  mark: { machineId, installation: "i", attempt: 1, launch: "h", owner },
  providerId: undefined,
  state: "remains",
  addresses: [],
  labels: {},
});

test("all that an owner has is known, whatever its id, also when an id was copied, until it is gone", () => {
  const picture = createPicture({ clock: manualClock(), visibilityLagMs: 0, onChange: () => {} });
  const names = (owner: string) => picture.ofOwner(owner).map(({ mark }) => mark.machineId);
  const first = picture.begin(0);
  for (const each of [machine("a", "ns/one"), machine("b", "ns/one"), machine("b", "ns/two")]) first.tell(each);
  first.end();
  assert.deepEqual(names("ns/one"), ["a", "b"]);
  picture.forget({ machineId: "b", owner: "ns/one" }, { since: picture.told });
  assert.deepEqual([names("ns/one"), names("ns/two"), names("ns/none")], [["a"], ["b"], []]);
  picture.gone({ machineId: "a", name: "vm-a" });
  assert.deepEqual(names("ns/one"), []);
});
