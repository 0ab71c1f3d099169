// SPDX-License-Identifier: Apache-2.0
import type { ErrorKind } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { secretForms } from "../../engine/secret-forms.ts";
import { ApiError, ConfigError, ConnectionError, type KindDescriptor, redactText } from "../../kube/index.ts";
import { resourceText } from "./rights.ts";

/** A request that went wrong, for messages. */
export interface Asked {
  /** What all of it was for: `create machine "web-1"`. */
  readonly doing: string;
  readonly verb: string;
  readonly kind: KindDescriptor;
  readonly namespace: string | undefined;
  /** Texts that must not get into a message. */
  readonly secrets: readonly string[];
}

interface Judgement {
  readonly kind: ErrorKind;
  readonly reason: string;
  readonly message: string;
  readonly mayHaveActed?: boolean;
}

const WRITES = new Set(["create", "patch", "delete"]);

/** A webhook that cannot be asked, as while Harvester is upgraded: nothing was done. */
const WEBHOOK_AWAY = /failed calling webhook|no endpoints available for service/;
const WEBHOOK_REFUSED = /admission webhook .* denied the request/;
const ANONYMOUS = /User "system:anonymous"/;
const QUOTA = /exceeded quota|insufficient resource quota/i;
/** Passes by itself where Harvester is only away. */
const NO_CONNECTION =
  "where that lasts, check the server in the kubeconfig of the credentials Secret, and that it can be reached from here";
const DISTRUST = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/**
 * What went wrong, named after what happens next. All that is not Harvester's doing, such as an aborted signal, comes back as it
 * is.
 */
export function toProviderError(error: unknown, asked: Asked): unknown {
  if (error instanceof ApiError) return fromAnswer(error, asked);
  if (error instanceof ConnectionError) return fromConnection(error, asked);
  if (error instanceof ConfigError)
    return new ProviderError({
      kind: "denied",
      reason: "CredentialsUnusable",
      message: `${asked.doing}: ${error.message}`,
      cause: error,
    });
  return error;
}

function fromAnswer(error: ApiError, asked: Asked): ProviderError {
  const judgement = judge(error, asked);
  const name = error.reason === "" ? "" : ` ${error.reason}`;
  return new ProviderError({
    ...judgement,
    message: `${asked.doing}: ${oneLine(judgement.message, asked)} (${error.status}${name})`,
    code: error.reason || String(error.status),
    requestId: error.requestId,
    retryAfterMs: error.retryAfterMs,
    mayHaveActed: judgement.mayHaveActed ?? (judgement.kind === "unavailable" && WRITES.has(asked.verb)),
    // The server's own answer may quote what was sent.
    cause: asked.secrets.length === 0 ? error : undefined,
  });
}

function judge(error: ApiError, asked: Asked): Judgement {
  const { status, message } = error;
  if (status === 401)
    return {
      kind: "denied",
      reason: "CredentialsRefused",
      message:
        "Harvester does not accept the credentials of the kubeconfig; they are wrong or have expired: put a valid kubeconfig into the credentials Secret",
    };
  if (status === 403) return judgeForbidden(error, asked);
  if (status === 404) return judgeNotFound(error, asked);
  if (status === 429) return { kind: "throttled", reason: "TooManyRequests", message };
  if (status === 409 || status === 410)
    return { kind: "unavailable", reason: "Conflict", message, mayHaveActed: false };
  if (WEBHOOK_AWAY.test(message))
    return {
      kind: "unavailable",
      reason: "WebhookUnavailable",
      message: `Harvester's own checks cannot be reached, as happens during an upgrade: ${message}`,
      mayHaveActed: false,
    };
  if (status === 408 || status >= 500) return { kind: "unavailable", reason: "ServerError", message };
  if (QUOTA.test(message)) return overQuota(message);
  return { kind: "invalid", reason: "Refused", message };
}

/** The server says at length what it was asked for, and then what ran out. */
function overQuota(message: string): Judgement {
  const said = message.slice(Math.max(0, message.search(QUOTA)));
  return {
    kind: "exhausted",
    reason: "QuotaExceeded",
    message: `a quota on Harvester is used up: raise it, or delete other machines (Harvester says: ${said})`,
  };
}

function judgeForbidden(error: ApiError, { verb, kind, namespace }: Asked): Judgement {
  const { message, causes } = error;
  if (QUOTA.test(message)) return overQuota(message);
  if (WEBHOOK_REFUSED.test(message)) return { kind: "invalid", reason: "Refused", message };
  if (causes.some(({ reason }) => reason === "NamespaceTerminating"))
    return { kind: "unavailable", reason: "NamespaceTerminating", message, mayHaveActed: false };
  if (ANONYMOUS.test(message))
    return {
      kind: "denied",
      reason: "CredentialsRefused",
      message:
        "Harvester takes the kubeconfig's user for nobody: the kubeconfig has no credentials that it knows; put a kubeconfig with a token or a client certificate into the credentials Secret",
    };
  const where = namespace === undefined ? "" : ` in namespace "${namespace}"`;
  return {
    kind: "denied",
    reason: "PermissionMissing",
    message: `the kubeconfig's user may not ${verb} ${resourceText(kind)}${where}: grant that right on Harvester`,
  };
}

function judgeNotFound({ message, causes }: ApiError, { kind, namespace }: Asked): Judgement {
  const isMissingNamespace = /namespaces "[^"]*" not found/.test(message);
  if (isMissingNamespace)
    return {
      kind: "invalid",
      reason: "NamespaceNotFound",
      message: `there is no namespace "${namespace}" on Harvester: make it, or change spec.harvester.namespace of the ProviderConfig`,
    };
  const isMissingKind = causes.length === 0 || causes.some(({ reason }) => reason === "UnexpectedServerResponse");
  if (isMissingKind && /could not find the requested resource|page not found/.test(message))
    return {
      kind: "invalid",
      reason: "NotHarvester",
      message: `the server of the kubeconfig does not know ${resourceText(kind)}; is it a Harvester of version 1.2 or newer? Check the kubeconfig in the credentials Secret`,
    };
  return { kind: "invalid", reason: "NotFound", message };
}

/** Webhooks like to answer in paragraphs. */
function oneLine(message: string, { secrets }: Asked): string {
  return redactText(message, secretForms(secrets)).replace(/\s+/g, " ");
}

function fromConnection(error: ConnectionError, asked: Asked): ProviderError {
  const { doing, verb } = asked;
  const message = `${doing}: ${oneLine(error.message, asked)} (${error.code})`;
  const common = { code: error.code, requestId: error.requestId, cause: error };
  if (DISTRUST.test(error.code))
    return new ProviderError({
      ...common,
      kind: "denied",
      reason: "CertificateNotTrusted",
      message: `${message}: put the right certificate authority into the kubeconfig of the credentials Secret`,
    });
  return new ProviderError({
    ...common,
    kind: "unavailable",
    reason: error.code === "TIMEOUT" ? "TimedOut" : "ConnectionFailed",
    message: error.code === "TIMEOUT" ? message : `${message}: ${NO_CONNECTION}`,
    mayHaveActed: error.wasSent && WRITES.has(verb),
  });
}
