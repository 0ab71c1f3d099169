// SPDX-License-Identifier: Apache-2.0
import type { SimulatedRequest } from "../../../engine/testing/simulator.ts";
import type { Clock } from "../../../kube/index.ts";
import type { Handler, PlaneRequest, PlaneResponse } from "../../../plane/types.ts";
import type { Tokens } from "./access.ts";
import { ConnectionCut, createFaults, type Faults, serveWith } from "./faults.ts";
import { createWatchStreams, type WatchStreams } from "./watch-streams.ts";

/** Everything between callers and the plane behind: logins, faults, small pages, broken connections. */
export interface Front {
  /** Serves a request. Rejects with `ConnectionCut` where the caller's connection breaks. */
  readonly handle: Handler;
  readonly faults: Faults;
  readonly watches: WatchStreams;
  /** The last ones: half a million at least. */
  readonly requests: readonly SimulatedRequest[];
  /** The largest page of a list; undefined for what is asked for. */
  pageSize: number | undefined;
  /** Resolves when every request is answered, apart from watches and those that hang. */
  answered(): Promise<void>;
}

interface FrontOptions {
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly plane: Handler;
  /** Whether anybody is answered at all. */
  readonly isUp: () => boolean;
  /** An id for an answer that has none. */
  readonly newId: () => string;
  /** The Kubernetes version that is told. */
  readonly kubernetes: string;
  /** Writes wait for this before they are served; left out, for nothing. */
  readonly untilReady?: (() => Promise<void>) | undefined;
}

/** A simulator may run for weeks. */
const KEPT_REQUESTS = 500_000;

/** Makes a front. */
export function createFront(options: FrontOptions): Front {
  const { clock, tokens, plane, isUp, newId, kubernetes, untilReady } = options;
  const faults = createFaults();
  const watches = createWatchStreams();
  const requests: SimulatedRequest[] = [];
  const busy = createCounter();

  const serve = async (request: PlaneRequest): Promise<PlaneResponse> => {
    const user = request.user ?? tokens.userOf(request.headers.authorization);
    const gone = new AbortController();
    const abandon = () => gone.abort();
    if (request.signal.aborted) abandon();
    else request.signal.addEventListener("abort", abandon, { once: true });
    const path = front.pageSize === undefined ? request.path : withSmallPages(request.path, front.pageSize);
    const answer = await plane({ ...request, path, signal: gone.signal, ...(user === undefined ? {} : { user }) });
    return typeof answer.body === "string" ? answer : { ...answer, body: watches.carry(answer.body, abandon) };
  };

  const front: Front = {
    faults,
    watches,
    requests,
    pageSize: undefined,
    answered: busy.untilNone,
    async handle(request) {
      const seen = seenAs(request);
      requests.push(seen);
      if (requests.length >= 2 * KEPT_REQUESTS) requests.splice(0, KEPT_REQUESTS);
      const leave = busy.enter();
      try {
        if (untilReady !== undefined && seen.isWrite) await untilReady();
        if (!isUp()) throw new ConnectionCut();
        const effect = faults.take(seen);
        const answer =
          effect === undefined
            ? await serve(request)
            : await serveWith(effect, request, { clock, next: serve, onHang: leave });
        return withHeaders(isVersion(request) ? asVersion(answer, kubernetes) : answer, newId);
      } finally {
        leave();
      }
    },
  };
  return front;
}

/** Access reviews are sent by POST and change nothing. */
function seenAs({ method, path }: PlaneRequest): SimulatedRequest {
  const isReview = /^\/apis\/(authorization|authentication)\.k8s\.io\//.test(path);
  return { method, path, isWrite: !isReview && !["GET", "HEAD", "OPTIONS"].includes(method) };
}

/** Lists that ask for pages get small ones; those that ask for everything get it, as from the real server. */
function withSmallPages(path: string, size: number): string {
  const [place = "", query] = path.split("?");
  const parameters = new URLSearchParams(query);
  if (Number(parameters.get("limit") ?? 0) <= size) return path;
  parameters.set("limit", String(size));
  return `${place}?${parameters}`;
}

function withHeaders(answer: PlaneResponse, newId: () => string): PlaneResponse {
  if (answer.headers["audit-id"] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "audit-id": newId() } };
}

function isVersion({ path }: PlaneRequest): boolean {
  return /^\/version\/?(\?|$)/.test(path);
}

function asVersion(answer: PlaneResponse, kubernetes: string): PlaneResponse {
  if (answer.status !== 200 || typeof answer.body !== "string") return answer;
  const [major = "", minor = ""] = kubernetes.split(".");
  const body = { ...JSON.parse(answer.body), major, minor, gitVersion: `v${kubernetes}+rke2r1` };
  return { ...answer, body: JSON.stringify(body) };
}

/** Counts what is under way. */
function createCounter() {
  let count = 0;
  const listeners: (() => void)[] = [];
  return {
    enter() {
      count += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        count -= 1;
        if (count === 0) for (const listener of listeners.splice(0)) listener();
      };
    },
    untilNone: (): Promise<void> =>
      count === 0 ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve)),
  };
}
