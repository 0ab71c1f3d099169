// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Pieces of code that a test has run in a program's process before the program itself. */
const preloads = {
  /** Writes the address of every module that is loaded to the error stream. */
  listModules: `
    require("node:module").registerHooks({
      load(url, context, next) {
        process.stderr.write("LOADED " + url + "\\n");
        return next(url, context);
      },
    });`,
  /** Makes this Node look old to the launcher. */
  pretendOld: `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.2" } });
    Object.defineProperty(process, "version", { value: "v20.1.2" });`,
  /** Tells on the error stream when the program is ready for signals; unheard by an older Node. */
  announceReady: `
    if (Number(process.versions.node.split(".")[0]) >= 24) {
      process.on("newListener", (name) => {
        if (name === "SIGINT") setImmediate(() => process.stderr.write("READY\\n"));
      });
    }`,
  /** Breaks something the program relies on. */
  breakDirectory: `
    process.cwd = () => {
      throw new Error("boom\\nsecond line");
    };`,
};

/** Writes the preloads to a folder of their own, for `node --require`; gives their paths and the folder. */
export function writePreloads(): { folder: string; paths: Record<keyof typeof preloads, string> } {
  const folder = mkdtempSync(join(tmpdir(), "butler-preloads-"));
  const write = (name: keyof typeof preloads): string => {
    const path = join(folder, `${name}.cjs`);
    writeFileSync(path, preloads[name]);
    return path;
  };
  return {
    folder,
    paths: {
      listModules: write("listModules"),
      pretendOld: write("pretendOld"),
      announceReady: write("announceReady"),
      breakDirectory: write("breakDirectory"),
    },
  };
}
