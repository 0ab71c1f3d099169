// SPDX-License-Identifier: Apache-2.0

const NUMBER = /^(0|[1-9][0-9]*)$/;

/**
 * Orders two resourceVersions as Kubernetes defines it: whole numbers of any length. Negative where the first is older, 0 where
 * they are the same, undefined where a server uses something else, which has no order.
 */
export function compareVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!NUMBER.test(left) || !NUMBER.test(right)) return undefined;
  return left.length - right.length || (left < right ? -1 : 1);
}

/** Whether the first is certainly older. */
export function isOlder(left: string, right: string): boolean {
  return (compareVersions(left, right) ?? 0) < 0;
}
