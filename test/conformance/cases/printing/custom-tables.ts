// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { AS_TABLE, plain, printed } from "./kinds.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Half a unit away from where the age would read differently, so that a slow test reads the same. */
const AGES_MS = [
  90 * MINUTE_MS + 30_000,
  5 * HOUR_MS + 30 * MINUTE_MS + 30_000,
  30.5 * HOUR_MS,
  3 * DAY_MS + 4.5 * HOUR_MS,
  100.5 * DAY_MS,
  900.5 * DAY_MS,
  4000.5 * DAY_MS,
];

export const customTables: readonly Case[] = [
  {
    name: "a custom resource without columns shows name and age",
    answers: [200, 200],
    async run(t) {
      await t.prepare("POST", t.custom("plains"), plain("a", { spec: { size: 1 } }));
      await t.request("GET", t.custom("plains"), undefined, AS_TABLE);
      await t.request("GET", t.custom("plains", "a"), undefined, AS_TABLE);
    },
  },
  {
    name: "columns of every type show what is there",
    answers: [200],
    async run(t) {
      const spec = {
        size: 3,
        ratio: 1.5,
        ready: true,
        since: "1999-01-01T00:00:00Z",
        note: "a word",
        conditions: [
          { type: "Other", status: "False" },
          { type: "Ready", status: "True" },
        ],
        addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }],
      };
      const labels = { "example.com/color": "red" };
      await t.prepare("POST", t.custom("printeds"), {
        ...printed("a", { metadata: { labels }, spec }),
        status: { phase: "Done" },
      });
      const cells = ({ rows }: JsonObject) =>
        // The age of what was made in 1999 grows with every year.
        (rows as { cells: unknown[] }[]).map(({ cells }) =>
          cells.map((cell) => String(cell).replace(/^\d+y\d*d?$/, "{years}")),
        );
      await t.request("GET", t.custom("printeds"), undefined, { ...AS_TABLE, show: cells });
    },
  },
  {
    name: "what a path does not find, or what has another type than its column, is not shown",
    answers: [200],
    async run(t) {
      await t.prepare("POST", t.custom("printeds"), printed("a", { spec: {} }));
      const wrong = {
        size: "three",
        ratio: "1.5",
        ready: "yes",
        since: "yesterday",
        note: { a: ["b", 1] },
        addresses: [],
      };
      await t.prepare("POST", t.custom("printeds"), printed("b", { spec: wrong }));
      await t.request("GET", t.custom("printeds"), undefined, AS_TABLE);
    },
  },
  {
    name: "columns carry their names, types, formats, priorities and descriptions",
    answers: [200],
    async run(t) {
      const show = ({ columnDefinitions }: JsonObject) =>
        (columnDefinitions as JsonObject[]).filter(({ name }) => name !== "Name" && name !== "Age");
      await t.request("GET", t.custom("printeds"), undefined, { ...AS_TABLE, show });
    },
  },
  {
    name: "ages are told in units that suit them",
    answers: [200],
    async run(t) {
      const now = Date.now();
      for (const [index, age] of AGES_MS.entries()) {
        const since = new Date(now - age).toISOString().replace(/\.\d+Z$/, "Z");
        await t.prepare("POST", t.custom("printeds"), printed(`age-${index}`, { spec: { since } }));
      }
      const show = ({ rows }: JsonObject) => (rows as { cells: unknown[] }[]).map(({ cells }) => cells[5]);
      await t.request("GET", t.custom("printeds"), undefined, { ...AS_TABLE, show });
    },
  },
  {
    name: "a table carries metadata with each row, or the whole object, or nothing",
    answers: [200, 200, 200, 400],
    async run(t) {
      await t.prepare("POST", t.custom("plains"), plain("a", { spec: { size: 1 } }));
      for (const included of ["None", "Metadata", "Object", "Everything"]) {
        await t.request("GET", `${t.custom("plains")}?includeObject=${included}`, undefined, AS_TABLE);
      }
    },
  },
  {
    name: "a table of nothing still has columns, and one of many comes in pages",
    answers: [200, 200],
    async run(t) {
      await t.request("GET", t.custom("plains"), undefined, AS_TABLE);
      for (const name of ["a", "b", "c"]) await t.prepare("POST", t.core("configmaps"), configMap(name));
      await t.request("GET", `${t.core("configmaps")}?limit=2`, undefined, AS_TABLE);
    },
  },
  {
    name: "a watch of tables tells the columns with its first event alone",
    answers: [200],
    async run(t) {
      const { accept = "" } = AS_TABLE;
      const watch = await t.watch(`${t.custom("plains")}?watch=1`, { accept });
      await t.prepare("POST", t.custom("plains"), plain("a", { spec: { size: 1 } }));
      await t.prepare("DELETE", t.custom("plains", "a"));
      await watch.take(2);
    },
  },
  {
    name: "a refusal, or the success of a delete, is a Status also where a table is asked for",
    answers: [404, 200],
    async run(t) {
      const { accept = "" } = AS_TABLE;
      await t.request("GET", t.custom("plains", "missing"), undefined, { accept });
      await t.prepare("POST", t.custom("plains"), plain("a"));
      await t.request("DELETE", t.custom("plains", "a"), undefined, { accept });
    },
  },
];
