#!/usr/bin/env bash
# Compiles controller-runtime's test suites from the module pinned in go.mod.
#
#   build.sh BUILD_DIR     makes BUILD_DIR/envtest/bin/PACKAGE.test for each package that has tests, beside a copy of
#                          the module's sources in BUILD_DIR/envtest/controller-runtime, where they run
#
# PACKAGE is the folder with dashes for slashes (pkg-client). The module's own go.mod and go.sum say what it is
# compiled with. A stamp names the versions it was made from; what is up to date is left alone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
module=sigs.k8s.io/controller-runtime

fail() { echo "error: $*" >&2; exit 1; }

[ $# -eq 1 ] || fail "usage: build.sh BUILD_DIR"
command -v go >/dev/null || fail "Go is not installed: the suites are compiled from source"
mkdir -p "$1/envtest"
out=$(cd "$1/envtest" && pwd)

cd "$here"
stamp=$({ go env GOVERSION GOARCH; cat go.mod go.sum build.sh; } | sha256sum | cut -d' ' -f1)
[ "$(cat "$out/.stamp" 2>/dev/null)" != "$stamp" ] || exit 0

go mod download "$module"
rm -rf "$out/controller-runtime" "$out/bin"
mkdir -p "$out/bin"
cp -r "$(go list -m -f '{{.Dir}}' "$module")" "$out/controller-runtime"
chmod -R u+w "$out/controller-runtime"
# A module's archive knows no permissions.
find "$out/controller-runtime" -name '*.sh' -exec chmod +x {} +

cd "$out/controller-runtime"
go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./pkg/... | while read -r folder; do
  [ -n "$folder" ] || continue
  name=${folder#"$out/controller-runtime/"}
  echo "building the tests of $name" >&2
  go test -c -o "$out/bin/${name//\//-}.test" "./$name"
done
echo "$stamp" >"$out/.stamp"
