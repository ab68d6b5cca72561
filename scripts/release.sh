#!/usr/bin/env bash
# Builds keelson as it is released, in build-release: optimized across all sources (ThinLTO) and for the paths that a
# load of every kind of request takes. That load is run here, on an instrumented build. Needs Go for the load generator.
#   release.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
configure() { cmake -G Ninja -S . -Wno-dev "$@" >/dev/null; }
build() { echo "building $2"; NINJA_STATUS="building $2: %p (%f/%t) " ninja -C "$1" -j"$jobs" --quiet keelson; }

profile=$PWD/build-train/keelson.profdata
sources=$(git rev-parse 'HEAD^{tree}')$(git diff HEAD -- src cmd cmake CMakeLists.txt | sha256sum)
if [ ! -f "$profile" ] || [ "$(cat "$profile.of" 2>/dev/null)" != "$sources" ]; then
  configure -B build-train -DKEELSON_PROFILE=record
  build build-train "an instrumented keelson"
  rm -rf build-train/profiles
  LLVM_PROFILE_FILE="$PWD/build-train/profiles/%p-%m.profraw" \
    python3 tests/bench/builds.py --build build-train --train instrumented=build-train/keelson >build-train/training.log
  llvm-profdata-19 merge -o "$profile" build-train/profiles
  echo "$sources" >"$profile.of"
fi
configure -B build-release -DKEELSON_LTO=ON -DKEELSON_PROFILE="$profile"
build build-release "keelson for release"
echo "build-release/keelson"
