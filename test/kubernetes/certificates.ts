// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, webcrypto } from "node:crypto";
import "reflect-metadata"; // The next import throws without it.
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority that lives as long as one test server. */
export interface Authority {
  /** The authority's own certificate, PEM. */
  readonly certificate: string;
  /** A certificate for 127.0.0.1 and localhost. */
  issueServer(commonName: string): Promise<Identity>;
  /** A client certificate: user and groups as Kubernetes reads them from a subject. */
  issueClient(user: string, groups: readonly string[]): Promise<Identity>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a new authority with a key of its own. */
export async function createAuthority(): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: "CN=butler-test-authority",
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  const issue = async (subject: x509.JsonName, extensions: x509.Extension[]) => {
    const own = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const issued = await x509.X509CertificateGenerator.create({
      ...validity(),
      subject,
      issuer: certificate.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
    });
    return { certificate: issued.toString("pem"), key: await privateKeyPem(own.privateKey) };
  };
  return {
    certificate: certificate.toString("pem"),
    issueServer: (commonName) =>
      issue(
        [{ CN: [commonName] }],
        [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension([
            { type: "ip", value: "127.0.0.1" },
            { type: "dns", value: "localhost" },
          ]),
        ],
      ),
    issueClient: (user, groups) =>
      issue(
        [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      ),
  };
}

/** A key pair for signing service account tokens, both PEM. */
export function createSigningKeys(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 30 * DAY_MS) };
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
