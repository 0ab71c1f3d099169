// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { configMap, event, machineRequest, runningStatus } from "./manifests.ts";

/** Changes as they happen. */
export const watching: Scenario = {
  name: "get -w",
  steps: [
    { run: "create namespace watched" },
    { run: "create -f -", input: machineRequest("web-1", { namespace: "watched" }) },
    {
      run: "get mr -n watched -w",
      lines: 5,
      during: [
        { run: runningStatus("web-1", { namespace: "watched", ip: "10.40.0.10" }) },
        { run: "create -f -", input: machineRequest("web-2", { namespace: "watched", role: "worker" }) },
        { run: "delete mr web-1 -n watched" },
      ],
    },
    {
      run: "get cm -n watched -l app=shop -w --output-watch-events -o name",
      lines: 3,
      during: [
        { run: "create -f -", input: configMap("seen", "watched", { a: "1" }) },
        { run: "create cm unseen -n watched" },
        { run: "label cm seen -n watched app=other --overwrite" },
        { run: "label cm unseen -n watched app=shop" },
      ],
    },
    {
      run: "get mr -n watched --watch-only -o jsonpath='{.metadata.name} {.spec.cpu}{\"\\n\"}'",
      lines: 1,
      during: [{ run: `patch mr web-2 -n watched --type=merge -p '{"spec":{"cpu":8}}'` }],
    },
  ],
};

/** Commands that end when something has come true. */
export const waiting: Scenario = {
  name: "wait",
  steps: [
    { run: "create namespace waited" },
    { run: "create -f -", input: machineRequest("web-1", { namespace: "waited" }) },
    { run: "wait mr/web-1 -n waited --for=condition=Ready --timeout=1s", exit: 1 },
    {
      run: "wait mr/web-1 -n waited --for=condition=Ready --timeout=30s",
      during: [
        { run: runningStatus("web-1", { namespace: "waited", ip: "10.40.0.10", isReady: false }) },
        { run: runningStatus("web-1", { namespace: "waited", ip: "10.40.0.10" }) },
      ],
    },
    { run: "wait mr/web-1 -n waited --for=condition=Ready --timeout=30s" },
    { run: "wait mr/web-1 -n waited --for=jsonpath={.status.phase}=Running --timeout=30s" },
    { run: "wait mr/absent -n waited --for=condition=Ready --timeout=1s", exit: 1 },
    {
      run: "wait mr --all -n waited --for=delete --timeout=30s",
      during: [{ run: "delete mr web-1 -n waited --wait=false" }],
    },
    { run: "wait mr/web-1 -n waited --for=delete --timeout=1s" },
    { run: "wait crd --all --for=condition=Established --timeout=30s" },
  ],
};

const finalizer = `'{"metadata":{"finalizers":["example.com/vm"]}}'`;
const noFinalizer = `'{"metadata":{"finalizers":null}}'`;

/** Objects that somebody holds on to. */
export const deletion: Scenario = {
  name: "delete",
  steps: [
    { run: "create namespace deleted" },
    { run: "create -f -", input: machineRequest("web-1", { namespace: "deleted" }) },
    { run: `patch mr web-1 -n deleted --type=merge -p ${finalizer}` },
    { run: "delete mr web-1 -n deleted --timeout=1s", exit: 1 },
    { run: "get mr web-1 -n deleted -o yaml" },
    { run: "describe mr web-1 -n deleted" },
    {
      run: `patch mr web-1 -n deleted --type=merge -p '{"metadata":{"finalizers":["example.com/vm","example.com/late"]}}'`,
      exit: 1,
    },
    {
      run: "delete mr web-1 -n deleted --timeout=30s",
      during: [{ run: `patch mr web-1 -n deleted --type=merge -p ${noFinalizer}` }],
    },
    { run: "get mr -n deleted" },
    { run: "delete mr web-1 -n deleted", exit: 1 },
    { run: "delete mr web-1 -n deleted --ignore-not-found" },
    { run: "create -f -", input: configMap("a", "deleted", {}) },
    { run: "create -f -", input: configMap("b", "deleted", {}) },
    { run: "delete cm a -n deleted --now" },
    { run: "delete cm b -n deleted --cascade=orphan --wait=false" },
    { run: "get cm b -n deleted -o jsonpath={.metadata.finalizers}" },
    { run: "delete cm -n deleted -l app=none" },
    { run: "delete namespace default", exit: 1 },
  ],
};

/** What happened to machines. */
export const events: Scenario = {
  name: "events",
  steps: [
    { run: "create namespace eventful" },
    { run: "create -f -", input: machineRequest("web-1", { namespace: "eventful" }) },
    { run: "events -n eventful" },
    {
      run: "create -f -",
      input: [
        event("one", {
          namespace: "eventful",
          about: "web-1",
          type: "Normal",
          reason: "Creating",
          message: "machine is being created",
        }),
        event("two", {
          namespace: "eventful",
          about: "web-1",
          type: "Warning",
          reason: "QuotaExceeded",
          message: "no more cpu",
        }),
        event("three", {
          namespace: "eventful",
          about: "web-2",
          type: "Normal",
          reason: "Created",
          message: "machine created",
        }),
      ].join("---\n"),
    },
    { run: "events -n eventful" },
    { run: "events -n eventful --for mr/web-1 --types=Warning" },
    { run: "get events -n eventful" },
    { run: "get events -n eventful -o wide" },
    { run: "get events -n eventful --field-selector involvedObject.name=web-1,type=Normal" },
    { run: "get events.events.k8s.io -n eventful" },
    { run: "get events.events.k8s.io two -n eventful -o yaml" },
    { run: "describe mr web-1 -n eventful" },
    {
      run: "create -f -",
      input: event("four", {
        namespace: "eventful",
        about: "web-1",
        type: "Strange",
        reason: "X",
        message: "x",
      }).replace("eventful\ntype", "elsewhere\ntype"),
      exit: 1,
    },
  ],
};
