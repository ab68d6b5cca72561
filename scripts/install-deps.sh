#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages; does nothing when all is there.
#   install-deps.sh            build and tests
#   install-deps.sh --bench    also what `make bench` needs
#   install-deps.sh --cluster  also what real nodes need
#   install-deps.sh --dev      also what lint, sanitizers, fuzzing and release builds need
set -euo pipefail

build=(build-essential clang-19 cmake ninja-build pkg-config ccache mold
  libnghttp2-dev libssl-dev libsimdjson-dev libre2-dev libyaml-dev librocksdb-dev libcli11-dev zlib1g-dev libmimalloc-dev)
tests=(libgtest-dev libgmock-dev libbenchmark-dev python3 etcd-server etcd-client)
bench=(nghttp2-client)
cluster=(runc containernetworking-plugins iptables conntrack ipset ethtool socat kmod iproute2 util-linux mmdebstrap)
dev=(clang-tidy-19 clang-format-19 libclang-rt-19-dev lld-19 llvm-19 "${bench[@]}")

want=("${build[@]}" "${tests[@]}")
case "${1:-}" in
  --bench) want+=("${bench[@]}") ;;
  --cluster)
    want+=("${cluster[@]}")
    command -v busybox >/dev/null || want+=(busybox-static)
    ;;
  --dev) want+=("${dev[@]}") ;;
esac
command -v kubectl >/dev/null || want+=(kubernetes-client)

missing=()
for package in "${want[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "missing packages: ${missing[*]}; install them as root" >&2; exit 1; }
  sudo=(sudo)
fi
echo "installing: ${missing[*]}"
"${sudo[@]}" apt-get update -q
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"
