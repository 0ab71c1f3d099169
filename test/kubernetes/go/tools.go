// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names the programs the Kubernetes tests run, so that go.mod and go.sum pin all they are built from.
package tools

import (
	_ "go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)
