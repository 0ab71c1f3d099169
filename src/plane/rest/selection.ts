// SPDX-License-Identifier: Apache-2.0
import type { Entry, Verdict } from "../types.ts";
import type { ListOptions } from "./list-options.ts";
import type { Shown } from "./view.ts";

/** So many selectors share their verdicts; those who look again and again use few. */
const MOST_SELECTORS = 100;

const verdicts = new Map<string, { readonly yes: Verdict; readonly no: Verdict }>();

function verdictsOf(selector: string): { readonly yes: Verdict; readonly no: Verdict } {
  const known = verdicts.get(selector);
  if (known !== undefined) return known;
  const made = { yes: { selector, isSelected: true }, no: { selector, isSelected: false } };
  if (verdicts.size >= MOST_SELECTORS) verdicts.clear();
  verdicts.set(selector, made);
  return made;
}

/**
 * Tells whether a stored object, and what a type shows of it, is asked for. Of an object that is shown as it is stored that is
 * remembered: the next list with the same selector does not have to parse it.
 */
export function selection({ selects, selectorText }: Pick<ListOptions, "selects" | "selectorText">) {
  if (selects === undefined) return () => true;
  const { yes, no } = verdictsOf(selectorText);
  return (entry: Entry, view: Shown): boolean => {
    if (view !== entry) return selects(view.object);
    if (entry.verdict?.selector !== selectorText) entry.verdict = selects(view.object) ? yes : no;
    return entry.verdict.isSelected;
  };
}
