// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { marble, names, query, storeLabelled } from "./kinds.ts";

/** A case that lists by each of the selectors in turn. */
function lists(name: string, selectors: readonly string[]): Case {
  return {
    name,
    answers: selectors.map(() => 200),
    async run(t) {
      await storeLabelled(t);
      for (const labelSelector of selectors) {
        await t.request("GET", query(t.core("configmaps"), { labelSelector }), undefined, { show: names });
      }
    },
  };
}

/** A case in which each of the selectors is refused. */
function refuses(name: string, selectors: readonly string[]): Case {
  return {
    name,
    answers: selectors.map(() => 400),
    async run(t) {
      for (const labelSelector of selectors) await t.request("GET", query(t.core("configmaps"), { labelSelector }));
    },
  };
}

export const labels: readonly Case[] = [
  lists("a label selector finds by equality, written with one sign or two", ["color=red", "color==red", "color="]),
  lists("a label selector finds what has another value or no such label", ["color!=red", "size!=1"]),
  lists("a label selector finds by a set of values", ["color in (red,blue)", "color in (,red)", "color notin (red)"]),
  lists("a label selector finds by presence and absence", ["color", "!color", "example.com/owner", "!size,color"]),
  lists("several requirements hold together", [
    "color=red,size",
    "color in (red),size notin (1)",
    "color=red,color=blue",
  ]),
  lists("a label selector compares numbers", ["size>1", "size<2", "size>0,size<9"]),
  lists("spaces in a label selector do not matter", [" color = red ", "color  in  ( red , blue )"]),
  refuses("a label selector that cannot be read is refused", ["color in red", "color=red,,", "a b", "=red", "size>x"]),
  refuses("a label selector of invalid keys or values is refused", ["-color=red", "color=not/valid", "a/b/c"]),
  {
    name: "label selectors hold for custom resources alike",
    answers: [200, 400],
    async run(t) {
      await t.prepare("POST", t.custom("marbles"), marble("a", { metadata: { labels: { color: "red" } } }));
      await t.prepare("POST", t.custom("marbles"), marble("b", { metadata: { labels: { color: "blue" } } }));
      await t.request("GET", query(t.custom("marbles"), { labelSelector: "color!=red" }));
      await t.request("GET", query(t.custom("marbles"), { labelSelector: "color in red" }));
    },
  },
];
