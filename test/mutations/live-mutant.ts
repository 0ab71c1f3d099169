// SPDX-License-Identifier: Apache-2.0
import { MUTANTS } from "./mutants.ts";
import { replaceSources } from "./replace-sources.ts";

/**
 * A process of its own that is one mutant, by its name, and lives the life that shows it; or without a name the product, which lives the
 * lives of all. Prints what came of them as JSON. Nothing of the product is loaded before its source is replaced.
 */
const [name] = process.argv.slice(2);
const mutants = name === undefined ? MUTANTS : MUTANTS.filter((each) => each.name === name);
if (mutants.length === 0) throw new Error(`there is no mutant "${name}"`);
const replaced = replaceSources(name === undefined ? [] : mutants.flatMap(({ replacements }) => replacements));
const { liveAll } = await import("./lives.ts");
// Lives that several mutants share are lived once.
const lives = [...new Map(mutants.map(({ life }) => [JSON.stringify(life), life])).values()];
const lived = await liveAll(lives);
replaced.assertUsed();
process.stdout.write(JSON.stringify(lived));
