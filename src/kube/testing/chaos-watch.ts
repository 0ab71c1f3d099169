// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { createLineSplitter } from "../client/json-lines.ts";
import { type Answering, nameOf, passedHeaders, pause } from "./relay-parts.ts";

const EXPIRED = {
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "too old resource version: injected by the chaos proxy",
    reason: "Expired",
    code: 410,
  },
};

/** How a stream goes on after an event. */
type Next = "goes on" | "is over";

/** Resolves when there is room again or the client is gone, and leaves no listener behind. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ["drain", "close"]) outgoing.off(event, done);
      resolve();
    };
    for (const event of ["drain", "close"]) outgoing.on(event, done);
  });
}

/** Passes a watch on, event by event, with what the script makes of each. */
export async function relayEvents(
  answer: Dispatcher.ResponseData,
  { request, outgoing, shared, cut }: Answering,
): Promise<void> {
  outgoing.writeHead(answer.statusCode, passedHeaders(answer.headers));
  outgoing.flushHeaders();
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const send = async (text: string) => {
    if (outgoing.destroyed) return;
    if (!outgoing.write(text)) await drained(outgoing);
  };
  let lines: string[] = [];
  const splitter = createLineSplitter((line) => void lines.push(line));
  /** An event that lets the next one go first. */
  let overtaken = "";
  let index = 0;
  const passEvent = async (line: string): Promise<Next> => {
    const fault = shared.script.event?.({ request, index, line });
    index += 1;
    if (fault !== undefined) shared.count(`event ${nameOf(fault)}`);
    if (fault === "cut") {
      cut();
      return "is over";
    }
    if (fault === "hold") return "is over";
    if (fault === "drop") return "goes on";
    if (fault === "truncate") {
      outgoing.write(line.slice(0, Math.ceil(line.length / 2)), cut);
      return "is over";
    }
    if (fault === "expire") {
      outgoing.end(`${JSON.stringify(EXPIRED)}\n`);
      return "is over";
    }
    if (typeof fault === "object") await pause(shared.clock, fault.delayMs, gone.signal);
    if (fault === "reorder" && overtaken === "") {
      overtaken = `${line}\n`;
      return "goes on";
    }
    await send(`${line}\n${fault === "duplicate" ? `${line}\n` : ""}${overtaken}`);
    overtaken = "";
    return "goes on";
  };
  for await (const chunk of answer.body) {
    splitter.push(chunk);
    const taken = lines;
    lines = [];
    for (const line of taken) if ((await passEvent(line)) === "is over") return void answer.body.destroy();
  }
  outgoing.end(overtaken);
}
