// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleSettings, sampleWant } from "./testing/samples.ts";
import { validate, validateSettings } from "./validate.ts";

test("the documents' machine is fine", () => {
  const labels = { "butler.butlerlabs.dev/cluster": "butler-mgmt", "butler.butlerlabs.dev/role": "control-plane" };
  assert.deepEqual(validate(sampleWant({ labels }), sampleSettings()), []);
});

test("an address from a pool is refused by the field's name, never silently left out", () => {
  const [problem] = validate(sampleWant({ network: { pool: "lab" } }), sampleSettings());
  assert.match(problem ?? "", /^spec\.network: /);
});

test("an image is needed in the request or the ProviderConfig", () => {
  const settings = sampleSettings({ imageName: undefined });
  assert.match(validate(sampleWant(), settings)[0] ?? "", /^spec\.image: .*spec\.harvester\.imageName/);
  assert.deepEqual(validate(sampleWant({ image: "default/talos" }), settings), []);
});

for (const [what, labels, pattern] of [
  ["a value with a space", { owner: "team a" }, /^spec\.labels\["owner"\]: the value "team a" must be/],
  ["a value that is too long", { owner: "a".repeat(64) }, /^spec\.labels\["owner"\]: the value/],
  ["a name that is none", { "a/b/c": "x" }, /^spec\.labels\["a\/b\/c"\]: is no valid label name/],
  ["an empty name", { "": "x" }, /^spec\.labels\[""\]: is no valid label name/],
  ["one of ours", { "butler.butlerlabs.dev/machine-id": "x" }, /is set by Butler itself/],
] as const)
  test(`a label that Harvester would refuse is named: ${what}`, () => {
    const problems = validate(sampleWant({ labels }), sampleSettings());
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", pattern);
  });

test("spread group and failure domain must be able to be labels", () => {
  const problems = validate(sampleWant({ spreadGroup: "a b", failureDomain: "rack/1" }), sampleSettings());
  assert.deepEqual(
    problems.map((problem) => problem.split(":")[0]),
    ["spec.spreadGroup", "spec.failureDomain"],
  );
});

test("secure boot without EFI is refused", () => {
  assert.deepEqual(validateSettings(sampleSettings({ efi: true, secureBoot: true })), []);
  assert.match(validateSettings(sampleSettings({ secureBoot: true }))[0] ?? "", /^spec\.harvester\.secureBoot/);
});
