// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, text } from "./fields.ts";

/** A further disk of a machine; the same wherever machines are described. */
export const disk = z.object({
  sizeGB: int32({ min: 1 }).describe("Size in GiB."),
  storageClass: text("The infrastructure's storage class or tier. Left out: the ProviderConfig's default."),
});
