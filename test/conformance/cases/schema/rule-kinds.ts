// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../framework/types.ts";
import { kind, objectOf, text, whole } from "./kinds.ts";

const rule = (expression: string, more: JsonObject = {}) => ({ rule: expression, ...more });

const ruled = kind(
  "Ruled",
  objectOf(
    {
      min: whole,
      max: whole,
      plain: { ...whole, "x-kubernetes-validations": [rule("self >= 0")] },
      said: { ...whole, "x-kubernetes-validations": [rule("self % 2 == 0", { message: "must be even" })] },
      computed: {
        ...text,
        maxLength: 20,
        "x-kubernetes-validations": [
          rule("self.startsWith('x')", {
            messageExpression: "'got ' + self + ', which has no x'",
            message: "needs an x",
          }),
        ],
      },
      named: {
        ...text,
        "x-kubernetes-validations": [
          rule("self != 'forbidden'", { reason: "FieldValueForbidden", message: "not this one" }),
        ],
      },
      pointed: objectOf(
        { a: whole, b: whole },
        {
          "x-kubernetes-validations": [rule("self.a < self.b", { fieldPath: ".b", message: "b must be more than a" })],
        },
      ),
      items: {
        type: "array",
        maxItems: 5,
        items: objectOf(
          { name: { ...text, maxLength: 10 }, size: whole },
          { "x-kubernetes-validations": [rule("!has(self.size) || self.size > 0", { message: "must have a size" })] },
        ),
        "x-kubernetes-validations": [
          rule("self.all(x, self.exists_one(y, x.name == y.name))", { message: "names must differ" }),
        ],
      },
      map: {
        type: "object",
        maxProperties: 5,
        additionalProperties: whole,
        "x-kubernetes-validations": [rule("self.all(key, self[key] > 0)", { message: "all must be positive" })],
      },
      broken: {
        ...text,
        maxLength: 10,
        "x-kubernetes-validations": [rule("int(self) > 0", { message: "must be a number" })],
      },
    },
    {
      "x-kubernetes-validations": [
        rule("!has(self.min) || !has(self.max) || self.min <= self.max", { message: "min must not be more than max" }),
      ],
    },
  ),
  { "x-kubernetes-validations": [rule("self.metadata.name != 'root'", { message: "no roots" })] },
);

const libraries = kind(
  "Library",
  objectOf({
    ip: {
      ...text,
      maxLength: 50,
      "x-kubernetes-validations": [rule("isIP(self) && ip(self).family() == 4", { message: "not an IPv4 address" })],
    },
    cidr: {
      ...text,
      maxLength: 50,
      "x-kubernetes-validations": [
        rule("isCIDR(self) && cidr(self).containsIP('10.0.0.1')", { message: "does not contain 10.0.0.1" }),
      ],
    },
    quantity: {
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-validations": [
        rule("quantity(string(self)).isGreaterThan(quantity('1Gi'))", { message: "must be more than 1Gi" }),
      ],
    },
    url: {
      ...text,
      maxLength: 100,
      "x-kubernetes-validations": [rule("isURL(self) && url(self).getScheme() == 'https'", { message: "not https" })],
    },
    time: {
      ...text,
      format: "date-time",
      "x-kubernetes-validations": [rule("self > timestamp('2020-01-01T00:00:00Z')", { message: "too early" })],
    },
    duration: {
      ...text,
      format: "duration",
      "x-kubernetes-validations": [rule("self <= duration('1h')", { message: "too long" })],
    },
    sorted: {
      type: "array",
      maxItems: 5,
      items: whole,
      "x-kubernetes-validations": [rule("self.isSorted() && self.sum() < 100", { message: "not sorted, or too much" })],
    },
    found: {
      ...text,
      maxLength: 20,
      "x-kubernetes-validations": [rule("self.find('[0-9]+') == '42'", { message: "must have 42" })],
    },
    label: {
      ...text,
      maxLength: 80,
      "x-kubernetes-validations": [
        rule("!format.dns1123Label().validate(self).hasValue()", { message: "not a label" }),
      ],
    },
    semver: {
      ...text,
      maxLength: 20,
      "x-kubernetes-validations": [rule("isSemver(self) && semver(self).major() == 1", { message: "not version 1" })],
    },
    optional: objectOf(
      { a: { ...text, maxLength: 10 }, b: { ...text, maxLength: 10 } },
      {
        "x-kubernetes-validations": [rule("self.?a.hasValue() != self.?b.hasValue()", { message: "one of a and b" })],
      },
    ),
  }),
);

const changing = kind(
  "Changing",
  objectOf(
    {
      fixed: { ...text, "x-kubernetes-validations": [rule("self == oldSelf", { message: "is immutable" })] },
      growing: { ...whole, "x-kubernetes-validations": [rule("self >= oldSelf", { message: "may only grow" })] },
      once: {
        ...text,
        "x-kubernetes-validations": [
          rule("!oldSelf.hasValue() || self == oldSelf.value()", { optionalOldSelf: true, message: "can be set once" }),
        ],
      },
      keyed: {
        type: "array",
        maxItems: 5,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: objectOf(
          {
            name: { ...text, maxLength: 10 },
            size: { ...whole, "x-kubernetes-validations": [rule("self == oldSelf", { message: "keeps its size" })] },
          },
          { required: ["name"] },
        ),
      },
      plain: {
        type: "array",
        maxItems: 5,
        items: text,
        "x-kubernetes-validations": [rule("self.size() >= oldSelf.size()", { message: "may not shrink" })],
      },
      other: text,
    },
    {
      "x-kubernetes-validations": [
        rule("has(self.fixed) == has(oldSelf.fixed)", { message: "fixed stays or stays away" }),
      ],
    },
  ),
);

export const ruleKinds = [ruled, libraries, changing];
