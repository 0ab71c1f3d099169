// SPDX-License-Identifier: Apache-2.0
import { failure, type StatusError } from "../../../plane/status-error.ts";

/** Why a webhook refuses a write. */
export interface Refusal {
  readonly message: string;
  readonly field?: string;
  /** 422 unless told otherwise. */
  readonly code?: 400 | 409 | 422 | 500;
}

const REASONS = { 400: "BadRequest", 409: "Conflict", 422: "Invalid", 500: "InternalError" } as const;

/** Harvester's own webhook, and KubeVirt's for machines. */
export const HARVESTER_WEBHOOK = "validator.harvesterhci.io";
export const KUBEVIRT_WEBHOOK = "virtualmachine-validator.kubevirt.io";

/** The API server's words for what a webhook refused; several reasons are told together. */
export function denied(webhook: string, refusals: readonly Refusal[]): StatusError {
  const code = refusals[0]?.code ?? 422;
  const text = refusals.map(({ message }) => message).join(", ");
  const causes = refusals.map(({ message, field }) => ({
    reason: "FieldValueInvalid",
    message,
    ...(field === undefined ? {} : { field }),
  }));
  return failure({
    code,
    reason: REASONS[code],
    message: `admission webhook "${webhook}" denied the request: ${text}`,
    ...(code === 422 ? { details: { causes } } : {}),
  });
}

/** What every write that has a webhook is answered while nobody serves it, such as during an upgrade. */
export function webhookUnreachable(): StatusError {
  const url = "https://harvester-webhook.harvester-system.svc:443/v1/webhook/validation?timeout=10s";
  return failure({
    code: 500,
    reason: "InternalError",
    message:
      `Internal error occurred: failed calling webhook "${HARVESTER_WEBHOOK}": failed to call webhook: ` +
      `Post "${url}": no endpoints available for service "harvester-webhook"`,
    details: {
      causes: [
        {
          message: `failed calling webhook "${HARVESTER_WEBHOOK}": failed to call webhook: Post "${url}": no endpoints available for service "harvester-webhook"`,
        },
      ],
    },
  });
}
