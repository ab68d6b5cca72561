#!/usr/bin/env bash
# Runs every fuzz target found in BUILD for SECONDS each, as many at a time as there are cores. Each begins with the
# inputs in corpus/TARGET, and with what earlier runs in BUILD found.
#   run.sh BUILD SECONDS [name...]
# A crash leaves its input in BUILD/corpus and makes this fail.
set -euo pipefail
build=$1 seconds=$2; shift 2
here=$(cd "$(dirname "$0")" && pwd)
mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else
  find "$build" -maxdepth 5 -type f -executable -name '*_fuzz' -printf '%f\n' | sort; fi)
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz targets in $build" >&2; exit 1; }

fuzz_one() {
  local target=$1 binary found log
  binary=$(find "$build" -type f -executable -name "$target" | head -n 1)
  found=$build/corpus/$target log=$build/$target.log
  mkdir -p "$found"
  if "$binary" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="$found/../$target-" "$found" "$here/corpus/$target" >"$log" 2>&1; then
    echo "ok    $target: $(grep -o 'number_of_executed_units: [0-9]*' "$log" | tail -n 1)"
  else
    echo "FAIL  $target: see $log, and run again with: make fuzz"; tail -n 30 "$log"; return 1
  fi
}
export -f fuzz_one; export build seconds here
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz_one {}'
