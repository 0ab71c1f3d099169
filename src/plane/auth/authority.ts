// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { isIp } from "../../lib/ip.ts";
import { certificatePem, type Identity, type Issuer, keyPem, newKey, type Use } from "./certificate.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** The user that the static token and the first client certificate stand for. */
export const ADMIN = { name: "butler-admin", groups: ["system:masters"] } as const;

/**
 * Everything that makes others trust a plane, and the plane trust others. Nothing is made before it is needed, and what
 * was made is kept: in memory, or in a folder for the next start.
 */
export interface Authority {
  /** The authority's own certificate, PEM: what clients need to know the server. */
  readonly certificate: string;
  /** The server's certificate for these DNS names and addresses. */
  serving(hosts: readonly string[]): Identity;
  /** A client certificate: the user and the groups it speaks for. */
  issueClient(user: string, groups: readonly string[]): Identity;
  /** A client certificate of the administrator. */
  readonly admin: Identity;
  /** A bearer token of the administrator. */
  readonly adminToken: string;
  /** Signs service account tokens. */
  readonly tokenKey: KeyObject;
}

/** How an authority is made. */
export interface AuthorityOptions {
  /** Certificates are for TLS, whose other end goes by the true time: the plane's own clock may be a test's. */
  readonly now?: () => number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
const RENEW_DAYS = 30;
const SUBJECT = { commonName: "butler-plane-authority" };

/** Makes an authority, or with a folder goes on with the one that is there. Throws where a file there cannot be read. */
export function createAuthority(dir?: string, { now = Date.now }: AuthorityOptions = {}): Authority {
  const files = dir === undefined ? memoryFiles() : folderFiles(dir);
  const kept = <T>(name: string, read: (text: string) => T | undefined, make: () => string): T => {
    const known = files.read(name);
    const value = known === undefined ? undefined : readable(files.place(name), () => read(known));
    if (value !== undefined) return value;
    const text = make();
    const made = read(text);
    if (made === undefined) throw new Error(`${files.place(name)}: what was just made cannot be used`);
    files.write(name, text);
    return made;
  };

  const authority = once((): Issuer & { certificate: string } =>
    kept("authority.pem", readAuthority, () => newAuthority(now())),
  );
  const issue = (commonName: string, organizations: readonly string[], use: Use): Identity => {
    const key = newKey();
    const subject = { commonName, organizations };
    const options = { subject, use, key, issuer: authority(), ...validity(now(), CERTIFICATE_DAYS) };
    return { certificate: certificatePem(options), key: keyPem(key) };
  };
  const identity = (name: string, isFit: (certificate: X509Certificate) => boolean, make: () => Identity) => {
    const read = (text: string): Identity | undefined => {
      const found = readIdentity(text);
      const certificate = new X509Certificate(found.certificate);
      const isOurs = certificate.verify(new X509Certificate(authority().certificate).publicKey);
      const isFresh = certificate.validToDate.getTime() - now() > RENEW_DAYS * DAY_MS;
      return isOurs && isFresh && isFit(certificate) ? found : undefined;
    };
    return kept(name, read, () => printIdentity(make()));
  };

  const admin = once(() =>
    identity(
      "admin.pem",
      () => true,
      () => issue(ADMIN.name, ADMIN.groups, { is: "client" }),
    ),
  );
  const adminToken = once(() =>
    kept(
      "admin-token",
      (text) => text.trim(),
      () => `${randomBytes(32).toString("base64url")}\n`,
    ),
  );
  const tokenKey = once(() => kept("token-key.pem", createPrivateKey, () => keyPem(newKey())));

  return {
    get certificate() {
      return authority().certificate;
    },
    serving: (hosts) =>
      identity(
        "serving.pem",
        (certificate) => hosts.every((host) => isFor(certificate, host)),
        () => issue("butler-plane", [], { is: "server", hosts }),
      ),
    issueClient: (user, groups) => issue(user, groups, { is: "client" }),
    get admin() {
      return admin();
    },
    get adminToken() {
      return adminToken();
    },
    get tokenKey() {
      return tokenKey();
    },
  };
}

/** Runs on the first call only; every call gets that result. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface Files {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
  /** For messages. */
  place(name: string): string;
}

function memoryFiles(): Files {
  const texts = new Map<string, string>();
  return { read: (name) => texts.get(name), write: (name, text) => texts.set(name, text), place: (name) => name };
}

function folderFiles(dir: string): Files {
  const place = (name: string) => join(dir, name);
  return {
    read: (name) => readPrivateFile(place(name)),
    write: (name, text) => writePrivateFile(place(name), text),
    place,
  };
}

/** A cause could quote the file, which holds keys: it is left out. */
function readable<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${place} cannot be read: restore it, or remove it to have another made`);
  }
}

function newAuthority(nowMs: number): string {
  const key = newKey();
  const issuer = { subject: SUBJECT, key };
  const use: Use = { is: "authority" };
  const certificate = certificatePem({ subject: SUBJECT, use, key, issuer, ...validity(nowMs, AUTHORITY_DAYS) });
  return printIdentity({ certificate, key: keyPem(key) });
}

function readAuthority(text: string): Issuer & { certificate: string } {
  const { certificate, key } = readIdentity(text);
  return { subject: SUBJECT, key: createPrivateKey(key), certificate };
}

/** A day back, for clients whose clocks are late. */
function validity(nowMs: number, days: number): { validFromMs: number; validToMs: number } {
  return { validFromMs: nowMs - DAY_MS, validToMs: nowMs + days * DAY_MS };
}

function printIdentity({ certificate, key }: Identity): string {
  return certificate + key;
}

function readIdentity(text: string): Identity {
  const [certificate] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/.exec(text) ?? [];
  const [key] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text) ?? [];
  if (certificate === undefined || key === undefined) throw new Error("no certificate with its key");
  return { certificate, key };
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIp(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
