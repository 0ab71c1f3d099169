// SPDX-License-Identifier: Apache-2.0
export { type Auth, createAuth } from "./auth.ts";
export { type Authority, createAuthority } from "./authority.ts";
export { clientCertificate } from "./client-certificate.ts";
export { kubeconfig, writeKubeconfig } from "./kubeconfig.ts";
export { tokenRequestType } from "./token-request-type.ts";
