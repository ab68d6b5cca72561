#!/usr/bin/env bash
# Format and clang-tidy over the tracked sources. lint.sh BUILD_DIR [file...]
set -euo pipefail
build=$1; shift
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files '*.h' '*.cc')
clang-format-16 --dry-run --Werror "${files[@]}"
ninja -C "$build" generated/api/generated/core_v1.h >/dev/null
printf '%s\n' "${files[@]}" | grep '\.cc$' | grep -v -e _test.cc -e tests/ |
  xargs -P "$(nproc)" -n 4 clang-tidy-16 -p "$build" --quiet
