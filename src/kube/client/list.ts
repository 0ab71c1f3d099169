// SPDX-License-Identifier: Apache-2.0
import { isGone } from "../errors.ts";
import type { KindDescriptor, KubeObject } from "../types.ts";
import { type ParsedPage, toPage } from "./answers.ts";
import type { Surroundings } from "./attempt.ts";
import { listCall } from "./calls.ts";
import { send } from "./send.ts";
import type { ListOptions, ListPage, ObjectList } from "./types.ts";

const PAGE_SIZE = 500;

/** A list that the server forgets this often before it is read to its end is asked for in one piece. */
const PAGED_TRIES = 2;

/** Reads a list page by page; see `Client.pages`. */
export async function* listPages<T extends KubeObject>(
  kind: KindDescriptor<T>,
  options: ListOptions,
  surroundings: Surroundings,
): AsyncGenerator<ListPage<T>, void, undefined> {
  let next: string | undefined;
  let isRestart = false;
  for (let forgotten = 0; ; ) {
    const limit = forgotten < PAGED_TRIES ? (options.limit ?? PAGE_SIZE) : 0;
    const call = listCall(kind, options, next === undefined ? { limit } : { limit, next });
    let page: ParsedPage<T>;
    try {
      const { value, asked } = await send(call, options, surroundings);
      page = toPage(kind, value, asked);
    } catch (error) {
      // The first page fails with 410 only where the caller asked for a version that is gone: that is for the caller to know.
      if (next === undefined || !isGone(error)) throw error;
      forgotten += 1;
      next = undefined;
      isRestart = true;
      continue;
    }
    yield { items: page.items, resourceVersion: page.resourceVersion, isRestart };
    isRestart = false;
    next = page.next;
    if (next === undefined) return;
  }
}

/** Reads a whole list; see `Client.list`. */
export async function listAll<T extends KubeObject>(
  kind: KindDescriptor<T>,
  options: ListOptions,
  surroundings: Surroundings,
): Promise<ObjectList<T>> {
  let items: T[] = [];
  let resourceVersion = "";
  for await (const page of listPages(kind, options, surroundings)) {
    if (page.isRestart || items.length === 0) items = page.items;
    else for (const item of page.items) items.push(item);
    resourceVersion = page.resourceVersion;
  }
  return { items, resourceVersion };
}
