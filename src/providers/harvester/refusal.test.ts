// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../../engine/provider-error.ts";
import { ApiError, ConnectionError } from "../../kube/index.ts";
import { virtualMachine } from "./kinds.ts";
import { toProviderError } from "./refusal.ts";

const ASKED = {
  doing: 'create machine "web-1"',
  verb: "create",
  kind: virtualMachine,
  namespace: "default",
  secrets: ["top-secret"],
};

function explain(error: unknown, changes: Partial<typeof ASKED> = {}): ProviderError {
  const explained = toProviderError(error, { ...ASKED, ...changes });
  assert.ok(explained instanceof ProviderError);
  return explained;
}

function answer(status: number, message: string, reason = "") {
  return new ApiError({
    status,
    reason,
    message: `create virtualmachines "default/web-1": ${message}`,
    requestId: "r-1",
  });
}

const WEBHOOK =
  'failed calling webhook "validator.harvesterhci.io": no endpoints available for service "harvester-webhook"';

for (const [error, kind, reason, pattern] of [
  [answer(401, "Unauthorized", "Unauthorized"), "denied", "CredentialsRefused", /expired: put a valid kubeconfig/],
  [
    answer(403, 'virtualmachines is forbidden: User "system:anonymous" cannot create resource', "Forbidden"),
    "denied",
    "CredentialsRefused",
    /the kubeconfig has no credentials that it knows/,
  ],
  [
    answer(403, 'User "x" cannot create resource', "Forbidden"),
    "denied",
    "PermissionMissing",
    /may not create virtualmachines\.kubevirt\.io in namespace "default": grant that right/,
  ],
  [
    answer(403, "exceeded quota: default, requested: cpu=4", "Forbidden"),
    "exhausted",
    "QuotaExceeded",
    /requested: cpu=4/,
  ],
  [answer(403, 'admission webhook "policy" denied the request: no', "Forbidden"), "invalid", "Refused", /denied/],
  [answer(400, 'admission webhook "x" denied the request: bad label', "BadRequest"), "invalid", "Refused", /bad label/],
  [answer(422, "spec.template: Invalid value", "Invalid"), "invalid", "Refused", /Invalid value/],
  [
    answer(404, 'namespaces "default" not found', "NotFound"),
    "invalid",
    "NamespaceNotFound",
    /spec\.harvester\.namespace/,
  ],
  [
    answer(404, "the server could not find the requested resource", "NotFound"),
    "invalid",
    "NotHarvester",
    /is it a Harvester/,
  ],
  [answer(409, "the object has been modified", "Conflict"), "unavailable", "Conflict", /modified/],
  [answer(429, "slow down", "TooManyRequests"), "throttled", "TooManyRequests", /slow down/],
  [answer(500, WEBHOOK, "InternalError"), "unavailable", "WebhookUnavailable", /during an upgrade/],
  [answer(503, "etcd leader changed"), "unavailable", "ServerError", /etcd/],
] as const)
  test(`${error.status} "${error.message.slice(38, 80)}" is ${kind}, ${reason}`, () => {
    const explained = explain(error);
    assert.equal(explained.kind, kind);
    assert.equal(explained.reason, reason);
    assert.equal(explained.requestId, "r-1");
    assert.match(explained.message, pattern);
    assert.match(explained.message, /^create machine "web-1": /);
    assert.ok(explained.message.includes(explained.code ?? "nothing"), explained.message);
  });

test("W-19: only a write whose outcome is unknown may have acted", () => {
  assert.equal(explain(answer(503, "x")).mayHaveActed, true);
  assert.equal(explain(answer(503, "x"), { verb: "get" }).mayHaveActed, false);
  assert.equal(explain(answer(500, WEBHOOK)).mayHaveActed, false);
  assert.equal(explain(answer(409, "x")).mayHaveActed, false);
  assert.equal(explain(answer(422, "x")).mayHaveActed, false);
  const cut = { message: "create virtualmachines: socket hang up", code: "ECONNRESET", requestId: "r-1" };
  assert.equal(explain(new ConnectionError({ ...cut, wasSent: true })).mayHaveActed, true);
  assert.equal(explain(new ConnectionError({ ...cut, wasSent: false })).mayHaveActed, false);
  assert.equal(explain(new ConnectionError({ ...cut, wasSent: true }), { verb: "list" }).mayHaveActed, false);
});

test("a certificate that is not trusted is for the owner of the kubeconfig", () => {
  const error = explain(
    new ConnectionError({
      message: "get x: self-signed certificate",
      wasSent: false,
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    }),
  );
  assert.equal(error.kind, "denied");
  assert.match(error.message, /certificate authority into the kubeconfig/);
});

test("no secret gets into a message, though the server quotes it", () => {
  const error = explain(answer(422, 'Invalid value: "top-secret"', "Invalid"));
  assert.doesNotMatch(error.message, /top-secret/);
  assert.equal(error.cause, undefined);
});

test("what is not Harvester's doing comes back as it is", () => {
  const reason = new Error("aborted");
  assert.equal(toProviderError(reason, ASKED), reason);
});

test("a message is one line, whatever the server writes", () => {
  assert.doesNotMatch(explain(answer(422, "first\n\tsecond", "Invalid")).message, /[\n\t]/);
});

test("what the server quotes escaped is kept secret all the same", () => {
  const userData = '#cloud-config\nchpasswd:\n  list: "root:Tr0ub4dor"\n';
  const quoted = `userData: Invalid value: ${JSON.stringify(userData)}: cannot be parsed`;
  const { message, cause } = explain(answer(422, quoted, "Invalid"), { secrets: [userData] });
  assert.doesNotMatch(message, /Tr0ub4dor/);
  assert.match(message, /userData: Invalid value: "\[redacted\]": cannot be parsed/);
  assert.equal(cause, undefined);
});
