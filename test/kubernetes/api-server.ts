// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Authority, createAuthority, createSigningKeys, type Identity } from "./certificates.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import { createClient } from "./request.ts";

/** A running kube-apiserver with its own etcd. */
export interface ApiServer {
  readonly url: string;
  /** Certificates and keys are PEM; the admin is in group system:masters. */
  readonly ca: string;
  readonly adminCertificate: string;
  readonly adminKey: string;
  /** Path of a kubeconfig for the admin, readable by this user alone. */
  readonly kubeconfig: string;
  readonly etcdUrl: string;
  readonly pids: { readonly apiServer: number; readonly etcd: number };
  /** Holds everything the server wrote; removed by `stop`. */
  readonly folder: string;
  /** A client certificate of another user, for tests of permissions. */
  issueClient(user: string, groups: readonly string[]): Promise<Identity>;
  /** Ends both programs and removes the folder. May be repeated. */
  stop(): Promise<void>;
}

/** How to start. */
export interface ApiServerOptions {
  /** Folder of kube-apiserver and etcd. */
  readonly assets: string;
  /** Whether etcd waits for the disk on each write. Off by default: tests throw the data away. */
  readonly fsync?: boolean;
  /** How long each of the two may take to be ready. */
  readonly readyWithinMs?: number;
  /** More flags for kube-apiserver; a later flag wins. */
  readonly flags?: readonly string[];
}

const PORT_TRIES = 5;

/** Starts etcd and kube-apiserver on loopback and waits until the server is ready. Throws with the end of the log where it is not. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), "butler-kubernetes-"));
  const running: GuardedProcess[] = [];
  const stop = async () => {
    for (const process of running.splice(0).reverse()) await process.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const authority = await createAuthority();
    const admin = await authority.issueClient("butler-admin", ["system:masters"]);
    const readyWithinMs = options.readyWithinMs ?? 60_000;

    const etcd = await startOnFreePorts("etcd", { options, folder, readyWithinMs, portCount: 2, plan: planEtcd });
    running.push(etcd.process);

    const files = await writeServerFiles(authority, folder);
    const plan = (context: PlanContext) => planApiServer({ ...context, etcdUrl: etcd.url, files, authority, admin });
    const apiServer = await startOnFreePorts("kube-apiserver", { options, folder, readyWithinMs, portCount: 1, plan });
    running.push(apiServer.process);

    const access = { url: apiServer.url, ca: authority.certificate, ...admin };
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigText(access), { mode: 0o600 });
    return {
      url: apiServer.url,
      ca: authority.certificate,
      adminCertificate: admin.certificate,
      adminKey: admin.key,
      kubeconfig,
      etcdUrl: etcd.url,
      pids: { apiServer: apiServer.process.pid, etcd: etcd.process.pid },
      folder,
      issueClient: authority.issueClient,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface PlanContext {
  readonly options: ApiServerOptions;
  readonly folder: string;
  readonly ports: readonly number[];
}

interface Plan {
  readonly url: string;
  readonly args: readonly string[];
  /** Whether it answers as it should; may throw while nothing listens yet. */
  isReady(): Promise<boolean>;
}

interface StartOptions {
  readonly options: ApiServerOptions;
  readonly folder: string;
  readonly readyWithinMs: number;
  readonly portCount: number;
  readonly plan: (context: PlanContext) => Plan;
}

/** A free port can be taken by somebody else before the program listens on it; then others are tried. */
async function startOnFreePorts(
  name: string,
  { options, folder, readyWithinMs, portCount, plan }: StartOptions,
): Promise<{ url: string; process: GuardedProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const ports = await freePorts(portCount);
    const { url, args, isReady } = plan({ options, folder, ports });
    const log = join(folder, `${name}-${attempt}.log`);
    const process = await startGuarded(join(options.assets, name), { args, log, folder });
    const problem = await waitUntilReady(process, { isReady, readyWithinMs });
    if (problem === undefined) return { url, process };
    const lines = await process.lastLines();
    await process.stop(0);
    if (lines.includes("address already in use") && attempt < PORT_TRIES) continue;
    throw new Error(`${name} ${problem}; its log ends:\n${lines}`);
  }
}

async function waitUntilReady(
  process: GuardedProcess,
  { isReady, readyWithinMs }: { isReady: () => Promise<boolean>; readyWithinMs: number },
): Promise<string | undefined> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    if (process.ended() !== undefined) return `ended before it was ready (${process.ended()})`;
    if (await isReady().catch(() => false)) return undefined;
    await delay(50);
  }
  return `was not ready within ${readyWithinMs} ms`;
}

function planEtcd({ options, folder, ports: [clientPort, peerPort] }: PlanContext): Plan {
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  return {
    url,
    args: [
      "--name=test",
      `--data-dir=${join(folder, `etcd-${clientPort}`)}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=test=${peerUrl}`,
      "--log-level=warn",
      ...(options.fsync === true ? [] : ["--unsafe-no-fsync"]),
    ],
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  };
}

interface ServerFiles {
  readonly [name: string]: string;
}

interface ApiServerPlanContext extends PlanContext {
  readonly etcdUrl: string;
  readonly files: ServerFiles;
  readonly authority: Authority;
  readonly admin: Identity;
}

function planApiServer({
  options,
  folder,
  ports: [port],
  etcdUrl,
  files,
  authority,
  admin,
}: ApiServerPlanContext): Plan {
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    args: [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${folder}`,
      ...Object.entries(files).map(([flag, path]) => `--${flag}=${path}`),
      "--service-account-issuer=https://127.0.0.1",
      "--service-cluster-ip-range=10.0.0.0/24",
      // There is no controller that would make service accounts, and nobody to publish the server's address to.
      "--disable-admission-plugins=ServiceAccount",
      "--endpoint-reconciler-type=none",
      "--authorization-mode=RBAC",
      ...(options.flags ?? []),
    ],
    isReady: async () => {
      const client = createClient({ url, ca: authority.certificate, ...admin });
      try {
        return (await client.request("GET", "/readyz")).status === 200;
      } finally {
        await client.close();
      }
    },
  };
}

/** The files behind kube-apiserver's flags, by flag. */
async function writeServerFiles(authority: Authority, folder: string): Promise<ServerFiles> {
  const serving = await authority.issueServer("kube-apiserver");
  const signing = createSigningKeys();
  const contents = {
    "client-ca-file": authority.certificate,
    "tls-cert-file": serving.certificate,
    "tls-private-key-file": serving.key,
    "service-account-key-file": signing.publicKey,
    "service-account-signing-key-file": signing.privateKey,
  };
  const keys = join(folder, "keys");
  await mkdir(keys, { mode: 0o700 });
  const files: Record<string, string> = {};
  for (const [flag, content] of Object.entries(contents)) {
    files[flag] = join(keys, `${flag}.pem`);
    await writeFile(files[flag], content, { mode: 0o600 });
  }
  return files;
}

/** All different: they are held open until all are known. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    await Promise.all(servers.map((server) => once(server.listen(0, "127.0.0.1"), "listening")));
    return servers.map((server) => {
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("listening without a port");
      return address.port;
    });
  } finally {
    for (const server of servers) server.close();
  }
}
