// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "./read.ts";
import { CLAIMS, condition, IMAGES, machine, stage, VMIS, VMS } from "./testing/stage.ts";

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

test("H1 an image imports with progress over time and is Imported at the end", async (t) => {
  const { get, until, harvester } = await stage(t);
  await harvester.addImage("default/talos", { displayName: "talos-v2" });
  const seen = new Set<string>();
  await until(async () => {
    const image = await get(`${IMAGES}/talos`);
    seen.add(`${textAt(image, "status", "progress")} ${condition(image, "Imported")}`);
    return condition(image, "Imported") === "True Imported";
  });
  assert.deepEqual(
    [...seen].filter((text) => text.trim() !== ""),
    [
      "0 Unknown Importing",
      "25 Unknown Importing",
      "50 Unknown Importing",
      "75 Unknown Importing",
      "100 True Imported",
    ],
  );
});

test("H1 an import that fails is tried again and ends in RetryLimitExceeded; it can be mended", async (t) => {
  const { get, pass, until, harvester } = await stage(t);
  await harvester.addImage("default/broken", { import: "fails" });
  await until(async () => condition(await get(`${IMAGES}/broken`), "RetryLimitExceeded") === "True");
  const image = await get(`${IMAGES}/broken`);
  assert.equal(condition(image, "Imported"), "False ImportFailed");
  assert.equal(textAt(image, "status", "failed"), "4");
  assert.equal(textAt(image, "status", "storageClassName"), "");
  await harvester.addImage("default/slow", { import: "stalls" });
  await pass(600_000);
  assert.equal(condition(await get(`${IMAGES}/slow`), "Imported"), "Unknown Importing");
  for (const name of ["broken", "slow"]) {
    await harvester.finishImport(`default/${name}`);
    await until(async () => condition(await get(`${IMAGES}/${name}`), "Imported") === "True Imported");
  }
});

test("H1 a lost backing image is told in BackingImageMissing", async (t) => {
  const { get, harvester } = await stage(t);
  await harvester.loseBackingImage("default/image-5rs6d");
  assert.equal(condition(await get(`${IMAGES}/image-5rs6d`), "BackingImageMissing"), "True");
});

for (const [version, name] of [
  ["1.2", /^longhorn-talos$/],
  ["1.3", /^longhorn-talos$/],
  ["1.4", /^longhorn-talos$/],
  ["1.8", /^lh-[0-9a-f-]{36}$/],
] as const) {
  test(`H2 the class of an image appears after its import, and on ${version} is named ${name.source}`, async (t) => {
    const { get, until, harvester } = await stage(t, { harvester: version });
    await harvester.addImage("default/talos");
    let className = "";
    await until(async () => {
      const image = await get(`${IMAGES}/talos`);
      className = textAt(image, "status", "storageClassName");
      const isImported = condition(image, "Imported") === "True Imported";
      assert.equal(className !== "", isImported);
      return isImported;
    });
    assert.match(className, name);
    if (version === "1.8") assert.equal(className, `lh-${(await get(`${IMAGES}/talos`))?.metadata.uid}`);
    assert.equal(textAt(await get(`${CLASSES}/${className}`), "provisioner"), "driver.longhorn.io");
  });
}

test("H3 a volume whose image is not its class's is refused with a text, in a machine and alone", async (t) => {
  const { send, pass, harvester } = await stage(t);
  await harvester.addImage("default/other");
  await pass(30_000);
  const refused = await send("POST", VMS, machine("web-1", { storageClass: "longhorn-other" }));
  assert.equal(refused.status, 422);
  assert.match(
    refused.message,
    /^admission webhook "validator.harvesterhci.io" denied the request: volume web-1-disk-0: the backing image .* of storage class longhorn-other does not match .* of image default\/image-5rs6d$/,
  );
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk", annotations: { "harvesterhci.io/imageId": "default/image-5rs6d" } },
    spec: {
      accessModes: ["ReadWriteMany"],
      storageClassName: "longhorn-other",
      resources: { requests: { storage: "10Gi" } },
    },
  };
  assert.equal((await send("POST", CLAIMS, claim)).status, 422);
  const right = { ...claim, spec: { ...claim.spec, storageClassName: "longhorn-image-5rs6d" } };
  assert.equal((await send("POST", CLAIMS, right)).status, 201);
});

test("a class that is not there leaves the volume unbound, with an event, until it comes", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await harvester.addImage("default/late", { import: "stalls" });
  await pass(10_000);
  await send("POST", VMS, machine("web-1", { imageId: "default/late", storageClass: "longhorn-late" }));
  await pass(300_000);
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "WaitingForVolumeBinding");
  const events = JSON.stringify((await send("GET", "/api/v1/namespaces/default/events")).body);
  assert.match(events, /ProvisioningFailed.*longhorn-late/);
  await harvester.finishImport("default/late");
  await until(async () => textAt(await get(`${VMIS}/web-1`), "status", "phase") === "Running");
});

test("an image that is not there leaves its volume out without a word", async (t) => {
  const { send, get, pass } = await stage(t);
  await send("POST", VMS, machine("web-1", { imageId: "default/nowhere", storageClass: "longhorn-nowhere" }));
  await pass(300_000);
  assert.equal(await get(`${CLAIMS}/web-1-disk-0`), undefined);
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "ErrorPvcNotFound");
});
