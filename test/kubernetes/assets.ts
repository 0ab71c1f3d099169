// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { access, constants, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The version of Kubernetes the tests run against; `go/go.mod` names the same. */
export const KUBERNETES_VERSION = "1.36.3";

/** A program the tests can run, and the Go package it is built from. */
export type Binary = "kube-apiserver" | "etcd" | "kube-controller-manager";

const PACKAGES: Record<Binary, string> = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
};

/** What every API server needs. */
export const SERVER_BINARIES: readonly Binary[] = ["kube-apiserver", "etcd"];

/** Where the programs are, or in one line why there are none and how to get them. */
export type Assets = { readonly folder: string } | { readonly missing: string };

/** The machine as the search sees it; given by tests, else the real one. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told once, before a build that takes minutes. */
  readonly announce: (line: string) => void;
}

/**
 * Finds the named programs: in `KUBEBUILDER_ASSETS` if that is set, else in the cache, else by building them with Go.
 * Throws where `KUBEBUILDER_ASSETS` lacks one or a build fails; having neither them nor Go is an answer, not an error.
 */
export async function findAssets(
  binaries: readonly Binary[] = SERVER_BINARIES,
  surroundings: Surroundings = { environment: process.env, announce: (line) => process.stderr.write(`${line}\n`) },
): Promise<Assets> {
  const { environment, announce } = surroundings;
  const given = environment.KUBEBUILDER_ASSETS;
  if (given) {
    const absent = await absentFrom(given, binaries);
    if (absent.length > 0)
      throw new Error(`KUBEBUILDER_ASSETS is "${given}", which has no runnable ${absent.join(", ")}`);
    return { folder: given };
  }
  const cache = join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), ".cache"), "butler");
  const folder = join(cache, `kubernetes-${KUBERNETES_VERSION}`);
  const absent = await absentFrom(folder, binaries);
  if (absent.length === 0) return { folder };
  if (!(await hasGo(environment.PATH))) {
    return {
      missing: `no ${absent.join(", ")} ${KUBERNETES_VERSION}: install Go to have them built, or set KUBEBUILDER_ASSETS to a folder that has them`,
    };
  }
  announce(`building ${absent.join(" and ")} for Kubernetes ${KUBERNETES_VERSION} into ${folder}; once, some minutes`);
  await build(absent, { folder, environment });
  return { folder };
}

async function absentFrom(folder: string, binaries: readonly Binary[]): Promise<Binary[]> {
  const runnable = await Promise.all(binaries.map((binary) => isRunnable(join(folder, binary))));
  return binaries.filter((_, index) => runnable[index] === false);
}

async function isRunnable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function hasGo(path = ""): Promise<boolean> {
  const found = await Promise.all(path.split(delimiter).map((folder) => isRunnable(join(folder, "go"))));
  return found.includes(true);
}

/** Each program is renamed into place when whole: a build that is interrupted, or runs twice at once, leaves nothing half done. */
async function build(
  binaries: readonly Binary[],
  { folder, environment }: { folder: string; environment: Surroundings["environment"] },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(`${folder}.build-`);
  try {
    for (const binary of binaries) {
      await run("go", buildArguments(binary, join(unfinished, binary)), { ...environment, CGO_ENABLED: "0" });
      await rename(join(unfinished, binary), join(folder, binary));
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function buildArguments(binary: Binary, output: string): string[] {
  const [major, minor] = KUBERNETES_VERSION.split(".");
  // Without these the server calls itself v0.0.0-master, and kubectl complains.
  const version = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(version).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const linker = ["-s -w", ...flags].join(" ");
  return ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", output, PACKAGES[binary]];
}

async function run(command: string, args: string[], environment: Surroundings["environment"]): Promise<void> {
  const child = spawn(command, args, {
    cwd: join(import.meta.dirname, "go"),
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let tail = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-2000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on("error", reject);
  child.on("close", (code) => {
    if (code === 0) resolve();
    else reject(new Error(`${command} ${args[0]} ${args.at(-1)} ended with ${code}:\n${tail}`));
  });
  return promise;
}
