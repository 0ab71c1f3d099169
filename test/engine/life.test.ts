// SPDX-License-Identifier: Apache-2.0
import { after } from "node:test";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { runLives } from "./life.ts";

let running: Promise<Plane> | undefined;

runLives({
  hasDeployments: false,
  async open() {
    running ??= startPlane({ memory: true });
    const { url, authority } = await running;
    return { url, ca: authority.certificate, admin: authority.admin };
  },
});

after(async () => {
  const plane = await running;
  await plane?.stop();
});
