// SPDX-License-Identifier: Apache-2.0
export { type ManualClock, manualClock } from "../clock.ts";
export { type ChaosProxy, type ChaosProxyOptions, type ChaosStatistics, chaosProxy } from "./chaos-proxy.ts";
export {
  type ChaosEvent,
  type ChaosRates,
  type ChaosRequest,
  type ChaosScript,
  type ConnectionFault,
  type EventFault,
  type RequestFault,
  type ResponseFault,
  seededChaos,
} from "./chaos-script.ts";
