// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A write that arrived at the API server, as the server itself has written it down. */
export interface AuditedWrite {
  /** Which token it came with. */
  readonly credential: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** As `patch machinerequests/status web-1`. */
  readonly what: string;
  readonly status: number;
}

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", verbs: ["create", "update", "patch", "delete", "deletecollection"] }, { level: "None" }],
};

/** Has an API server write down every write. The folder must be there before the server, and stay. */
export function auditTo(folder: string) {
  const [policy, log] = [join(folder, "audit-policy.yaml"), join(folder, "audit.log")];
  writeFileSync(policy, JSON.stringify(POLICY));
  return {
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    /** All of them so far. */
    async writes(): Promise<readonly AuditedWrite[]> {
      const lines = (await readFile(log, "utf8")).split("\n");
      return lines.filter((line) => line.endsWith("}")).map((line) => toWrite(JSON.parse(line)));
    },
  };
}

/** What the server calls a token: the id that stands in it. */
export function credentialOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return `JTI=${claims.jti}`;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string };
  readonly requestReceivedTimestamp: string;
  readonly responseStatus?: { readonly code?: number };
}

function toWrite({ verb, user, objectRef = {}, requestReceivedTimestamp, responseStatus }: AuditEvent): AuditedWrite {
  const { resource = "", subresource, name = "" } = objectRef;
  return {
    credential: user.extra?.["authentication.kubernetes.io/credential-id"]?.[0] ?? "",
    at: Date.parse(requestReceivedTimestamp),
    what: `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`} ${name}`,
    status: responseStatus?.code ?? 0,
  };
}
