// SPDX-License-Identifier: Apache-2.0
import type { Problem } from "../../schema/index.ts";
import { dns1035LabelProblems } from "../../schema/names.ts";
import { child, index } from "../../schema/place.ts";
import { at, forbidden, invalid, notSupported, required } from "../../schema/problems.ts";
import type { KubeObject } from "../types.ts";
import { field, textAt, textsAt, valueAt } from "./rules.ts";

const REVIEW_VERSIONS = ["v1", "v1beta1"];
const STRATEGIES = ["None", "Webhook"];

/** What is wrong with how a definition wants its versions converted. */
export function conversionProblems(crd: KubeObject): Problem[] {
  const place = field("spec", "conversion");
  const strategy = textAt(crd, "spec", "conversion", "strategy");
  const webhook = valueAt(crd, "spec", "conversion", "webhook");
  const client = valueAt(webhook, "clientConfig");
  const problems: Problem[] = [];
  if (strategy === "") problems.push(required(at(child(place, "strategy"))));
  else if (!STRATEGIES.includes(strategy))
    problems.push(notSupported(at(child(place, "strategy")), strategy, STRATEGIES));
  if (strategy === "Webhook") {
    const location = at(child(place, "webhookClientConfig"));
    const isOne = (valueAt(client, "url") === undefined) !== (valueAt(client, "service") === undefined);
    if (client === undefined) problems.push(required(location, "required when strategy is set to Webhook"));
    else if (!isOne) problems.push(required(location, "exactly one of url or service is required"));
    return [...problems, ...reviewVersionProblems(textsAt(webhook, "conversionReviewVersions"))];
  }
  const words = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) problems.push(forbidden(at(child(place, "webhookClientConfig")), words));
  if (textsAt(webhook, "conversionReviewVersions").length > 0)
    problems.push(forbidden(at(child(place, "conversionReviewVersions")), words));
  return problems;
}

function reviewVersionProblems(versions: readonly string[]): Problem[] {
  const place = field("spec", "conversion", "conversionReviewVersions");
  if (versions.length === 0) return [required(at(place))];
  const problems = versions.flatMap((version, position) => {
    const location = at(index(place, position));
    if (versions.indexOf(version) < position) return [invalid(location, version, "duplicate version")];
    return dns1035LabelProblems(version).map((words) => invalid(location, version, words));
  });
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version)))
    problems.push(invalid(at(place), versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  return problems;
}
