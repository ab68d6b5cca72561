#!/usr/bin/env bash
# Builds upstream's programs, and the node simulator, from the modules pinned in go.mod; containerd and CoreDNS from
# those of ../cluster/go.mod, Helm from those of ../cluster/helm/go.mod.
#
#   build.sh BUILD_DIR [TOOL...]     makes BUILD_DIR/conformance/bin/TOOL for each TOOL (all without one)
#
# TOOL: kube-apiserver kube-controller-manager kube-scheduler kubectl etcd e2e.test ginkgo nodesim loadgen
#       agnhost sample-apiserver; of real nodes, and only if named: kubelet kube-proxy containerd
#       containerd-shim-runc-v2 ctr coredns nonewprivs, and helm
# A variable named after the tool (KUBE_APISERVER=/path/to/kube-apiserver, E2E_TEST=...) supplies a
# binary that exists already; bin/TOOL is then a link to it. What is up to date is left alone: a stamp
# beside each binary names the sources, the pinned versions and the Go release it was made from.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
all=(kube-apiserver kube-controller-manager kube-scheduler kubectl etcd e2e.test ginkgo nodesim loadgen
  agnhost sample-apiserver)
nodes=(kubelet kube-proxy containerd containerd-shim-runc-v2 ctr coredns nonewprivs helm)

fail() { echo "error: $*" >&2; exit 1; }

[ $# -ge 1 ] || fail "usage: build.sh BUILD_DIR [TOOL...]"
mkdir -p "$1/conformance/bin"
bin=$(cd "$1/conformance/bin" && pwd)
shift
[ $# -gt 0 ] || set -- "${all[@]}"

# Go 1.21 is the first that fetches the newer release a go.mod asks for.
check_go() {
  command -v go >/dev/null || fail "Go is not installed. Upstream's programs are built from source: install the" \
    "package golang-go, or Go from its project, and put it in PATH."
  local have want oldest
  have=$(GOTOOLCHAIN=local go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
  want=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
  oldest=$(printf '%s\n' "$have" "$want" | sort -V | head -1)
  [ "$oldest" = "$want" ] && return
  case $(go env GOTOOLCHAIN) in
    local*) ;;
    *) [ "$(printf '%s\n' 1.21 "$have" | sort -V | head -1)" = 1.21 ] && return ;;
  esac
  fail "Go $have is too old: $here/go.mod needs $want (or Go 1.21 and later with GOTOOLCHAIN=auto, which fetches it)."
}

version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit } $2 == "k8s.io/kubernetes" { print $3; exit }' "$here/go.mod")
minor=${version#v*.}
stamp_vars="-X k8s.io/component-base/version.gitVersion=$version -X k8s.io/component-base/version.gitMajor=1"
stamp_vars+=" -X k8s.io/component-base/version.gitMinor=${minor%%.*} -X k8s.io/client-go/pkg/version.gitVersion=$version"

# The folder of the go.mod that a tool is built with.
module_of() {
  case $1 in
    containerd | containerd-shim-runc-v2 | ctr | coredns) echo "$here/../cluster" ;;
    helm) echo "$here/../cluster/helm" ;;
    *) echo "$here" ;;
  esac
}

# Where a tool's own sources are, for those that are ours.
own_sources() {
  case $1 in
    coredns) echo "$here/../cluster/coredns" ;;
    nodesim) echo "$here/nodesim" ;;
    e2e.test) echo "$here/suite" ;;
    loadgen) echo "$here/../bench/loadgen" ;;
  esac
}

compile() {
  local out=$2
  case $1 in
    e2e.test) cd "$here" && go test -c -vet=off -ldflags "-s -w $stamp_vars" -o "$out" ./suite ;;
    etcd) cd "$here" && go build -ldflags "-s -w" -o "$out" go.etcd.io/etcd/server/v3 ;;
    ginkgo) cd "$here" && go build -ldflags "-s -w" -o "$out" github.com/onsi/ginkgo/v2/ginkgo ;;
    agnhost | nonewprivs) cd "$here" && go build -ldflags "-s -w" -o "$out" "k8s.io/kubernetes/test/images/$1" ;;
    sample-apiserver) cd "$here" && go build -ldflags "-s -w $stamp_vars" -o "$out" k8s.io/sample-apiserver ;;
    nodesim) cd "$here" && go build -ldflags "-s -w" -o "$out" ./nodesim ;;
    loadgen) cd "$here/../bench/loadgen" && go build -ldflags "-s -w" -o "$out" . ;;
    containerd | containerd-shim-runc-v2 | ctr)
      # Without the snapshotters that need libraries or programs of their own.
      cd "$here/../cluster" && go build -tags no_btrfs,no_zfs,no_devmapper,no_aufs -ldflags "-s -w" -o "$out" \
        "github.com/containerd/containerd/v2/cmd/$1"
      ;;
    coredns) cd "$here/../cluster" && go build -ldflags "-s -w" -o "$out" ./coredns ;;
    helm) cd "$here/../cluster/helm" && go build -ldflags "-s -w" -o "$out" helm.sh/helm/v4/cmd/helm ;;
    *) cd "$here" && go build -ldflags "-s -w $stamp_vars" -o "$out" "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

inputs() {
  go env GOVERSION GOARCH
  cat "$(module_of "$1")"/go.{mod,sum}
  echo "$stamp_vars"
  local sources
  sources=$(own_sources "$1")
  [ -z "$sources" ] || find "$sources" -name '*.go' -print0 | sort -z | xargs -0 cat
}

for tool in "$@"; do
  case " ${all[*]} ${nodes[*]} " in *" $tool "*) ;; *) fail "unknown tool $tool (known: ${all[*]} ${nodes[*]})" ;; esac
  variable=$(echo "$tool" | tr 'a-z.-' 'A-Z__')
  if [ -n "${!variable:-}" ]; then
    [ -x "${!variable}" ] || fail "$variable=${!variable} is not a program"
    ln -sfn "$(realpath "${!variable}")" "$bin/$tool"
    rm -f "$bin/.$tool.stamp"
    continue
  fi
  check_go
  sum=$(inputs "$tool" | sha256sum | cut -d' ' -f1)
  if [ -x "$bin/$tool" ] && [ "$(cat "$bin/.$tool.stamp" 2>/dev/null)" = "$sum" ]; then continue; fi
  echo "building $tool" >&2
  (compile "$tool" "$bin/.$tool.new")
  mv -f "$bin/.$tool.new" "$bin/$tool"
  echo "$sum" >"$bin/.$tool.stamp"
done
