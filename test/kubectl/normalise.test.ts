// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalise, transcriptOf } from "./normalise.ts";

test("ages, times, ids, versions and ports are replaced, with the space that depends on their width", () => {
  const young = "NAME   AGE   LABELS\na      5s    x=y\nb   2020-01-01T00:00:00Z\n";
  const old = "NAME   AGE    LABELS\na      118s   x=y\nb   2020-01-01T00:00:00Z\n";
  assert.equal(normalise(young), normalise(old));
  assert.equal(normalise("LAST SEEN   TYPE\n3m5s        Normal\n"), "LAST SEEN   TYPE\n{age}   Normal\n");
  const series = normalise("LAST SEEN             TYPE\n1s (x3 over 6y320d)   Normal\n");
  assert.equal(series, "LAST SEEN   TYPE\n{age} (x3 over {age})   Normal\n");
  assert.equal(normalise('resourceVersion: "17"'), "resourceVersion: {version}");
  assert.equal(normalise("at 2026-11-15T23:24:25Z by https://127.0.0.1:4711/api"), "at {time} by {server}/api");
  assert.equal(normalise("uid: 3f0c6b5e-6a0f-4a7e-9d57-0123456789ab"), "uid: {uid}");
});

test("names that look like ages in part stay as they are", () => {
  assert.equal(normalise("k8s web-1s 10.40.0.10 4 16384"), "k8s web-1s 10.40.0.10 4 16384");
});

test("a transcript shows the command, its input, both outputs and how it ended", () => {
  const outcome = { exit: 1, stdout: "out", stderr: "err\n" };
  assert.equal(transcriptOf({ run: "get x" }, outcome), "$ kubectl get x\nout\nerr\n[exit 1]\n");
  const typed = transcriptOf({ run: "apply -f -", input: "a: b" }, { exit: 0, stdout: "", stderr: "" });
  assert.equal(typed, "$ kubectl apply -f - <<'END'\na: b\nEND\n");
});
