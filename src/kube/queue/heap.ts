// SPDX-License-Identifier: Apache-2.0

/** What a heap holds. The heap writes `heapIndex`, -1 while the item is in none; an item is in one heap at a time. */
export interface HeapItem {
  heapIndex: number;
}

/** Keeps items so that the first by order is at hand. */
export interface Heap<T extends HeapItem> {
  readonly size: number;
  first(): T | undefined;
  push(item: T): void;
  /** Takes out any item, wherever it is; nothing happens where it is not in. */
  remove(item: T): void;
}

/** A binary heap from which any item can be taken in logarithmic time: nothing that was called off stays behind. */
export function createHeap<T extends HeapItem>(isBefore: (left: T, right: T) => boolean): Heap<T> {
  const items: T[] = [];
  const place = (item: T, index: number) => {
    items[index] = item;
    item.heapIndex = index;
  };
  const rise = (item: T, from: number) => {
    let index = from;
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = items[up];
      if (parent === undefined || !isBefore(item, parent)) break;
      place(parent, index);
      index = up;
    }
    place(item, index);
  };
  const sink = (item: T, from: number) => {
    let index = from;
    for (;;) {
      const down = 2 * index + 1;
      const left = items[down];
      if (left === undefined) break;
      const right = items[down + 1];
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, item)) break;
      const freed = child.heapIndex;
      place(child, index);
      index = freed;
    }
    place(item, index);
  };
  return {
    get size() {
      return items.length;
    },
    first: () => items[0],
    push: (item) => rise(item, items.length),
    remove(item) {
      const index = item.heapIndex;
      if (items[index] !== item) return;
      item.heapIndex = -1;
      const last = items.pop();
      if (last === undefined || last === item) return;
      rise(last, index);
      sink(last, last.heapIndex);
    },
  };
}
