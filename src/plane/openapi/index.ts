// SPDX-License-Identifier: Apache-2.0
export { openApiV2, openApiV3, openApiV3Index } from "./open-api.ts";
export { serveOpenApi } from "./serve.ts";
