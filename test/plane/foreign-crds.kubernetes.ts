// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after } from "node:test";
import { startPlane } from "../../src/plane/plane.ts";
import {
  type Attempt,
  attemptOf,
  type Crd,
  collectionPath,
  installCrds,
  type KubernetesObject,
  kubernetesTest,
} from "../kubernetes/harness.ts";
import { type Client, createClient } from "../kubernetes/request.ts";
import { downloadModule, examplesIn, foreignModules } from "./foreign-modules.ts";

const plane = await startPlane({ memory: true, controllers: false });
const planeClient = createClient({ url: plane.url, ca: plane.authority.certificate, ...plane.authority.admin });

after(async () => {
  await planeClient.close();
  await plane.stop();
});

interface Example {
  readonly crd: Crd;
  readonly object: KubernetesObject;
}

/** Creates the object in namespace default, as a client does that asks for warnings. */
async function create(client: Client, { crd, object }: Example): Promise<Attempt> {
  return attemptOf(await client.request("POST", `${collectionPath(crd, object)}?fieldValidation=Warn`, object));
}

/** An answer without what differs between any two servers. Problems come in no order. */
function comparable({ object, causes, unknownFields, warnings, ...rest }: Attempt): unknown {
  const metadata = { uid: "", resourceVersion: "", creationTimestamp: "" };
  const { managedFields = [] } =
    (object as { metadata?: { managedFields?: { time?: string }[] } } | undefined)?.metadata ?? {};
  const order = (texts: readonly string[]) => [...texts].sort();
  return {
    ...rest,
    message: causes.length > 1 ? order(rest.message.split(/, |: \[|\]$/)) : rest.message,
    causes: order(causes.map((cause) => JSON.stringify(cause))),
    unknownFields: order(unknownFields),
    warnings: order(warnings),
    object: object && {
      ...object,
      metadata: {
        ...(object as KubernetesObject).metadata,
        ...metadata,
        managedFields: managedFields.map((entry) => ({ ...entry, time: "" })),
      },
    },
  };
}

/** The names of what a version lists. */
async function namesIn(client: Client, crd: Crd, version: string): Promise<unknown> {
  const path = `${collectionPath(crd, { apiVersion: `${crd.spec.group}/${version}` })}?limit=500`;
  const { body } = await client.request("GET", path);
  const { items } = body as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata: { name } }) => name);
}

for (const foreign of foreignModules) {
  kubernetesTest(`the CRDs of ${foreign.module} serve their own examples as a real server does`, async (server, t) => {
    const folder = await downloadModule(foreign.module);
    if (folder === undefined) return t.skip(`no Go to download ${foreign.module} with`);
    const crds = foreign.crds(folder);
    const examples = examplesIn(folder, foreign, crds);
    assert.ok(crds.length >= 10 && examples.length >= 5, `${crds.length} CRDs, ${examples.length} examples`);
    const [real, ours] = [await installCrds(server, crds), await installCrds(planeClient, crds)];
    assert.deepEqual(ours, real);

    let accepted = 0;
    for (const [index, { file, crd, object }] of examples.entries()) {
      const { generateName, namespace, ...metadata } = { generateName: "", namespace: "", ...object.metadata };
      const named = { ...object, metadata: { ...metadata, name: `example-${index}` } };
      const expected = await create(server, { crd, object: named });
      const answer = await create(planeClient, { crd, object: named });
      assert.deepEqual(comparable(answer), comparable(expected), `${object.kind} of ${file}`);
      if (expected.accepted) accepted += 1;
    }
    for (const crd of new Set(examples.map((example) => example.crd)))
      for (const { name } of crd.spec.versions.filter(({ served }) => served))
        assert.deepEqual(await namesIn(planeClient, crd, name), await namesIn(server, crd, name));
    t.diagnostic(`${crds.length} CRDs; ${accepted} of ${examples.length} examples accepted by both`);
  });
}
