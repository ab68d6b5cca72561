//go:build tools

// Package tools keeps what the build script compiles in go.mod and go.sum.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
