// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, LostLeadershipError, manualClock } from "../kube/index.ts";
import type { OutsideCall } from "./call.ts";
import { createCalls } from "./outside-call.ts";
import { ProviderError } from "./provider-error.ts";

function calling(gate = () => {}) {
  const clock = manualClock();
  const audited: OutsideCall[] = [];
  const calls = createCalls({ clock, gate, audit: (call) => void audited.push(call) });
  const { signal } = new AbortController();
  return { clock, audited, calls, base: { what: 'create machine "web-1"', machine: "web-1", signal, limitMs: 60_000 } };
}

test("every request is told when it is over: verb, machine, result, code, id and time", async () => {
  const { clock, audited, calls, base } = calling();
  const answer = calls.run(base, (call) =>
    call.outside("create VirtualMachine", async () => {
      await clock.advance(250);
      return { requestId: "r-1" };
    }),
  );
  await answer;
  const refused = new ApiError({ status: 403, reason: "Forbidden", message: "no", requestId: "r-2" });
  await assert.rejects(
    calls.run(base, (call) => call.outside("get VirtualMachine", () => Promise.reject(refused))),
    refused,
  );
  const common = { machine: "web-1" };
  assert.deepEqual(audited, [
    { ...common, verb: "create VirtualMachine", result: "ok", code: undefined, requestId: "r-1", durationMs: 250 },
    { ...common, verb: "get VirtualMachine", result: "denied", code: "403", requestId: "r-2", durationMs: 0 },
  ]);
});

test("nothing is sent once this process may no longer act", async () => {
  const { audited, calls, base } = calling(() => {
    throw new LostLeadershipError("this process is stopped");
  });
  let isSent = false;
  const run = calls.run(base, (call) =>
    call.outside("create", async () => {
      isSent = true;
    }),
  );
  await assert.rejects(run, LostLeadershipError);
  assert.deepEqual([isSent, audited.length], [false, 0]);
});

test("a request that is about to leave too late is told as not sent, and its verb ends with the reason", async () => {
  const lost = new LostLeadershipError("this process is stopped");
  let mayAct = true;
  const { audited, calls, base } = calling(() => {
    if (!mayAct) throw lost;
  });
  const run = calls.run(base, (call) =>
    call.outside("create", async () => {
      mayAct = false;
      call.gate?.();
    }),
  );
  await assert.rejects(run, lost);
  assert.deepEqual(
    audited.map(({ result }) => result),
    ["not-sent"],
  );
});

test("a verb that does not end is given up at its limit by the clock, as something that may have acted", async () => {
  const { clock, calls, base } = calling();
  let wasAborted = false;
  const run = calls.run(
    base,
    (call) =>
      new Promise(() => {
        call.signal.addEventListener("abort", () => {
          wasAborted = true;
        });
      }),
  );
  const rejected = assert.rejects(run, (error) => {
    assert.ok(error instanceof ProviderError);
    assert.deepEqual([error.kind, error.reason, error.mayHaveActed], ["unavailable", "NoAnswer", true]);
    assert.equal(
      error.message,
      'create machine "web-1": the infrastructure has not answered within 60 s; it is tried again',
    );
    return true;
  });
  await clock.advance(59_999);
  assert.equal(wasAborted, false);
  await clock.advance(1);
  await rejected;
  assert.deepEqual([wasAborted, calls.inFlight, clock.waiting], [true, 0, 0]);
});

test("nothing is sent after the limit, even where the timer has not fired yet, as in a process that stood still", async () => {
  const clock = manualClock();
  const still = { ...clock, after: () => () => {} };
  const calls = createCalls({ clock: still, gate: () => {}, audit: () => {} });
  const { signal } = new AbortController();
  const sent: string[] = [];
  const run = calls.run({ what: "create", signal, limitMs: 60_000 }, async (call) => {
    await call.outside("look", async () => sent.push("look"));
    await clock.advance(600_000);
    assert.throws(() => call.gate?.(), { reason: "NoAnswer" });
    await call.outside("create", async () => sent.push("create"));
  });
  await assert.rejects(run, { kind: "unavailable", reason: "NoAnswer" });
  assert.deepEqual(sent, ["look"]);
});

test("the caller's signal ends it at once", async () => {
  const { calls, base } = calling();
  const end = new AbortController();
  const run = calls.run({ ...base, signal: end.signal }, () => new Promise(() => {}));
  end.abort(new Error("stop"));
  await assert.rejects(run, { message: "stop" });
});

test("an infrastructure that asks to slow down is left alone for as long as it asks, or a minute", async () => {
  const { clock, calls, base } = calling();
  const slow = (retryAfterMs?: number) =>
    calls.run(base, () =>
      Promise.reject(new ProviderError({ kind: "throttled", reason: "TooManyRequests", message: "429", retryAfterMs })),
    );
  let sent = 0;
  const send = () =>
    calls.run(base, async () => {
      sent += 1;
    });
  await assert.rejects(slow(5_000));
  await assert.rejects(
    send(),
    (error) =>
      error instanceof ProviderError &&
      error.kind === "throttled" &&
      error.retryAfterMs === 5_000 &&
      !error.mayHaveActed,
  );
  await clock.advance(5_000);
  await send();
  await assert.rejects(slow());
  await clock.advance(59_000);
  await assert.rejects(send());
  await clock.advance(1_000);
  await send();
  assert.equal(sent, 2);
});

test("idle resolves when the last call has ended", async () => {
  const { calls, base } = calling();
  await calls.idle();
  let finish = () => {};
  const run = calls.run(base, () => new Promise<void>((resolve) => (finish = resolve)));
  let isIdle = false;
  const idle = calls.idle().then(() => {
    isIdle = true;
  });
  await Promise.resolve();
  assert.equal(isIdle, false);
  finish();
  await Promise.all([run, idle]);
});
