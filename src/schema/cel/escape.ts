// SPDX-License-Identifier: Apache-2.0

const RESERVED = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return " +
    "var void while"
  ).split(" "),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

const UNESCAPES: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** A property's name as rules write it (`__dot__`, `__namespace__`); undefined for names that rules cannot write. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (text) => ESCAPES[text] ?? text);
}

/** The property a name in a rule stands for; undefined when it cannot stand for any. */
export function unescapeName(escaped: string): string | undefined {
  let isFine = true;
  const name = escaped.replace(/_{2}[^_]+_{2}/g, (text) => {
    const inner = text.slice(2, -2);
    const plain = UNESCAPES[inner];
    if (plain !== undefined) return plain;
    if (!RESERVED.has(inner) || text.length !== escaped.length) isFine = false;
    return inner;
  });
  return isFine ? name : undefined;
}
