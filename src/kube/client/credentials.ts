// SPDX-License-Identifier: Apache-2.0
import { ConfigError } from "../errors.ts";
import type { Clock } from "../types.ts";
import type { ClusterConfig, CredentialsConfig, Impersonation, TextSource } from "./cluster-config.ts";
import { createExecCredential } from "./exec-plugin.ts";
import { createTextFile, type Renewable } from "./text-file.ts";
import type { FlatHeaders, TlsMaterial } from "./wire.ts";

const TOKEN_AGE_MS = 60_000;
const CERTIFICATE_AGE_MS = 5 * 60_000;

/** A server that refuses fresh credentials will refuse the next ones too; asking again must not become a storm. */
const RENEW_AT_MOST_EVERY_MS = 5_000;

/** Who is calling, ready to be sent. While nothing changed it is the same object. */
export interface Identity {
  /** Everything that goes with each request. */
  readonly headers: FlatHeaders;
  readonly tls: TlsMaterial;
}

/** Hands out the identity of the moment. */
export interface Credentials {
  /** At once where nothing has to be read or run. */
  current(): Identity | Promise<Identity>;
  /** Called when the server did not accept this identity. Answers whether there is another one to try. */
  renew(refused: Identity): Promise<boolean>;
}

/**
 * Puts together what a request needs to say who sends it. Files are read again from time to time and plug-ins run when their
 * credentials expire; each at once for all who wait.
 */
export function createCredentials(
  config: ClusterConfig,
  { clock, userAgent }: { clock: Clock; userAgent: string },
): Credentials {
  const { credentials = {} } = config;
  const file = (source: TextSource | undefined) =>
    source !== undefined && "path" in source
      ? createTextFile(source.path, { clock, maxAgeMs: CERTIFICATE_AGE_MS })
      : undefined;
  const files = { ca: file(config.ca), certificate: file(credentials.certificate), key: file(credentials.key) };
  const tokenFile =
    credentials.tokenFile === undefined
      ? undefined
      : createTextFile(credentials.tokenFile, { clock, maxAgeMs: TOKEN_AGE_MS });
  const exec = needsPlugin(credentials) ? createExecCredential(credentials.exec, clock) : undefined;
  const renewables = [files.ca, files.certificate, files.key, tokenFile, exec].filter((one) => one !== undefined);
  const fixed = ["user-agent", userAgent, ...impersonation(credentials.impersonate)];
  let identity: Identity | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const assemble = () => {
    const plugged = exec?.value;
    const tls = {
      ca: textOf(config.ca, files.ca),
      certificate: plugged?.certificate ?? textOf(credentials.certificate, files.certificate),
      key: plugged?.key ?? textOf(credentials.key, files.key),
    };
    const authorization = authorizationOf(credentials, tokenFile?.value ?? credentials.token ?? plugged?.token);
    const headers = authorization === undefined ? fixed : [...fixed, "authorization", authorization];
    identity = keepWhatIsEqual(identity, { headers, tls });
    return identity;
  };
  const refresh = async () => {
    await Promise.all(renewables.filter((one) => !one.isFresh()).map((one) => one.fetch()));
    return assemble();
  };
  return {
    current() {
      if (identity !== undefined && renewables.every(isFresh)) return identity;
      return renewables.length === 0 ? assemble() : refresh();
    },
    async renew(refused) {
      if (identity !== refused) return true;
      if (renewables.length === 0 || clock.monotonic() - renewedAt < RENEW_AT_MOST_EVERY_MS) return false;
      renewedAt = clock.monotonic();
      for (const one of renewables) one.expire();
      return (await refresh()) !== refused;
    },
  };
}

function isFresh(one: Renewable<unknown>): boolean {
  return one.isFresh();
}

function needsPlugin(
  credentials: CredentialsConfig,
): credentials is CredentialsConfig & Required<Pick<CredentialsConfig, "exec">> {
  const { exec, token, tokenFile, username } = credentials;
  return exec !== undefined && token === undefined && tokenFile === undefined && username === undefined;
}

function textOf(source: TextSource | undefined, file: Renewable<string> | undefined): string | undefined {
  if (source === undefined) return undefined;
  return "text" in source ? source.text : file?.value;
}

function authorizationOf({ username, password = "" }: CredentialsConfig, token: string | undefined) {
  if (token !== undefined) return `Bearer ${checkedToken(token)}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** A token that cannot stand in a header would be quoted in an error of whoever sends it. */
function checkedToken(token: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new ConfigError("the token is empty or has characters that no token has");
  return trimmed;
}

function impersonation(who: Impersonation | undefined): string[] {
  if (who === undefined) return [];
  const { user, uid, groups = [], extra = {} } = who;
  return [
    ["impersonate-user", user],
    ...(uid === undefined ? [] : [["impersonate-uid", uid]]),
    ...groups.map((group) => ["impersonate-group", group]),
    ...Object.entries(extra).flatMap(([name, values]) =>
      values.map((value) => [`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`, value]),
    ),
  ].flat();
}

/** Connections are kept for as long as the TLS part is the same object. */
function keepWhatIsEqual(old: Identity | undefined, { headers, tls }: Identity): Identity {
  if (old === undefined) return { headers, tls };
  const isSameTls = old.tls.ca === tls.ca && old.tls.certificate === tls.certificate && old.tls.key === tls.key;
  const areSameHeaders = old.headers.length === headers.length && old.headers.every((part, at) => part === headers[at]);
  if (isSameTls && areSameHeaders) return old;
  return { headers, tls: isSameTls ? old.tls : tls };
}
