// SPDX-License-Identifier: Apache-2.0
import { after } from "node:test";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { suites } from "./cases/index.ts";
import { runConformance } from "./framework/run.ts";

let running: Promise<Plane> | undefined;

runConformance(suites, {
  async open() {
    running ??= startPlane({ memory: true, controllers: false });
    const plane = await running;
    return {
      url: plane.url,
      ca: plane.authority.certificate,
      admin: plane.authority.admin,
      issueClient: async (user, groups) => plane.authority.issueClient(user, groups),
      // As with the real server, only some categories have them.
      startControllers: async () => plane.startControllers(),
      compact: async () => plane.compact(),
    };
  },
});

after(async () => {
  const plane = await running;
  await plane?.stop();
});
