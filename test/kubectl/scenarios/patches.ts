// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { configMap, machineRequest } from "./manifests.ts";

/** Changes of parts of an object. */
export const patches: Scenario = {
  name: "patch label annotate",
  steps: [
    { run: "create namespace patched" },
    { run: "create -f -", input: configMap("settings", "patched", { a: "1", b: "2" }) },
    { run: "create -f -", input: machineRequest("web-1", { namespace: "patched" }) },
    { run: `patch cm settings -n patched -p '{"data":{"a":"strategic","b":null}}'` },
    { run: `patch cm settings -n patched --type=merge -p '{"data":{"c":"merge"}}'` },
    {
      run: `patch cm settings -n patched --type=json -p '[{"op":"test","path":"/data/c","value":"merge"},{"op":"add","path":"/data/d","value":"json"}]'`,
    },
    { run: `patch cm settings -n patched --type=json -p '[{"op":"test","path":"/data/c","value":"other"}]'`, exit: 1 },
    { run: `patch cm settings -n patched --type=json -p '[{"op":"remove","path":"/data/nothing"}]'`, exit: 1 },
    { run: `patch cm settings -n patched -p '{"data":{"a":"strategic"}}'` },
    { run: `patch cm settings -n patched -p '{"data":{"a":1}}'`, exit: 1 },
    { run: "get cm settings -n patched -o yaml --show-managed-fields" },
    { run: `patch mr web-1 -n patched -p '{"spec":{"cpu":8}}'`, exit: 1 },
    { run: `patch mr web-1 -n patched --type=merge -p '{"spec":{"cpu":8}}'` },
    { run: `patch mr web-1 -n patched --type=merge -p '{"spec":{"cpu":1000,"role":"queen"}}'`, exit: 1 },
    {
      run: `patch mr web-1 -n patched --type=json -p '[{"op":"replace","path":"/spec/extraDisks/0/sizeGB","value":600}]' -o jsonpath={.spec.extraDisks}`,
    },
    { run: `patch mr absent -n patched --type=merge -p '{}'`, exit: 1 },
    { run: `patch serviceaccount absent -n patched -p '{}'`, exit: 1 },
    {
      run: `patch ns patched -p '{"metadata":{"finalizers":["example.com/one"]}}' --dry-run=server -o jsonpath={.metadata.finalizers}`,
    },
    { run: "label mr web-1 -n patched tier=gold" },
    { run: "label mr web-1 -n patched tier=silver", exit: 1 },
    { run: "label mr web-1 -n patched tier=silver --overwrite" },
    { run: "label mr web-1 -n patched tier-" },
    { run: "label cm --all -n patched team=a" },
    { run: "label mr web-1 -n patched 'bad=no spaces'", exit: 1 },
    { run: "label mr web-1 -n patched --list" },
    { run: "annotate mr web-1 -n patched note='as you like'" },
    { run: "annotate mr web-1 -n patched note='something else' --overwrite --resource-version=1", exit: 1 },
    { run: "annotate cm settings -n patched note=x other=y" },
    { run: "annotate cm settings -n patched note-" },
    { run: "get cm,mr -n patched --show-labels" },
    { run: "get mr web-1 -n patched -o yaml --show-managed-fields" },
  ],
};
