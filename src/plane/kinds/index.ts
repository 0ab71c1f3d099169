// SPDX-License-Identifier: Apache-2.0
import type { ResourceType } from "../types.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./access-reviews.ts";
import { selfSubjectReviews, tokenReviews } from "./authentication-reviews.ts";
import { configMaps } from "./config-map.ts";
import { customResourceDefinitions } from "./custom-resource-definition.ts";
import { coreEvents, newEvents } from "./events.ts";
import { leases } from "./lease.ts";
import { namespaces } from "./namespace.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { clusterRoleBindings, roleBindings } from "./role-bindings.ts";
import { clusterRoles, roles } from "./roles.ts";
import { secrets } from "./secret.ts";
import { serviceAccounts } from "./service-account.ts";
import { storageClasses } from "./storage-class.ts";

export { bootstrapObjects } from "./bootstrap.ts";
export { definitionName } from "./struct-schema.ts";

/** The kinds that are served without a CustomResourceDefinition. Another plain kind is another entry. */
const TYPES: readonly ResourceType[] = [
  configMaps,
  coreEvents,
  namespaces,
  persistentVolumeClaims,
  secrets,
  serviceAccounts,
  customResourceDefinitions,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  leases,
  newEvents,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  storageClasses,
];

/** All built-in kinds, in the order in which discovery lists them within their groups. */
export function builtInTypes(): readonly ResourceType[] {
  return TYPES;
}
