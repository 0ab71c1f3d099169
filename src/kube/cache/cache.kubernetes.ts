// SPDX-License-Identifier: Apache-2.0
import { kubernetesTest } from "../../../test/kubernetes/harness.ts";
import { kubeconfigText } from "../../../test/kubernetes/kubeconfig.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { cacheBehaviours } from "./testing/cache-behaviour.ts";

for (const { promise, run } of cacheBehaviours)
  kubernetesTest(`cache on a real API server: ${promise}`, ({ url, ca, adminCertificate, adminKey }) => {
    const text = kubeconfigText({ url, ca, certificate: adminCertificate, key: adminKey });
    return run({ config: loadKubeconfig({ text, trusted: false }) });
  });
