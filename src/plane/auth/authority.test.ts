// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { createAuthority } from "./authority.ts";
import { clientCertificate } from "./client-certificate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "butler-authority-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test("certificates are signed by the authority and say what they are for", () => {
  const authority = createAuthority();
  const root = new X509Certificate(authority.certificate);
  const serving = new X509Certificate(authority.serving(["127.0.0.1", "localhost", "fd00::1"]).certificate);
  assert.ok(root.ca && root.verify(root.publicKey) && serving.verify(root.publicKey));
  assert.equal(serving.ca, false);
  assert.equal(serving.checkIP("127.0.0.1"), "127.0.0.1");
  assert.equal(serving.checkIP("fd00::1"), "fd00::1");
  assert.equal(serving.checkHost("localhost"), "localhost");
  assert.equal(serving.checkHost("example.com"), undefined);
  assert.deepEqual(serving.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
  const client = new X509Certificate(authority.issueClient("jane", ["a", "b"]).certificate);
  assert.equal(client.subject, "O=a\nO=b\nCN=jane");
  assert.deepEqual(client.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
});

test("a folder keeps everything for the next start, for its owner alone", (t) => {
  const dir = join(folder(t), "keys");
  const one = createAuthority(dir);
  const made = [one.certificate, one.serving(["127.0.0.1"]).key, one.admin.key, one.adminToken];
  made.push(one.tokenKey.export({ type: "pkcs8", format: "pem" }).toString());
  for (const name of readdirSync(dir)) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
  assert.equal(statSync(dir).mode & 0o777, 0o700);
  const two = createAuthority(dir);
  const found = [two.certificate, two.serving(["127.0.0.1"]).key, two.admin.key, two.adminToken];
  found.push(two.tokenKey.export({ type: "pkcs8", format: "pem" }).toString());
  assert.deepEqual(found, made);
});

test("a file that others could read is closed to them", (t) => {
  const dir = folder(t);
  const { adminToken } = createAuthority(dir);
  const path = join(dir, "admin-token");
  chmodSync(path, 0o644);
  assert.equal(createAuthority(dir).adminToken, adminToken);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("another address, and a certificate that ends soon, get another certificate of the same authority", (t) => {
  const dir = folder(t);
  const first = createAuthority(dir);
  const serving = first.serving(["127.0.0.1"]);
  assert.equal(createAuthority(dir).serving(["127.0.0.1"]).key, serving.key);
  assert.notEqual(createAuthority(dir).serving(["127.0.0.1", "butler.local"]).key, serving.key);
  const later = createAuthority(dir, { now: () => Date.now() + 350 * DAY_MS });
  assert.notEqual(later.serving(["127.0.0.1"]).key, serving.key);
  assert.equal(later.certificate, first.certificate);
});

test("a damaged file is refused by name, and neither replaced nor quoted", (t) => {
  const dir = folder(t);
  createAuthority(dir).certificate;
  const path = join(dir, "authority.pem");
  writeFileSync(path, "secret nonsense");
  assert.throws(
    () => createAuthority(dir).certificate,
    (error: Error) => error.message.includes(path) && !error.message.includes("nonsense"),
  );
  assert.equal(readFileSync(path, "utf8"), "secret nonsense");
});

interface Connection {
  readonly ca: string;
  readonly client?: { readonly certificate: string; readonly key: string };
}

/** What a server that trusts the authority learns of a client. */
async function seen(t: TestContext, { ca, client }: Connection) {
  const authority = createAuthority();
  const { certificate: cert, key } = authority.serving(["127.0.0.1"]);
  const trusted = ca === "own" ? authority.certificate : ca;
  const server = createServer({ ca: trusted, cert, key, requestCert: true, rejectUnauthorized: false });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({
    host: "127.0.0.1",
    port,
    ca: authority.certificate,
    ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
  });
  const [accepted] = (await once(server, "secureConnection")) as [TLSSocket];
  const found = clientCertificate(accepted);
  socket.destroy();
  accepted.destroy();
  return found;
}

test("a client is known by a certificate of our authority, and only by that", async (t) => {
  const authority = createAuthority();
  const { certificate: ca } = authority;
  const known = await seen(t, { ca, client: authority.issueClient("jane", ["a", "b"]) });
  assert.equal(known?.commonName, "jane");
  assert.deepEqual(known.organizations, ["a", "b"]);
  assert.equal(known.isForeign, undefined);
  assert.match(known.fingerprint ?? "", /^[0-9a-f]{64}$/);
  const foreign = await seen(t, { ca, client: createAuthority().issueClient("jane", ["system:masters"]) });
  assert.equal(foreign?.isForeign, true);
  const server = await seen(t, { ca, client: authority.serving(["127.0.0.1"]) });
  assert.equal(server?.isForeign, true, "a server's certificate is no client's");
  assert.equal(await seen(t, { ca }), undefined);
});
