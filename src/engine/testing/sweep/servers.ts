// SPDX-License-Identifier: Apache-2.0
import type { HandlerRequest, HandlerResponse } from "../../../kube/index.ts";
import { errorResponse } from "../../../plane/handler.ts";
import type { Plane } from "../../../plane/plane.ts";
import { failure } from "../../../plane/status-error.ts";
import type { RunningSimulator } from "../simulator.ts";
import type { Server } from "./line.ts";
import type { Past } from "./past.ts";
import type { Side } from "./traffic.ts";

const MANAGER = { name: "manager", groups: ["system:masters", "system:authenticated"] };

/** Told of every request that a server has served, late ones included, and of its answer. */
export type Witness = (side: Side, request: HandlerRequest, answer: HandlerResponse) => void;

/** The server, with everything it serves told to witnesses. */
export function witnessed(side: Side, server: Server, witnesses: ReadonlySet<Witness>): Server {
  return {
    ...server,
    async serve(request) {
      const answer = await server.serve(request);
      for (const look of witnesses) look(side, request, answer);
      return answer;
    },
  };
}

/** A plane, for whoever may do everything. */
export function kubernetesServer(plane: Plane): Server {
  return {
    serve: (request) => plane.handle({ ...request, user: MANAGER }),
    async refuse({ headers: { accept } }, { status, retryAfterSeconds }) {
      const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
      const error = failure({
        code: status,
        reason: REASONS[status] ?? "",
        message: "refused by the sweep",
        ...details,
      });
      return errorResponse(error, { onFault: () => {}, accept });
    },
  };
}

const REASONS: Readonly<Record<number, string>> = {
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** A simulated infrastructure, and its past. */
export function infrastructureServer(sim: RunningSimulator, past: Past): Server {
  return {
    serve: past.serve,
    old: past.answer,
    async refuse(request, { status, retryAfterSeconds }) {
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      // The very next request is this one.
      sim.inject({ times: 1, effect: { type: "refuse", status, ...wait } });
      return await sim.transport(request);
    },
  };
}
