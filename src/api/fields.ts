// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { ValidationRule } from "../schema/types.ts";

/** A CEL rule with the sentence a user reads when it does not hold. */
export function rule(expression: string, message: string, more: Omit<ValidationRule, "rule" | "message"> = {}) {
  return { rule: expression, message, ...more } satisfies ValidationRule;
}

/** Puts CEL rules on a schema; an API server checks them itself. */
export function withRules<T extends z.ZodType>(schema: T, ...rules: ValidationRule[]): T {
  return schema.meta({ "x-kubernetes-validations": rules });
}

/** A list whose entries are told apart by one field, so that several writers can each own theirs. */
export function listMap<T extends z.ZodObject>(item: T, key: string) {
  return z.array(item).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] });
}

/** A whole number of 32 bits with bounds. */
export function int32({ min, max }: { min?: number; max?: number } = {}) {
  let number = z.int32();
  if (min !== undefined) number = number.min(min);
  if (max !== undefined) number = number.max(max);
  return number;
}

/** A whole number of 64 bits, as far as JSON keeps it exactly (2^53 - 1). */
export const int64 = () => z.int();

/** A moment, in RFC 3339. */
export const time = () => z.iso.datetime({ offset: true });

/** One label of a DNS name: lower case letters, digits and `-`. */
export const dnsLabel = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** A length of time such as `90s`, `20m` or `1h30m`. */
export const duration = () => z.string().regex(/^([0-9]+(ms|s|m|h))+$/);

/** An amount in Kubernetes' notation: `16Gi`, `500m`, `4`. */
export const quantity = () =>
  // Registered on the union itself: `meta` would print a bare copy of it first, which has no structural form.
  z
    .union([z.int(), z.string()])
    .register(z.globalRegistry, { "x-kubernetes-int-or-string": true, pattern: QUANTITY_PATTERN });

const QUANTITY_PATTERN =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** An IPv4 or IPv6 address that parses. 45 characters hold the longest there is. */
export const address = () =>
  withRules(z.string().max(45), rule("isIP(self)", "must be an IP address such as 10.40.0.10 or 2001:db8::10"));

/** A block of IPv4 or IPv6 addresses that parses. */
export const cidr = () =>
  withRules(z.string().max(49), rule("isCIDR(self)", "must be a CIDR such as 10.40.0.0/24 or 2001:db8::/64"));

const IPV4 = String.raw`(\d{1,3}\.){3}\d{1,3}`;
const IPV6 = "[0-9a-fA-F]*:[0-9a-fA-F:.]*";

/**
 * The look of an IPv4 or IPv6 address, no more. For fields where the Go Butler checks the look alone: a stricter rule
 * would refuse objects that it accepts.
 */
export const addressText = () => z.string().regex(new RegExp(`^(${IPV4}|${IPV6})$`));

/** The look of a CIDR, no more; see `addressText`. */
export const cidrText = () => z.string().regex(new RegExp(String.raw`^(${IPV4}/\d{1,2}|${IPV6}/\d{1,3})$`));

/** The phases of a kind, from the table that says what each means. */
export const phase = <Phases extends Readonly<Record<string, string>>>(phases: Phases) =>
  z.enum(Object.keys(phases) as (keyof Phases & string)[]);

/** Free text, optional. */
export const text = (description: string) => z.string().optional().describe(description);

/** A list of free texts, optional. */
export const texts = (description: string) => z.array(z.string()).optional().describe(description);

/** Says of a field that it is accepted but does nothing yet: a manifest must never lie to its author. */
export const later = (description: string) => `${description} Not in effect yet.`;
