// SPDX-License-Identifier: Apache-2.0

/** One request to an infrastructure, told when it is over. */
export interface OutsideCall {
  /** What was done to what: `create VirtualMachine`. */
  readonly verb: string;
  /** The machine it was for; empty where it was for none or many. */
  readonly machine: string;
  /** `ok`, or the kind of its error; `not-sent` where this process might no longer act when it was about to leave. */
  readonly result: string;
  readonly code: string | undefined;
  /** The infrastructure's own id of the request. */
  readonly requestId: string | undefined;
  readonly durationMs: number;
}

/** What a provider's verb gets along. */
export interface Call {
  /** Aborted when nobody waits for the answer any more; the verb then ends quickly. */
  readonly signal: AbortSignal;
  /**
   * Every request to the infrastructure goes through here: refused once this process may no longer act, and told to the audit when
   * it is over. What `send` throws is thrown on.
   */
  outside<T>(verb: string, send: () => Promise<T>): Promise<T>;
  /**
   * Throws once this process may no longer act. `outside` has asked it already; a client whose requests may wait for a connection
   * asks again at the moment a write leaves.
   */
  readonly gate?: () => void;
}
