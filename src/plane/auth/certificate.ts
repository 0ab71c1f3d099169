// SPDX-License-Identifier: Apache-2.0
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { addressBits, isIp, parseIp } from "../../lib/ip.ts";
import {
  bits,
  boolean,
  type Der,
  der,
  identifier,
  octets,
  pem,
  sequence,
  set,
  tagged,
  time,
  unsigned,
  utf8,
} from "./der.ts";

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** Who a certificate is about. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** Who signs: a subject and its key. */
export interface Issuer {
  readonly subject: Subject;
  readonly key: KeyObject;
}

/** What a certificate is good for. */
export type Use =
  | { readonly is: "authority" }
  | { readonly is: "client" }
  /** DNS names and IP addresses. */
  | { readonly is: "server"; readonly hosts: readonly string[] };

/** What to put into a certificate. */
export interface CertificateOptions {
  readonly subject: Subject;
  readonly use: Use;
  readonly key: KeyObject;
  readonly issuer: Issuer;
  readonly validFromMs: number;
  readonly validToMs: number;
}

const ECDSA_SHA256 = sequence(identifier("1.2.840.10045.4.3.2"));

/** A new private key on curve P-256. */
export function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** A private key as PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A signed X.509 certificate as PEM. */
export function certificatePem({ subject, use, key, issuer, validFromMs, validToMs }: CertificateOptions): string {
  const publicKey = publicKeyOf(key);
  const serial = randomBytes(16);
  const unsignedPart = sequence(
    tagged(0, unsigned(Buffer.from([2]))),
    unsigned(serial),
    ECDSA_SHA256,
    nameOf(issuer.subject),
    sequence(time(validFromMs), time(validToMs)),
    nameOf(subject),
    publicKey,
    tagged(3, sequence(...extensionsOf(use, publicKey, publicKeyOf(issuer.key)))),
  );
  const signature = sign("sha256", unsignedPart, issuer.key);
  return pem("CERTIFICATE", sequence(unsignedPart, ECDSA_SHA256, bits(signature)));
}

function publicKeyOf(key: KeyObject): Der {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

/** Organizations first, as Kubernetes' own tools write them: they become the user's groups, the common name the user. */
function nameOf({ commonName, organizations = [] }: Subject): Der {
  const attribute = (type: string, value: string) => set(sequence(identifier(type), utf8(value)));
  return sequence(...organizations.map((name) => attribute("2.5.4.10", name)), attribute("2.5.4.3", commonName));
}

function extensionsOf(use: Use, publicKey: Der, issuerKey: Der): Der[] {
  const extension = (type: string, isCritical: boolean, value: Der) =>
    sequence(identifier(type), ...(isCritical ? [boolean(true)] : []), octets(value));
  const isAuthority = use.is === "authority";
  const extensions = [
    extension("2.5.29.19", true, isAuthority ? sequence(boolean(true)) : sequence()),
    // Digital signature; for an authority also the signing of certificates.
    extension("2.5.29.15", true, isAuthority ? bits(Buffer.from([0x84]), 2) : bits(Buffer.from([0x80]), 7)),
    extension("2.5.29.14", false, octets(keyId(publicKey))),
    extension("2.5.29.35", false, sequence(der(0x80, keyId(issuerKey)))),
  ];
  if (use.is === "authority") return extensions;
  const purpose = use.is === "server" ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2";
  extensions.push(extension("2.5.29.37", false, sequence(identifier(purpose))));
  if (use.is === "server") extensions.push(extension("2.5.29.17", false, sequence(...use.hosts.map(hostName))));
  return extensions;
}

function keyId(publicKey: Der): Buffer {
  return createHash("sha256").update(publicKey).digest().subarray(0, 20);
}

function hostName(host: string): Der {
  return isIp(host) ? der(0x87, addressBytes(host)) : der(0x82, Buffer.from(host));
}

function addressBytes(address: string): Buffer {
  const { family, value } = parseIp(address);
  return Buffer.from(value.toString(16).padStart(addressBits(family) / 4, "0"), "hex");
}
