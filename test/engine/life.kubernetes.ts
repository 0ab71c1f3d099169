// SPDX-License-Identifier: Apache-2.0
import { sharedServer } from "../kubernetes/harness.ts";
import { runLives } from "./life.ts";

runLives({
  hasDeployments: true,
  async open(t) {
    const server = await sharedServer(t);
    if (server === undefined) return undefined;
    return { url: server.url, ca: server.ca, admin: { certificate: server.adminCertificate, key: server.adminKey } };
  },
});
