// SPDX-License-Identifier: Apache-2.0
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { PlaneRequest } from "../types.ts";

type ClientCertificate = NonNullable<PlaneRequest["certificate"]>;

const known = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

/**
 * Who the client of a connection says he is by certificate. The server must ask for one (`requestCert`), trust our
 * authority alone (`ca`) and not hang up by itself (`rejectUnauthorized: false`): a certificate of another authority is
 * marked as such and makes a request 401. Read once per connection.
 */
export function clientCertificate(socket: TLSSocket): ClientCertificate | undefined {
  let found = known.get(socket);
  if (found === undefined) {
    found = { certificate: read(socket) };
    known.set(socket, found);
  }
  return found.certificate;
}

function read(socket: TLSSocket): ClientCertificate | undefined {
  // Null once the client has hung up, whatever its type says; whoever is gone is nobody.
  const peer: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  const { subject, fingerprint256 = "" } = peer ?? {};
  if (subject === undefined) return undefined;
  const { CN, O } = subject;
  return {
    commonName: [CN ?? ""].flat().at(-1) ?? "",
    organizations: [O ?? []].flat(),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    ...(socket.authorized ? {} : { isForeign: true }),
  };
}
