// SPDX-License-Identifier: Apache-2.0
import type { CommandEntry, ProgramName } from "./command.ts";

/** What each program is for, in two lines. */
export const programs: Readonly<Record<ProgramName, string>> = {
  butleradm: `butleradm is for operators of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It prints the definitions a cluster needs, checks manifests before they are applied, and runs a Kubernetes API itself.`,
  butlerctl: `butlerctl is for tenants of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It checks manifests before they are applied.`,
};

/** Every command there is. Adding one means one entry here and one file beside this one. */
export const commands: readonly CommandEntry[] = [
  {
    name: "crds",
    programs: ["butleradm"],
    summary: "print the CustomResourceDefinitions of Butler's kinds",
    details: "Prints one YAML stream, the same at every call, ready for `kubectl apply -f -`.",
    arguments: [],
    options: [
      {
        name: "kind",
        valueName: "KIND",
        summary: "only this one: a kind, its plural or its short name",
        values: async () => (await import("../kinds.ts")).kinds.map(({ kind }) => kind),
      },
    ],
    examples: [
      { line: "PROGRAM crds | kubectl apply --server-side -f -", explains: "teach a cluster all of Butler's kinds" },
      { line: "PROGRAM crds --kind mr", explains: "look at the definition of MachineRequest" },
    ],
    load: () => import("./crds.ts"),
  },
  {
    name: "validate",
    programs: ["butleradm", "butlerctl"],
    summary: "check manifests without a cluster",
    details: `Checks by the same schemas and rules as the API server would, and prints each problem as
file:line:column: field: problem. Folders are searched for *.yaml, *.yml and *.json; - reads standard input.
Objects that are not Butler's are skipped. A warning alone is no problem.`,
    arguments: [{ name: "FILE", summary: "file, folder or -", isRepeatable: true, values: "files" }],
    options: [
      {
        name: "output",
        letter: "o",
        valueName: "FORMAT",
        summary: "text (default) or json: an array with file, line, column, field, reason, message, severity",
        values: ["text", "json"],
      },
    ],
    examples: [
      { line: "PROGRAM validate machine.yaml", explains: "check one file" },
      { line: "PROGRAM validate manifests/ -o json", explains: "check a folder, for a machine to read" },
      { line: "kustomize build . | PROGRAM validate -", explains: "check what another program prints" },
    ],
    load: () => import("./validate.ts"),
  },
  {
    name: "plane",
    programs: ["butleradm"],
    summary: "run a Kubernetes API server on this machine",
    details: `Serves the API on 127.0.0.1 until it is interrupted, and says how to point kubectl at it. Objects, keys and a
kubeconfig are kept in the folder; the next start goes on with them. One process at a time can have a folder.`,
    arguments: [],
    options: [
      {
        name: "dir",
        valueName: "FOLDER",
        summary: "where objects and keys are kept (default: ~/.butler/plane)",
        values: "files",
      },
      { name: "port", valueName: "PORT", summary: "where to listen (default: a free one)", values: "text" },
    ],
    examples: [
      { line: "PROGRAM plane", explains: "run it, then use kubectl as it says" },
      { line: "PROGRAM plane --dir ./plane --port 6443", explains: "run another one elsewhere" },
    ],
    load: () => import("./plane.ts"),
  },
  {
    name: "completion",
    programs: ["butleradm", "butlerctl"],
    summary: "print a script that completes commands in your shell",
    details: "The script is complete in itself: completing runs nothing of Butler.",
    arguments: [{ name: "SHELL", summary: "bash, zsh or fish", values: ["bash", "zsh", "fish"] }],
    options: [],
    examples: [
      { line: "source <(PROGRAM completion bash)", explains: "in ~/.bashrc" },
      { line: "source <(PROGRAM completion zsh)", explains: "in ~/.zshrc, after compinit" },
      { line: "PROGRAM completion fish > ~/.config/fish/completions/PROGRAM.fish", explains: "once, for fish" },
    ],
    load: () => import("./completion.ts"),
  },
];

/** The commands of one program, in the order help shows them. */
export function commandsOf(program: ProgramName): readonly CommandEntry[] {
  return commands.filter((command) => command.programs.includes(program));
}
