// SPDX-License-Identifier: Apache-2.0
import { isIPv4, isIPv6 } from "node:net";
import { isRequestUri } from "./go-url.ts";
import { isMailAddress } from "./mail.ts";
import { parseDate, parseLooseDuration } from "./time.ts";

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const OCTET = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const RGB = new RegExp(`^rgb\\(${OCTET},${OCTET},${OCTET}\\)$`);
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** By name without dashes: `date-time` and `datetime` are the same format. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", (text: string) => /^[0-9a-fA-F]{24}$/.test(text)],
  ["uri", isRequestUri],
  ["email", isMailAddress],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && isSloppyIp(text)],
  ["ipv6", (text) => isIPv6(text) && !text.includes("%")],
  ["cidr", isSloppyCidr],
  ["mac", isMac],
  ["uuid", (text) => UUID.test(text)],
  ["uuid3", (text) => UUID3.test(text)],
  ["uuid4", (text) => UUID4.test(text)],
  ["uuid5", (text) => UUID5.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["rgbcolor", (text) => RGB.test(text)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", (text) => parseDate(text) !== undefined],
  ["duration", (text) => parseLooseDuration(text) !== undefined],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ["k8slongname", (text) => text.length <= 253 && LONG_NAME.test(text)],
]);

function normalise(format: string): string {
  return format.replaceAll("-", "");
}

/** Whether the server knows a format of strings. It ignores the others. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(normalise(format));
}

/** Whether a text is of a format; unknown formats take every text. */
export function isOfFormat(format: string, text: string): boolean {
  return FORMATS.get(normalise(format))?.(text) ?? true;
}

/** A time of day with a zone behind a date, as far as the format looks: `2020-01-01t00:00:00z` passes too. */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || parseDate(date) === undefined) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  if (match === null) return false;
  const [, hour = "", minute = "", second = ""] = match;
  return hour <= "23" && minute <= "59" && second <= "59";
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || !HOSTNAME.test(text)) return false;
  return text.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

/** Addresses as Go read them before it refused leading zeros in IPv4; the format still does. */
function isSloppyIp(text: string): boolean {
  const lenient = text.replace(/(^|[.:])0+(?=\d+\.|\d+$)/g, (match, before: string) =>
    text.includes(".") ? before : match,
  );
  const isQuad = /^\d+\.\d+\.\d+\.\d+$/.test(text);
  return isQuad ? isIPv4(lenient) : isIPv6(text) && !text.includes("%");
}

function isSloppyCidr(text: string): boolean {
  const match = /^([^/]*)\/(\d{1,6})$/.exec(text);
  const [, address = "", length = ""] = match ?? [];
  if (match === null || !isSloppyIp(address)) return false;
  return Number(length) <= (address.includes(":") ? 128 : 32);
}

function isMac(text: string): boolean {
  if (/^[0-9a-f]+$/i.test(text)) return [12, 16, 40].includes(text.length);
  const groups = /^[0-9a-f]{2}([:-])/i.exec(text) ?? /^[0-9a-f]{4}(\.)/i.exec(text);
  const separator = groups?.[1];
  if (separator === undefined) return false;
  const size = separator === "." ? 4 : 2;
  const parts = text.split(separator);
  return (
    parts.every((part) => part.length === size && /^[0-9a-f]+$/i.test(part)) &&
    [12, 16, 40].includes(parts.length * size)
  );
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + (digit === "X" ? 10 : Number(digit)) * (at + 1), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
