// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";

/** A connection on which a test says whatever it likes. */
export interface RawConnection {
  readonly socket: Socket;
  /** What came so far. */
  heard(): string;
  /** Resolves with all that came once the server has closed the connection. */
  readonly closed: Promise<string>;
}

/** Connects without TLS. */
export async function openTcp(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connectTcp(Number(port), hostname);
  const connection = listen(socket);
  await once(socket, "connect");
  return connection;
}

/** Connects with TLS; throws where the handshake fails. */
export async function openTls(url: string, options: ConnectionOptions): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket: TLSSocket = connectTls({ host: hostname, port: Number(port), ...options });
  const connection = listen(socket);
  await once(socket, "secureConnect");
  return connection;
}

function listen(socket: Socket): RawConnection {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  // A server that hangs up in the middle of what we say is what many tests are about.
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  return { socket, heard: () => text, closed };
}
