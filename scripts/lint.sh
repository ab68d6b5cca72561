#!/usr/bin/env bash
# clang-tidy over what BUILD_DIR compiles, tests left out. It looks at batches of sources, as the compiler does: most of
# its time goes into headers.
#   lint.sh BUILD_DIR                   everything
#   lint.sh BUILD_DIR --since COMMIT    the sources that changed since COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1; shift
mapfile -t units < <(python3 - "$build/compile_commands.json" <<'EOF'
import json, sys
for entry in json.load(open(sys.argv[1])):
    file = entry["file"]
    if "_test.dir/" not in file and "/tests/" not in file and "_testing.dir/" not in file and not file.endswith("_benchmark.cc"):
        print(file)
EOF
)
filter=()
if [ "${1:-}" = --since ]; then
  git rev-parse -q --verify "$2^{commit}" >/dev/null || { echo "lint: $2 is not known here, so nothing has changed since"; exit 0; }
  mapfile -t changed < <(git diff --name-only --diff-filter=d "$2" -- '*.cc' | grep -v -e _test.cc -e ^tests/ || true)
  [ ${#changed[@]} -gt 0 ] || exit 0
  mapfile -t units < <(for unit in "${units[@]}"; do
    for file in "${changed[@]}"; do
      if [ "$unit" = "$PWD/$file" ] || grep -qsF "/$file\"" "$unit"; then echo "$unit"; break; fi
    done
  done)
  [ ${#units[@]} -gt 0 ] || exit 0
  filter=(--line-filter="[$(printf '{"name":"%s"},' "${changed[@]}" | sed 's/,$//')]")
fi
ninja -C "$build" --quiet generated/api/generated/core_v1.h
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 1 \
  clang-tidy-19 -p "$build" --quiet --header-filter='/(src|cmd)/[^ ]*\.(h|cc)$' "${filter[@]}" 2>/dev/null || {
  echo "lint: mend what is said above; it is shown again by: make lint" >&2
  exit 1
}
