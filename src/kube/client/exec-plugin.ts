// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { ConfigError } from "../errors.ts";
import type { Clock } from "../types.ts";
import type { ExecPlugin } from "./cluster-config.ts";
import type { Renewable } from "./text-file.ts";

const MAX_OUTPUT_BYTES = 1024 * 1024;
const LONGEST_COMPLAINT = 500;
/** How much of the end of a complaint is searched for tokens: more than is shown, so that none is cut in two. */
const LONGEST_SEARCHED = 16 * 1024;
const RUN_MS = 60_000;
/** A person has to find a browser, a password, a key. */
const INTERACTIVE_RUN_MS = 10 * 60_000;
/** How long what a program has printed may take to arrive after its end. A child that it left behind can hold its output open. */
const LAST_OUTPUT_MS = 1_000;

/** What a plug-in handed out: a token, a certificate with its key, or both. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Undefined where it is good until the server refuses it. */
  readonly expiresAt: number | undefined;
}

/**
 * The credential of a plug-in, which is run only when there is none, it has expired or was refused. Every failure is a
 * `ConfigError` that names the program and what it complained, never its arguments, its environment or its output.
 */
export function createExecCredential(plugin: ExecPlugin, clock: Clock): Renewable<ExecCredential> {
  let value: ExecCredential | undefined;
  let isExpired = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      value = parseExecCredential(await runPlugin(plugin, clock), plugin);
      isExpired = false;
    } finally {
      running = undefined;
    }
  };
  return {
    get value() {
      return value;
    },
    isFresh() {
      if (value === undefined || isExpired) return false;
      return value.expiresAt === undefined || clock.now() < value.expiresAt;
    },
    fetch() {
      running ??= run();
      return running;
    },
    expire() {
      isExpired = true;
    },
  };
}

function runPlugin(plugin: ExecPlugin, clock: Clock): Promise<string> {
  const { interactiveMode, isInteractive } = plugin;
  if (interactiveMode === "Always" && !isInteractive)
    throw problem(plugin, "needs a person to answer it, and there is no terminal");
  const mayAsk = interactiveMode !== "Never" && isInteractive;
  const limitMs = mayAsk ? INTERACTIVE_RUN_MS : RUN_MS;
  return new Promise((resolve, reject) => {
    const child = start(plugin, mayAsk);
    const output = collect(child, "stdout");
    const complaint = collect(child, "stderr");
    let isTooSlow = false;
    let cancel = clock.after(limitMs, () => {
      isTooSlow = true;
      child.kill("SIGKILL");
    });
    child.once("exit", () => {
      cancel();
      cancel = clock.after(LAST_OUTPUT_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
    });
    child.once("error", (error) => {
      cancel();
      reject(notStarted(plugin, error));
    });
    child.once("close", (code, signal) => {
      cancel();
      if (code === 0 && !isTooSlow) return resolve(output());
      const how = isTooSlow ? `was ended after ${limitMs / 1000} s` : `ended with ${code ?? signal}`;
      const said = withoutSecrets(complaint().trim(), plugin).slice(-LONGEST_COMPLAINT);
      reject(problem(plugin, said === "" ? how : `${how}: ${said}`));
    });
  });
}

/** What cannot be started at all is told by an error that has the arguments and the environment in it. */
function start(plugin: ExecPlugin, mayAsk: boolean): ChildProcess {
  const { command, args, env } = plugin;
  try {
    return spawn(command, [...args], {
      env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, mayAsk)) },
      stdio: [mayAsk ? "inherit" : "ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw notStarted(plugin, error);
  }
}

function collect(child: ChildProcess, stream: "stdout" | "stderr"): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  child[stream]?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_OUTPUT_BYTES) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function execInfo({ apiVersion, cluster }: ExecPlugin, interactive: boolean) {
  return { apiVersion, kind: "ExecCredential", spec: { interactive, ...(cluster === undefined ? {} : { cluster }) } };
}

function notStarted(plugin: ExecPlugin, error: unknown): ConfigError {
  const code = error instanceof Error && "code" in error ? error.code : "unknown";
  const hint = plugin.installHint === undefined ? "" : `\n\n${plugin.installHint}`;
  return problem(plugin, code === "ENOENT" ? `was not found${hint}` : `could not be started: ${code}`);
}

/** Reads what the program printed. What it printed is not in any message: it is a credential, or near one. */
function parseExecCredential(output: string, plugin: ExecPlugin): ExecCredential {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw problem(plugin, "printed something that is not JSON");
  }
  if (!isFields(answer) || answer.kind !== "ExecCredential") throw problem(plugin, "did not print an ExecCredential");
  if (answer.apiVersion !== plugin.apiVersion)
    throw problem(plugin, `answered in another version than ${plugin.apiVersion}, which the kubeconfig asks for`);
  const status = isFields(answer.status) ? answer.status : undefined;
  if (status === undefined) throw problem(plugin, "printed no status");
  const token = optionalText(status.token);
  const certificate = optionalText(status.clientCertificateData);
  const key = optionalText(status.clientKeyData);
  if ((certificate === undefined) !== (key === undefined))
    throw problem(plugin, "printed a certificate without its key, or a key without its certificate");
  if (token === undefined && certificate === undefined)
    throw problem(plugin, "printed neither a token nor a certificate");
  return { token, certificate, key, expiresAt: expiryOf(status.expirationTimestamp, plugin) };
}

function expiryOf(value: unknown, plugin: ExecPlugin): number | undefined {
  if (value === undefined || value === null) return undefined;
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw problem(plugin, "printed an expirationTimestamp that is no time");
  return at;
}

function problem({ command }: ExecPlugin, what: string): ConfigError {
  return new ConfigError(`credential plug-in "${command}" ${what}`);
}

/** Takes out what the kubeconfig gave the program, and whatever looks like a token. */
function withoutSecrets(said: string, { secrets }: ExecPlugin): string {
  let clean = said;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "***");
  return clean
    .slice(-LONGEST_SEARCHED)
    .replaceAll(/\beyJ[\w-]{1,2000}\.[\w-]+(\.[\w-]*)?|\b(?:Bearer|Basic)\s+\S+/g, "***");
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
