#!/usr/bin/env bash
# Both versions stand in the file VERSION and nowhere else in the sources; the Go modules of the tests follow it.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
complain() { echo "version: $1" >&2; failed=1; }
while read -r what version; do
  if found=$(git grep -nF "\"$version\"" -- src cmd cmake CMakeLists.txt; git grep -nF "v$version" -- src/*.cc src/*.h cmd cmake |
      grep -v _test.cc | grep -v '//'); [ -n "$found" ]; then
    complain "$what $version stands outside VERSION; use base/version.h:"$'\n'"$found"
  fi
done <VERSION
kubernetes=$(sed -n 's/^kubernetes //p' VERSION)
grep -q "k8s.io/kubernetes v$kubernetes\$" tests/conformance/go.mod ||
  complain "tests/conformance/go.mod is not at kubernetes v$kubernetes, which VERSION says: go get k8s.io/kubernetes@v$kubernetes there"
exit $failed
