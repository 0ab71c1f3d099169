#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
require("./launch.js").launch("butlerctl");
