// SPDX-License-Identifier: Apache-2.0

/** One condition, as `kubectl describe` shows it. */
export interface DescribedCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** What an operator reads in `kubectl describe mr`. */
export interface Described {
  readonly text: string;
  /** Every field that stands on a line of its own, by its last name: `Phase`, `Provider ID`, `Next Retry Time`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly conditions: ReadonlyMap<string, DescribedCondition>;
  /** As `Warning VMLost: message`, oldest first. */
  readonly events: readonly string[];
}

/** Reads the output of `kubectl describe mr`. */
export function readDescribed(text: string): Described {
  const [objectText = "", eventText = ""] = text.split(/^Events:/m);
  const lines = objectText.split("\n").map((line) => line.trim());
  const fields = new Map<string, string>();
  const conditions = new Map<string, DescribedCondition>();
  let open: Record<string, string> | undefined;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Z][A-Za-z ]*): +(.*)$/.exec(line) ?? [];
    if (line === "Conditions:") open = {};
    if (open === undefined || name === "") {
      if (name !== "") fields.set(name, value);
      continue;
    }
    open[name] = value;
    if (name !== "Type") continue;
    conditions.set(value, {
      status: open.Status ?? "",
      reason: open.Reason ?? "",
      message: open.Message ?? "",
      since: open["Last Transition Time"] ?? "",
    });
    open = conditions.size === 3 ? undefined : {};
  }
  return { text, fields, conditions, events: eventsIn(eventText) };
}

function eventsIn(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [, type, reason, message] =
      /^ +(Normal|Warning) +(\w+) +\S+(?: \(x\d+ over \S+\))? +\S+ +(.*)$/.exec(line) ?? [];
    return type === undefined ? [] : [`${type} ${reason}: ${message}`];
  });
}
