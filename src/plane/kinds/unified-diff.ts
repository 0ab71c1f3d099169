// SPDX-License-Identifier: Apache-2.0

const CONTEXT = 3;

interface Block {
  readonly old: number;
  readonly next: number;
  readonly size: number;
}

/** The lines that differ, with a few around them, as `diff -u` shows them without a head. For short texts. */
export function unifiedDiff(old: string, next: string): string {
  const oldLines = old.split("\n");
  const nextLines = next.split("\n");
  const blocks = [
    ...matchingBlocks(oldLines, nextLines, { old: 0, next: 0, size: 0 }, [oldLines.length, nextLines.length]),
    { old: oldLines.length, next: nextLines.length, size: 0 },
  ];
  const lines: { text: string; isSame: boolean }[] = [];
  let at: Block = { old: 0, next: 0, size: 0 };
  for (const block of blocks) {
    for (const text of oldLines.slice(at.old, block.old)) lines.push({ text: `-${text}`, isSame: false });
    for (const text of nextLines.slice(at.next, block.next)) lines.push({ text: `+${text}`, isSame: false });
    for (const text of oldLines.slice(block.old, block.old + block.size))
      lines.push({ text: ` ${text}`, isSame: true });
    at = { old: block.old + block.size, next: block.next + block.size, size: 0 };
  }
  return hunks(lines);
}

/** Longest common runs first, then what is left and right of them. */
function matchingBlocks(
  old: readonly string[],
  next: readonly string[],
  from: Block,
  [oldEnd, nextEnd]: readonly [number, number],
): Block[] {
  const best = longestRun(old, next, from, [oldEnd, nextEnd]);
  if (best.size === 0) return [];
  const after = { old: best.old + best.size, next: best.next + best.size, size: 0 };
  return [
    ...matchingBlocks(old, next, from, [best.old, best.next]),
    best,
    ...matchingBlocks(old, next, after, [oldEnd, nextEnd]),
  ];
}

function longestRun(
  old: readonly string[],
  next: readonly string[],
  from: Block,
  [oldEnd, nextEnd]: readonly [number, number],
): Block {
  let best: Block = { ...from, size: 0 };
  let lengths = new Map<number, number>();
  for (let at = from.old; at < oldEnd; at++) {
    const ending = new Map<number, number>();
    for (let other = from.next; other < nextEnd; other++) {
      if (old[at] !== next[other]) continue;
      const size = (lengths.get(other - 1) ?? 0) + 1;
      ending.set(other, size);
      if (size > best.size) best = { old: at - size + 1, next: other - size + 1, size };
    }
    lengths = ending;
  }
  return best;
}

function hunks(lines: readonly { text: string; isSame: boolean }[]): string {
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ isSame }) => !isSame),
  );
  let text = "";
  let oldLine = 1;
  let nextLine = 1;
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isShown[end] === isShown[at]) end++;
    const hunk = lines.slice(at, end);
    const oldSize = hunk.filter(({ text: line }) => !line.startsWith("+")).length;
    const nextSize = hunk.filter(({ text: line }) => !line.startsWith("-")).length;
    if (isShown[at]) {
      text += `@@ -${range(oldLine, oldSize)} +${range(nextLine, nextSize)} @@\n`;
      for (const line of hunk) text += `${line.text}\n`;
    }
    oldLine += oldSize;
    nextLine += nextSize;
    at = end;
  }
  return text;
}

function range(start: number, size: number): string {
  if (size === 1) return String(start);
  return `${size === 0 ? start - 1 : start},${size}`;
}
