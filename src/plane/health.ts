// SPDX-License-Identifier: Apache-2.0
import type { PlaneResponse } from "./types.ts";

const CHECKS = ["ping", "log", "store", "lifecycle"];

/** `/livez`, `/readyz`, `/healthz` and their single checks. Whoever can ask gets a yes: nothing listens before all is ready. */
export function healthPage(path: string, query: URLSearchParams): PlaneResponse | undefined {
  const [, page = "", ...rest] = path.split("/");
  const check = rest.join("/");
  if (check !== "" && !CHECKS.includes(check)) return undefined;
  const excluded = new Set(query.getAll("exclude"));
  const lines = CHECKS.map((name) => `[+]${name} ${excluded.has(name) ? "excluded: ok" : "ok"}`);
  const body = query.has("verbose") && check === "" ? `${lines.join("\n")}\n${page} check passed\n` : "ok";
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache, private",
  };
  return { status: 200, headers, body };
}
