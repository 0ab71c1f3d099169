// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { promisify } from "node:util";
import { findKubectl } from "../kubectl/find-kubectl.ts";
import { type Kubectl, kubectlFor } from "../kubectl/kubectl.ts";
import type { Endpoint } from "../kubectl/types.ts";

/** A Kubernetes on which lives are lived. */
export interface LifeTarget {
  /** The server; undefined where there is none, and then the test was skipped. */
  open(t: TestContext): Promise<Endpoint | undefined>;
  /** Whether it knows Deployments. Where it does not, that document alone is left out. */
  readonly hasDeployments: boolean;
}

/** A Kubernetes on which Butler is installed, as its manual says, with kubectl beside it. */
export interface LifeStage {
  /** Runs kubectl, which has to succeed, and gives what it printed. */
  kubectl(words: readonly string[], input?: string): Promise<string>;
  /** Applies objects as a user would. */
  apply(objects: readonly object[]): Promise<void>;
  /** A kubeconfig of the account that the manifests made, with its rights and no others. */
  managerKubeconfig(): Promise<string>;
}

const LAUNCHER = join(import.meta.dirname, "../../bin/butleradm.js");

/** The file's stage: made by the first test that asks, ended with the last. Undefined where the test was skipped. */
export function sharedStage({ open, hasDeployments }: LifeTarget): (t: TestContext) => Promise<LifeStage | undefined> {
  let shared: Promise<{ stage: LifeStage; program: Kubectl } | string> | undefined;
  after(async () => {
    const made = await shared?.catch(() => undefined);
    if (typeof made === "object") made.program.close();
  });
  const start = async (t: TestContext) => {
    const found = await findKubectl();
    if ("missing" in found) {
      process.stderr.write(`skipped: ${found.missing}\n`);
      return found.missing;
    }
    const endpoint = await open(t);
    if (endpoint === undefined) return "no server";
    const program = kubectlFor(found.path, endpoint);
    const stage = stageOf(program, endpoint);
    await install(stage, hasDeployments);
    return { stage, program };
  };
  return async (t) => {
    shared ??= start(t);
    const made = await shared;
    if (typeof made === "object") return made.stage;
    t.skip(made);
    return undefined;
  };
}

function stageOf(program: Kubectl, { url, ca }: Endpoint): LifeStage {
  const kubectl: LifeStage["kubectl"] = async (words, input) => {
    const { exit, stdout, stderr } = await program.run(words, { input });
    assert.equal(exit, 0, `kubectl ${words.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    kubectl,
    async apply(objects) {
      await kubectl(["apply", "-f", "-"], objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(""));
    },
    async managerKubeconfig() {
      const token = await kubectl(["create", "token", "butler-manager", "-n", "butler-system", "--duration=1h"]);
      return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          { name: "test", cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
        ],
        users: [{ name: "manager", user: { token: token.trim() } }],
        contexts: [{ name: "test", context: { cluster: "test", user: "manager" } }],
        "current-context": "test",
      });
    },
  };
}

/** Applies what `butleradm manifests` prints, every byte of it where the server knows all the kinds. */
async function install({ kubectl }: LifeStage, hasDeployments: boolean): Promise<void> {
  const words = [LAUNCHER, "manifests", "--providers", "harvester"];
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 64 * 1024 * 1024 });
  const documents = stdout.split(/^(?=---\n)/m);
  assert.equal(documents.filter((document) => /^kind: Deployment$/m.test(document)).length, 1);
  const known = hasDeployments ? documents : documents.filter((document) => !/^kind: Deployment$/m.test(document));
  const applied = await kubectl(["apply", "--server-side", "-f", "-"], known.join(""));
  assert.match(applied, /serviceaccount\/butler-manager serverside-applied/);
  assert.equal(/^deployment\.apps\/butler-manager serverside-applied$/m.test(applied), hasDeployments, applied);
}
