// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../clock.ts";
import type { KindDescriptor, KubeObject } from "../types.ts";
import { isStatus, toObject, uidInStatus } from "./answers.ts";
import type { Call, Surroundings } from "./attempt.ts";
import {
  applyCall,
  createCall,
  deleteCall,
  getCall,
  jsonPatchCall,
  mergePatchCall,
  rawCall,
  updateCall,
} from "./calls.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createCredentials } from "./credentials.ts";
import { createHandlerWire } from "./handler-wire.ts";
import { listAll, listPages } from "./list.ts";
import { send } from "./send.ts";
import type { CallOptions, Client, ClientOptions } from "./types.ts";
import { createUndiciWire } from "./undici-wire.ts";
import { watch } from "./watch.ts";

/** Makes a client. Nothing is read, run or sent before the first call. Throws where the address is no URL. */
export function createClient(config: ClusterConfig, options: ClientOptions = {}): Client {
  const { clock = systemClock, random = Math.random, transport, connections = 16 } = options;
  const { host } = new URL(config.server);
  const wire = transport === undefined ? createUndiciWire({ ...config, connections }) : createHandlerWire(transport);
  const surroundings: Surroundings = {
    wire,
    credentials: createCredentials(config, { clock, userAgent: options.userAgent ?? "butler-kube" }),
    clock,
    random,
    host,
    nextId: createIds(random),
    onRequest: options.onRequest,
    gates: options.gate === undefined ? [] : [options.gate],
    limits: {
      readTryMs: options.readTryMs ?? 30_000,
      writeTryMs: options.writeTryMs ?? 65_000,
      totalMs: options.totalMs ?? 120_000,
      tries: options.tries ?? 4,
    },
  };
  return clientOn(surroundings, config.server, () => wire.close());
}

/** Different for every client and request, and cheap: a request is not worth sixteen random bytes. */
function createIds(random: () => number): () => string {
  const digits = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const prefix = `${digits()}${digits()}`;
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

function clientOn(surroundings: Surroundings, server: string, close: () => Promise<void>): Client {
  const object = async <T extends KubeObject>(
    kind: KindDescriptor<T>,
    call: Call,
    options: CallOptions,
  ): Promise<T> => {
    const { value, asked } = await send(call, options, surroundings);
    return toObject(kind, value, asked);
  };
  // All are async so that a mistake in the arguments rejects like every other failure.
  return {
    server,
    get: async (kind, key, options = {}) => object(kind, getCall(kind, key, options), options),
    list: (kind, options = {}) => listAll(kind, options, surroundings),
    pages: (kind, options = {}) => listPages(kind, options, surroundings),
    create: async (kind, draft, options = {}) => object(kind, createCall(kind, draft, options), options),
    update: async (kind, draft, options = {}) => object(kind, updateCall(kind, draft, options), options),
    mergePatch: async (kind, key, patch, options = {}) =>
      object(kind, mergePatchCall(kind, key, { patch, options }), options),
    jsonPatch: async (kind, key, patch, options = {}) =>
      object(kind, jsonPatchCall(kind, key, { patch, options }), options),
    apply: async (kind, draft, options) => object(kind, applyCall(kind, draft, options), options),
    async delete(kind, key, options = {}) {
      const { value, asked } = await send(deleteCall(kind, key, options), options, surroundings);
      if (!isStatus(value)) return toObject(kind, value, asked);
      const uid = uidInStatus(value);
      if (uid !== undefined) options.onDeleted?.(uid);
      return undefined;
    },
    watch: (kind, options = {}) => watch(kind, options, surroundings),
    async raw(method, path, options = {}) {
      const { status, headers, value } = await send(rawCall(method, path, options), options, surroundings);
      return { status, headers, body: value };
    },
    withGate: (gate) => clientOn({ ...surroundings, gates: [...surroundings.gates, gate] }, server, async () => {}),
    close,
  };
}
