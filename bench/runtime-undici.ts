// SPDX-License-Identifier: Apache-2.0
import { WIDGETS_PATH, widget } from "./plane-widgets.ts";
import type { Contestant, Setup } from "./runtime-contestant.ts";

/** The least that can do it: a pool of sixteen connections, JSON in and out, nothing that minds failures. */
export async function bareUndici({ target, modules }: Setup): Promise<Contestant> {
  const { Pool }: typeof import("undici") = await import(modules.undici);
  const connect = { ca: target.ca, cert: target.certificate, key: target.key };
  const pool = new Pool(target.url, { connections: 16, pipelining: 1, connect });
  const watches = new Pool(target.url, { bodyTimeout: 0, connect });
  const get = async (path: string) => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers: { accept: "application/json" } });
    const value = Object(await body.json());
    if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`);
    return value;
  };
  const follow = async (path: string, onObject: (object: object) => void) => {
    const { body } = await watches.request({ method: "GET", path: `${path}&watch=true`, headers: {} });
    let rest = "";
    body.setEncoding("utf8");
    body.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onObject(Object(JSON.parse(line)).object);
    });
    body.on("error", () => {});
    return body;
  };
  const kept = new Map<string, object>();
  return {
    async get(name) {
      await get(`${WIDGETS_PATH("work")}/${name}`);
    },
    async apply(name, size) {
      const path = `${WIDGETS_PATH("work")}/${name}?fieldManager=bench&force=true`;
      const headers = { accept: "application/json", "content-type": "application/apply-patch+yaml" };
      const sent = await pool.request({ method: "PATCH", path, headers, body: JSON.stringify(widget(name, size)) });
      await sent.body.json();
      if (sent.statusCode > 201) throw new Error(`PATCH ${path}: ${sent.statusCode}`);
    },
    async watch(onSize) {
      const path = WIDGETS_PATH("watched");
      const { metadata } = await get(path);
      const from = `${path}?resourceVersion=${metadata.resourceVersion}`;
      const body = await follow(from, (object) => onSize(Object(object).spec.size));
      return async () => void body.destroy();
    },
    async sync() {
      const path = WIDGETS_PATH("fill");
      let version = "";
      for (let token: string | undefined = ""; token !== undefined; ) {
        const next: string = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
        const { items, metadata } = await get(`${path}?limit=500${next}`);
        for (const item of items) kept.set(item.metadata.name, item);
        version = metadata.resourceVersion;
        token = metadata.continue || undefined;
      }
      await follow(`${path}?resourceVersion=${version}`, (object) => kept.set(Object(object).metadata.name, object));
      return kept.size;
    },
    async close() {
      await Promise.all([pool.close(), watches.destroy()]);
    },
  };
}
