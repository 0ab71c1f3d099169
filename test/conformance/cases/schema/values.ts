// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { attempts } from "./kinds.ts";

export const values: readonly Case[] = [
  attempts("a value has the type its schema says", "Value", [
    [422, { text: 1, whole: "1", flag: "true", list: "a", map: [], nested: "a" }],
    [422, []],
    [422, { list: [1] }],
  ]),
  attempts("an integer may be written with a point, but not with a fraction", "Value", [
    [201, { whole: 1.0 }],
    [422, { whole: 1.5 }],
  ]),
  attempts("an integer of format int32 fits into 32 bits", "Value", [
    [201, { small: 2147483647 }],
    [422, { small: 2147483648 }],
  ]),
  attempts("a string has a length, counted in characters", "Value", [
    [201, { text: "äöüß" }],
    [422, { text: "a" }],
    [422, { text: "abcde" }],
  ]),
  attempts("a string matches its pattern", "Value", [
    [201, { pattern: "abc" }],
    [422, { pattern: "ABC" }],
  ]),
  attempts("a value is one of an enumeration", "Value", [
    [201, { color: "red" }],
    [422, { color: "green" }],
  ]),
  attempts("a number is within its bounds, which may be open", "Value", [
    [201, { number: 0, open: 0.5 }],
    [422, { number: -1, open: 0 }],
    [422, { number: 11, open: 10 }],
  ]),
  attempts("a number is a multiple of its step", "Value", [
    [201, { step: 1.5 }],
    [422, { step: 1.2 }],
  ]),
  attempts("a list has a length", "Value", [
    [201, { list: ["a"] }],
    [422, { list: [] }],
    [422, { list: ["a", "b", "c"] }],
  ]),
  attempts("a map has a size and values of one type", "Value", [
    [201, { map: { a: 1 } }],
    [422, { map: {} }],
    [422, { map: { a: 1, b: 2, c: 3 } }],
    [422, { map: { a: "1" } }],
  ]),
  attempts("null is kept where the field is nullable, dropped where it is not, and refused in a list", "Value", [
    [201, { nullable: null }],
    [201, { text: null }],
    [422, { list: ["a", null] }],
  ]),
  attempts("an int-or-string is one or the other", "Value", [
    [201, { either: 1 }],
    [201, { either: "1" }],
    [422, { either: 1.5 }],
    [422, { either: true }],
  ]),
  attempts("required fields are there", "Value", [
    [201, { nested: { name: "a" } }],
    [422, { nested: { size: 1 } }],
  ]),
  attempts("a required spec is there, with what it requires", "Needed", [
    [422, undefined],
    [422, {}],
    [422, { a: null }],
    [201, { a: "" }],
  ]),
  attempts("anyOf, oneOf, allOf and not hold", "Value", [
    [201, { anyOf: { a: "", b: "" }, oneOf: { a: "" }, allOf: "ab", not: "fine" }],
    [422, { anyOf: {} }],
    [422, { oneOf: { a: "", b: "" } }],
    [422, { allOf: "abcd" }],
    [422, { not: "forbidden" }],
  ]),
  attempts("several problems are told together", "Value", [
    [422, { text: "a", color: "green", number: 11, nested: {} }],
  ]),
  attempts("formats of dates, times and durations hold", "Formatted", [
    [201, { date: "2001-02-03", "date-time": "2001-02-03T04:05:06Z", duration: "1h30m" }],
    [422, { date: "yesterday" }],
    [422, { "date-time": "2001-02-03" }],
    [422, { duration: "soon" }],
  ]),
  attempts("formats of addresses and names hold", "Formatted", [
    [
      201,
      { ipv4: "10.0.0.1", ipv6: "fe80::1", cidr: "10.0.0.0/8", mac: "02:00:00:00:00:01", hostname: "a.example.com" },
    ],
    [422, { ipv4: "fe80::1" }],
    [422, { ipv6: "10.0.0.1" }],
    [422, { cidr: "10.0.0.0" }],
    [422, { mac: "nowhere" }],
    [422, { hostname: "-a-" }],
  ]),
  attempts("formats of other texts hold", "Formatted", [
    [
      201,
      {
        byte: "YQ==",
        email: "a@example.com",
        uri: "https://example.com/a",
        uuid: "a8098c1a-f86e-11da-bd1a-00112444be1e",
      },
    ],
    [422, { byte: "not base64!" }],
    [422, { email: "nobody" }],
    [422, { uri: "nowhere at all" }],
    [422, { uuid: "1234" }],
    [201, { password: "anything" }],
  ]),
  attempts("the keys of a list of type map are unique, defaults included", "Listed", [
    [201, { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] }],
    [422, { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] }],
    [422, { ports: [{ name: "a" }] }],
  ]),
  attempts("the items of a list of type set are unique", "Listed", [
    [201, { tags: ["a", "b"], plain: ["a", "a"] }],
    [422, { tags: ["a", "b", "a"] }],
    [422, { pairs: [{ a: "1" }, { a: "2" }, { a: "1" }] }],
  ]),
];
