// SPDX-License-Identifier: Apache-2.0
import { after } from "node:test";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { runScenarios } from "./run-scenarios.ts";

let running: Promise<Plane> | undefined;

runScenarios({
  async open() {
    // The real server these are compared with runs without controllers, too.
    running ??= startPlane({ memory: true, controllers: false });
    const { url, authority } = await running;
    return { url, ca: authority.certificate, admin: authority.admin };
  },
});

after(async () => {
  const plane = await running;
  await plane?.stop();
});
