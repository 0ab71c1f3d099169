// SPDX-License-Identifier: Apache-2.0

/** The Kubernetes version whose API is served. */
export const KUBERNETES_VERSION = "1.36.3";

/** What `/version` says: the API's version, and behind the plus sign who really serves it. */
export function versionInfo(): object {
  const [major = "", minor = ""] = KUBERNETES_VERSION.split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${KUBERNETES_VERSION}+butler`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "node",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}
