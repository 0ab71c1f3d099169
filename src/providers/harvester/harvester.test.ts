// SPDX-License-Identifier: Apache-2.0
import { machineContract } from "../../engine/testing/index.ts";
import { provider } from "./index.ts";
import { harvesterSimulator } from "./simulator.ts";

machineContract(provider, harvesterSimulator);
