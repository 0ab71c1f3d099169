// SPDX-License-Identifier: Apache-2.0
import { type GoUrl, isRequestUri, parseRequestUri, parseUrl, queryValues } from "../../go-url.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { mapValue } from "../map-value.ts";
import { BOOL, listOf, mapOf, STRING, URL_TYPE } from "../types.ts";
import { CelError, type CelValue, listValue, NO_OVERLOAD, tagged } from "../values.ts";
import { reading, textOf } from "./arguments.ts";

const onUrl =
  (operation: (url: GoUrl) => CelValue): Implementation =>
  (value = null) => {
    const url = tagged(value, "url")?.url;
    if (url === undefined) throw new CelError(NO_OVERLOAD);
    return operation(url);
  };

const toUrl: Implementation = (value) => {
  const text = textOf(value);
  return reading(() => {
    parseRequestUri(text);
    return { kind: "url", url: parseUrl(text) };
  }, "URL parse error during conversion from string: ");
};

const query = onUrl(({ rawQuery }) =>
  mapValue(Array.from(queryValues(rawQuery), ([name, values]) => [name, listValue([...values])])),
);

/** URLs: absolute ones, and absolute paths. */
export const urls: readonly FunctionDeclaration[] = [
  declare("url", [global([STRING], URL_TYPE, toUrl)]),
  declare("isURL", [global([STRING], BOOL, (text) => isRequestUri(textOf(text)))]),
  declare("getScheme", [
    method(
      [URL_TYPE],
      STRING,
      onUrl(({ scheme }) => scheme),
    ),
  ]),
  declare("getHost", [
    method(
      [URL_TYPE],
      STRING,
      onUrl(({ host }) => host),
    ),
  ]),
  declare("getHostname", [
    method(
      [URL_TYPE],
      STRING,
      onUrl(({ hostname }) => hostname),
    ),
  ]),
  declare("getPort", [
    method(
      [URL_TYPE],
      STRING,
      onUrl(({ port }) => port),
    ),
  ]),
  declare("getEscapedPath", [
    method(
      [URL_TYPE],
      STRING,
      onUrl(({ escapedPath }) => escapedPath),
    ),
  ]),
  declare("getQuery", [method([URL_TYPE], mapOf(STRING, listOf(STRING)), query)]),
];
