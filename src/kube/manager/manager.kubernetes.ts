// SPDX-License-Identifier: Apache-2.0
import { kubernetesTest } from "../../../test/kubernetes/harness.ts";
import { kubeconfigText } from "../../../test/kubernetes/kubeconfig.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { handOver, handOverPromise } from "./testing/manager-behaviour.ts";

kubernetesTest(`on a real API server: ${handOverPromise}`, ({ url, ca, adminCertificate, adminKey }) => {
  const text = kubeconfigText({ url, ca, certificate: adminCertificate, key: adminKey });
  return handOver(loadKubeconfig({ text, trusted: false }));
});
