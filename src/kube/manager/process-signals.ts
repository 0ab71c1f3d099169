// SPDX-License-Identifier: Apache-2.0

/** What a process is asked to do from outside. */
export interface StopSignals {
  /** Aborted by the first request to stop: finish, tidy up, end. */
  readonly graceful: AbortSignal;
  /** Aborted by the second: end at once. */
  readonly atOnce: AbortSignal;
  /** Listens no more. */
  close(): void;
}

/** Where requests to stop come from; a process is one. */
export interface SignalSource {
  on(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

/** Turns SIGTERM and SIGINT into signals for `Manager.run`. Until `close` the process does not end by them alone. */
export function stopSignals(source: SignalSource = process): StopSignals {
  const graceful = new AbortController();
  const atOnce = new AbortController();
  const onSignal = () => {
    const next = graceful.signal.aborted ? atOnce : graceful;
    next.abort(new Error("the process was asked to stop"));
  };
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) source.on(name, onSignal);
  return {
    graceful: graceful.signal,
    atOnce: atOnce.signal,
    close() {
      for (const name of names) source.off(name, onSignal);
    },
  };
}
