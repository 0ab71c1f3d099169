// SPDX-License-Identifier: Apache-2.0
import { startPlane } from "../src/plane/plane.ts";
import { answerQuestions } from "./machines-child.ts";

/** The plane in a process of its own, with its objects on disk; it counts what it is asked for. */
const counts = new Map<string, number>();
const plane = await startPlane({
  dir: process.argv[2] ?? "",
  intercept(request, next) {
    const name = nameOf(request.method, request.path);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return next(request);
  },
});

/** `PUT machinerequests/status`. */
function nameOf(method: string, path: string): string {
  const [place = ""] = path.split("?");
  const parts = place.split("/").slice(place.startsWith("/api/") ? 3 : 4);
  const [resource = "", , subresource] = parts[0] === "namespaces" && parts.length > 2 ? parts.slice(2) : parts;
  return `${method} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

answerQuestions({
  kubeconfig: () => plane.kubeconfig,
  counts: () => Object.fromEntries(counts),
});
process.once("SIGTERM", () => void plane.stop().then(() => process.exit(0)));
