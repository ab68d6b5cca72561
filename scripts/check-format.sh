#!/usr/bin/env bash
# Fails where clang-format would change a tracked source.
set -euo pipefail
git ls-files '*.h' '*.cc' | xargs -P "$(nproc)" -n 32 clang-format-19 --dry-run --Werror || {
  echo "format: the lines above are not as clang-format has them; mend them with: make format" >&2
  exit 1
}
