// SPDX-License-Identifier: Apache-2.0

/**
 * The candidate a mistyped word most likely meant, or undefined when none is near: the same word in another case, one
 * that it begins or that begins it, or one few typing mistakes away. Ties go to the first candidate.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 100) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = nearness(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean "x"?)` for the nearest candidate, or nothing: made to be put at the end of a message. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}

function nearness(word: string, candidate: string): number {
  if (word === candidate) return 0;
  const allowed = Math.max(word.length, candidate.length) <= 3 ? 1 : Math.ceil(word.length / 3);
  const distance =
    Math.abs(word.length - candidate.length) > allowed ? Number.POSITIVE_INFINITY : edits(word, candidate);
  if (distance <= allowed) return distance;
  const [short, long] = word.length < candidate.length ? [word, candidate] : [candidate, word];
  return short.length >= 3 && long.startsWith(short) ? 100 + long.length - short.length : Number.POSITIVE_INFINITY;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function edits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
