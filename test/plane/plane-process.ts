// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "../../src/lib/yaml.ts";
import type { Access } from "../kubernetes/request.ts";

/** A plane in a process of its own, as `butleradm plane` runs it. */
export interface PlaneProcess {
  /** Where it is, and the administrator's certificate. */
  readonly access: Required<Access>;
  readonly pid: number;
  /** All that it wrote to its standard output and error so far. */
  output(): string;
  /** Ends it and waits until it is gone. May be repeated. */
  end(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** How to start one. */
export interface PlaneProcessOptions {
  /** The launcher to run; the one of this checkout unless told otherwise. */
  readonly launcher?: string;
  readonly nodeFlags?: readonly string[];
}

/** A plane that is about to start. */
export interface StartingPlane {
  readonly ready: Promise<PlaneProcess>;
  /** Ends it, ready or not, and waits until it is gone. */
  end(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const LAUNCHER = join(import.meta.dirname, "../../bin/butleradm.js");

/** Starts a plane on a folder and a free port. Its `ready` rejects, with what it wrote, where it ends before. */
export function spawnPlane(
  dir: string,
  { launcher = LAUNCHER, nodeFlags = [] }: PlaneProcessOptions = {},
): StartingPlane {
  const child = spawn(process.execPath, [...nodeFlags, launcher, "plane", "--dir", dir, "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = async (signal: "SIGTERM" | "SIGKILL" = "SIGKILL") => {
    child.kill(signal);
    await ended;
  };
  return { ready: whenReady(child, dir, end), end };
}

/** The same for those who only need it when it is ready. */
export function startPlaneProcess(dir: string, options?: PlaneProcessOptions): Promise<PlaneProcess> {
  return spawnPlane(dir, options).ready;
}

function whenReady(child: ChildProcess, dir: string, end: PlaneProcess["end"]): Promise<PlaneProcess> {
  let text = "";
  const { promise, resolve, reject } = Promise.withResolvers<PlaneProcess>();
  const hear = (chunk: Buffer) => {
    text += chunk;
    const url = /Kubernetes API on (https:\S+),/.exec(text)?.[1];
    if (url === undefined || child.pid === undefined) return;
    resolve({ access: accessOf(join(dir, "kubeconfig"), url), pid: child.pid, output: () => text, end });
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  child.once("close", (code, signal) => reject(new Error(`the plane ended with ${code ?? signal}: ${text}`)));
  // Whoever kills it before it is ready does not wait for it to be ready.
  promise.catch(() => {});
  return promise;
}

function accessOf(kubeconfig: string, url: string): Required<Access> {
  const [document] = parseYaml(readFileSync(kubeconfig, "utf8"));
  const config = Object(document?.value);
  const decode = (text: string) => Buffer.from(text, "base64").toString();
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  return {
    url,
    ca: decode(cluster["certificate-authority-data"]),
    certificate: decode(user["client-certificate-data"]),
    key: decode(user["client-key-data"]),
  };
}
