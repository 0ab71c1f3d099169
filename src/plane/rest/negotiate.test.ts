// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorFormat, negotiate, negotiateByRoute, wantsAggregatedDiscovery } from "./negotiate.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

test("the first representation that is known is taken, by quality", () => {
  const chosen = (accept: string | undefined) => {
    const { format, as, version } = negotiate(accept);
    return `${format} ${as} ${version}`;
  };
  assert.equal(chosen(undefined), "json object v1");
  assert.equal(chosen("*/*"), "json object v1");
  assert.equal(chosen(TABLE), "json Table v1");
  assert.equal(chosen("application/json;as=Table;v=v1beta1;g=meta.k8s.io"), "json Table v1beta1");
  assert.equal(
    chosen("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
    "json PartialObjectMetadata v1",
  );
  assert.equal(chosen("application/vnd.kubernetes.protobuf,application/json"), "json object v1");
  assert.equal(chosen("application/json;q=0.5,application/yaml"), "yaml object v1");
  assert.equal(chosen("application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json"), "json object v1");
});

test("a request that accepts nothing we have is refused, in other words for built-in kinds", () => {
  for (const accept of [
    "text/html",
    "application/vnd.kubernetes.protobuf",
    "application/json;q=0",
    "application/json;as=X",
  ])
    assert.throws(() => negotiate(accept), /only the following media types are accepted: application\/json/, accept);
  assert.throws(() => negotiateByRoute("text/html", false), /^StatusError: 406: Not Acceptable\n\nAvailable/);
  assert.throws(() => negotiateByRoute("text/html", true), /stream=watch$/);
});

test("errors are told in the format that was asked for, or else in JSON", () => {
  assert.deepEqual(["application/yaml", "text/html", undefined].map(errorFormat), ["yaml", "json", "json"]);
});

test("discovery in one document is for those who ask for it first", () => {
  assert.equal(wantsAggregatedDiscovery(`${DISCOVERY},application/json`), true);
  assert.equal(wantsAggregatedDiscovery(`application/json,${DISCOVERY}`), false);
  assert.equal(wantsAggregatedDiscovery("application/json"), false);
  assert.equal(wantsAggregatedDiscovery(DISCOVERY.replace("v2", "v9")), false);
});
