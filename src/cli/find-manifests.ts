// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Io } from "./io.ts";

/** A text to check, and how to name it in messages. */
export interface Manifest {
  name: string;
  text: string;
  /** Whether the user named it, rather than a folder it is in. */
  isNamed: boolean;
}

/** What the arguments led to, in their order, and what could not be read, each as one line for the user. */
export interface Found {
  manifests: Manifest[];
  failures: string[];
}

/**
 * Reads what the arguments name: files, folders (searched for manifests, hidden ones and node_modules left out, in
 * alphabetical order) and `-` for standard input. A file met twice is read once. Never throws for unreadable input.
 */
export async function findManifests(names: readonly string[], io: Io): Promise<Found> {
  const found: Found = { manifests: [], failures: [] };
  const seen = new Set<string>();
  for (const name of names) {
    for (const file of await filesOf(name, io, found)) {
      const path = file.name === "-" ? "-" : resolve(io.directory, file.name);
      if (seen.has(path)) continue;
      seen.add(path);
      await addText(file, path, { io, found });
    }
  }
  return found;
}

type File = Omit<Manifest, "text">;

async function filesOf(name: string, io: Io, found: Found): Promise<File[]> {
  if (name === "-") return [{ name, isNamed: true }];
  try {
    if (!(await stat(resolve(io.directory, name))).isDirectory()) return [{ name, isNamed: true }];
    const files = await search(name, io.directory);
    if (files.length === 0) found.failures.push(`no manifests (*.yaml, *.yml, *.json) in folder "${name}"`);
    return files.map((file) => ({ name: file, isNamed: false }));
  } catch (error) {
    found.failures.push(cannotRead(name, error));
    return [];
  }
}

async function search(folder: string, directory: string): Promise<string[]> {
  const entries = await readdir(resolve(directory, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    // Links to folders are not followed: they may lead in circles.
    if (entry.isDirectory()) files.push(...(await search(path, directory)));
    else if (/\.(ya?ml|json)$/.test(entry.name) && (await isFile(resolve(directory, path)))) files.push(path);
  }
  return files;
}

/** Pipes and devices in a folder are no manifests; reading one might never end. A link that leads nowhere is reported when read. */
async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
}

async function addText(file: File, path: string, { io, found }: { io: Io; found: Found }): Promise<void> {
  try {
    const bytes = path === "-" ? await io.readStdin() : await readFile(path);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    found.manifests.push({ ...file, name: path === "-" ? "<stdin>" : file.name, text });
  } catch (error) {
    found.failures.push(cannotRead(file.name, error));
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

function cannotRead(name: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return `cannot read "${name}": ${reasons[code] ?? (error instanceof Error ? error.message : String(error))}`;
}
