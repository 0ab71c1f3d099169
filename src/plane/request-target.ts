// SPDX-License-Identifier: Apache-2.0

/** Where a request goes to. */
export interface Target {
  /** Decoded; bytes that are no UTF-8 are replacement characters. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Takes a request's target apart, also one that names the server as for a proxy; undefined where it is none at all. */
export function parseTarget(target: string): Target | undefined {
  const local = target.startsWith("/") ? target : target.replace(/^[a-z][-+.a-z0-9]*:\/\/[^/?]*/i, "");
  const cut = local.indexOf("?");
  const path = unescaped(cut === -1 ? local : local.slice(0, cut));
  if (path === undefined) return undefined;
  return { path, query: queryOf(cut === -1 ? "" : local.slice(cut + 1)) };
}

/** As in Go, a parameter that cannot be read is one that was not given. */
function queryOf(text: string): URLSearchParams {
  if (!/[%;]/.test(text)) return new URLSearchParams(text);
  const readable = text.split("&").filter((part) => !part.includes(";") && !BAD_ESCAPE.test(part));
  return new URLSearchParams(readable.join("&"));
}

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

function unescaped(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (BAD_ESCAPE.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = text.replace(/%([0-9a-fA-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
    return Buffer.from(bytes, "latin1").toString("utf8");
  }
}
