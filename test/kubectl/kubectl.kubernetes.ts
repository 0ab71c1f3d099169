// SPDX-License-Identifier: Apache-2.0
import { sharedServer } from "../kubernetes/harness.ts";
import { runScenarios } from "./run-scenarios.ts";

runScenarios({
  update: process.env.UPDATE_GOLDENS === "1",
  async open(t) {
    const server = await sharedServer(t);
    if (server === undefined) return undefined;
    return { url: server.url, ca: server.ca, admin: { certificate: server.adminCertificate, key: server.adminKey } };
  },
});
