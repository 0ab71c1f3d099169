// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Entry, KubeObject, Store } from "../../types.ts";

/** A folder of its own, which is gone after the test. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "butler-store-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A small object that says which write it is from. */
export function objectOf(key: string, revision: number, value: unknown): KubeObject {
  const [, , namespace = "", name = ""] = key.split("/");
  return { apiVersion: "v1", kind: "Thing", metadata: { name, namespace, resourceVersion: String(revision) }, value };
}

/** Writes the value under the key, whatever was there. */
export function put(store: Store, key: string, value: unknown = ""): Promise<Entry | undefined> {
  return store.write(key, (_, revision) => ({ put: objectOf(key, revision, value) }));
}

/** Deletes what is under the key. */
export function remove(store: Store, key: string): Promise<Entry | undefined> {
  return store.write(key, () => "delete");
}

/** Entries as plain data that can be compared. */
export function plain(entries: readonly Entry[] | undefined): unknown {
  return entries?.map(({ key, revision, json, object }) => ({ key, revision, json, object }));
}
