// SPDX-License-Identifier: Apache-2.0
import type { CommandEntry, OptionEntry, ProgramName } from "./command.ts";

/** What each program is for, in two lines. */
export const programs: Readonly<Record<ProgramName, string>> = {
  butleradm: `butleradm is for operators of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It prints the definitions a cluster needs, checks manifests before they are applied, and runs a Kubernetes API itself.`,
  butlerctl: `butlerctl is for tenants of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It checks manifests before they are applied.`,
};

const providersOption: OptionEntry = {
  name: "providers",
  valueName: "NAMES",
  summary: "the infrastructures, separated by commas (default: all that can run)",
  values: async () => {
    const { providers } = await import("../providers/index.ts");
    return providers.filter(({ load }) => load !== undefined).map(({ name }) => name);
  },
};

const namespacesOption: OptionEntry = {
  name: "namespaces",
  valueName: "NAMES",
  summary: "besides butler-system, where ProviderConfigs have their Secrets: a,b or all",
  values: "text",
};

/** Every command there is. Adding one means one entry here and one file beside this one. */
export const commands: readonly CommandEntry[] = [
  {
    name: "demo",
    programs: ["butleradm"],
    summary: "show what Butler does, on nothing but this package",
    details: `Runs a Kubernetes API, a simulated Harvester and the controllers in one process, asks for a cluster's worth of machines,
and shows them as they come up. Each demo has ports and a folder of its own, and takes them along when it ends.`,
    arguments: [],
    options: [
      {
        name: "machines",
        valueName: "N",
        summary: "how many machines (default: 5, of which 3 are control planes)",
        values: "text",
      },
      { name: "once", summary: "delete everything at the end, prove that nothing is left, and exit" },
      { name: "faults", summary: "one request in eight to the infrastructure goes wrong" },
    ],
    examples: [
      { line: "PROGRAM demo", explains: "run it, and look with kubectl as it says" },
      { line: "PROGRAM demo --once --faults", explains: "a whole life on an unreliable infrastructure" },
    ],
    load: () => import("./demo.ts"),
  },
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
    name: "manager",
    programs: ["butleradm"],
    summary: "run Butler's controllers against a Kubernetes",
    details: `Makes and deletes the machines that MachineRequests ask for, until it is interrupted; then it finishes what is under
way. Logs are JSON lines on the error stream; /healthz, /readyz and /metrics are served on the health port.
Without --kubeconfig: KUBECONFIG, the cluster it runs in, or ~/.kube/config. Of several managers one leads per
provider (Lease butler-provider-NAME in butler-system); one that loses its Lease ends with exit code 1.`,
    arguments: [],
    options: [
      providersOption,
      { name: "kubeconfig", valueName: "FILE", summary: "the Kubernetes to work on", values: "files" },
      namespacesOption,
      {
        name: "leader-elect",
        valueName: "BOOLEAN",
        summary: "true (default), or false where there is never a second manager",
        values: ["true", "false"],
      },
      {
        name: "leader-elect-lease-duration",
        valueName: "TIME",
        summary: "how long others wait for a leader that is silent (default: 15s)",
        values: "text",
      },
      {
        name: "leader-elect-renew-deadline",
        valueName: "TIME",
        summary: "how long a leader works without a renewal (default: 10s)",
        values: "text",
      },
      {
        name: "leader-elect-retry-period",
        valueName: "TIME",
        summary: "the pause between two tries to lead or to renew (default: 2s)",
        values: "text",
      },
      { name: "health-port", valueName: "PORT", summary: "port of health and metrics (default: 8081)", values: "text" },
      {
        name: "health-host",
        valueName: "ADDRESS",
        summary: "address of health and metrics (default: 127.0.0.1)",
        values: "text",
      },
      {
        name: "log-level",
        valueName: "LEVEL",
        summary: "debug, info (default), warn or error",
        values: ["debug", "info", "warn", "error"],
      },
    ],
    examples: [
      { line: "PROGRAM manager --kubeconfig cluster.yaml", explains: "run all providers from this machine" },
      { line: "PROGRAM manager --providers harvester --leader-elect=false", explains: "one provider, alone" },
    ],
    load: () => import("./manager.ts"),
  },
  {
    name: "manifests",
    programs: ["butleradm"],
    summary: "print what a cluster needs to run Butler's controllers",
    details: `Prints one YAML stream, the same at every call: namespace, CustomResourceDefinitions, an account with no more rights
than the work needs, and the Deployment. Secrets can be read in butler-system alone; --namespaces adds others, which
must exist, or all of them.`,
    arguments: [],
    options: [
      providersOption,
      namespacesOption,
      { name: "image", valueName: "IMAGE", summary: "the image to run (default: this version's)", values: "text" },
    ],
    examples: [
      { line: "PROGRAM manifests | kubectl apply --server-side -f -", explains: "install Butler" },
      {
        line: "PROGRAM manifests --namespaces team-a,team-b",
        explains: "let two teams keep ProviderConfigs of their own",
      },
    ],
    load: () => import("./manifests.ts"),
  },
  {
    name: "simulate",
    programs: ["butleradm"],
    summary: "run a simulated infrastructure to try Butler on",
    details: `Serves the infrastructure's own API on 127.0.0.1 until it is interrupted, with machines that start, get addresses
and fail as real ones do. Prints the Secret and ProviderConfig that make Butler use it, and in comments how to look
inside. Nothing is kept.`,
    arguments: [
      {
        name: "PROVIDER",
        summary: "the infrastructure, such as harvester",
        values: async () =>
          (await import("../providers/index.ts")).providers
            .filter(({ simulator }) => simulator)
            .map(({ name }) => name),
      },
    ],
    options: [
      { name: "port", valueName: "PORT", summary: "where to listen (default: a free one)", values: "text" },
      {
        name: "pace",
        valueName: "FACTOR",
        summary: "how long everything takes: 1 (default) as usual, 0.1 a tenth of that, 0 no time",
        values: "text",
      },
    ],
    examples: [
      { line: "PROGRAM simulate harvester", explains: "run one, then use it as it says" },
      { line: "PROGRAM simulate harvester --port 7443 --pace 0.1", explains: "a fast one on a port of your choice" },
    ],
    load: () => import("./simulate.ts"),
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
