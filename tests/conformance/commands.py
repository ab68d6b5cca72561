#!/usr/bin/env python3
"""Upstream's own kubectl scripts (test/cmd/*.sh) on kube-apiserver and on Keelson.

    commands.py [--build BUILD] [--server keelson|upstream|both] [--only "NAME..."]

The scripts come from the module k8s.io/kubernetes that go.mod pins; a NAME is that of a function run_NAME_tests.
Prints which functions pass on each server, and ends with 1 when one passes on kube-apiserver and fails on Keelson.
The output of each is in BUILD/commands/<server>/<function>.log.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import cluster

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ("kube-apiserver", "kube-controller-manager", "kubectl", "etcd")
# Who one is and what one may do.
IDENTITY = ("clusterroles", "role", "service_accounts", "authorization", "impersonation", "certificates",
            "kubectl_auth_whoami", "exec_credentials", "exec_credentials_interactive", "create_secret", "namespace",
            "configmap", "client_config")
FUNCTION_SECONDS = 600
TOKEN = "admin-token"  # of the scripts' own file of tokens
FLAGS = (
    "--bind-address=127.0.0.1", "--authorization-mode=RBAC,AlwaysAllow", "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc", "--enable-admission-plugins=LimitRanger,ResourceQuota",
)
UPSTREAM_FLAGS = (
    "--disable-admission-plugins=ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,"
    "MutatingAdmissionWebhook,ValidatingAdmissionWebhook,StorageObjectInUseProtection",)
KEELSON_FLAGS = (
    "--disable-admission-plugins=ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,"
    "StorageObjectInUseProtection", "--allow-privileged=false",
    "--controllers=-garbage-collector-controller,-namespace-controller,-resourcequota-controller")  # the manager's

# Sources upstream's scripts, and lets them record each function in a file of its own.
SCRIPT = r"""
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh
export THIS_PLATFORM_BIN="${COMMANDS_BIN}" PATH="${COMMANDS_BIN}:${PATH}" HOME="${COMMANDS_OUT}/home"
mkdir -p "${HOME}"
kube::util::ensure-temp-dir
kube::util::ensure-gnu-sed
record_command() {
  set +o nounset
  set +o errexit
  echo "running $1"
  ( "$@" ) >"${COMMANDS_OUT}/$1.log" 2>&1 </dev/null
  echo "$1 $?" >>"${COMMANDS_OUT}/results"
  set -o nounset
  set -o errexit
}
CONTEXT="test"
kubectl config set-credentials test-admin --token admin-token
kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:${SECURE_API_PORT}"
kubectl config set-context "${CONTEXT}" --user test-admin --cluster local
kubectl config use-context "${CONTEXT}"
kubectl create -f - <<__EOF__
{"kind": "Node", "apiVersion": "v1",
 "metadata": {"name": "127.0.0.1", "annotations": {"save-managers": "true"}}, "status": {"capacity": {"memory": "1Gi"}}}
__EOF__
SUPPORTED_RESOURCES=("*")
runTests
"""


def module_folder():
    """Where Go keeps the sources of the version that go.mod pins."""
    found = subprocess.run(["go", "mod", "download", "-json", "k8s.io/kubernetes"], cwd=HERE, check=True,
                           capture_output=True, text=True)
    return pathlib.Path(json.loads(found.stdout)["Dir"])


def start_server(name, keelson, bin_dir, module, directory):
    """The processes, and the port."""
    testdata, port = module / "hack" / "testdata", cluster.free_port()
    common = [f"--secure-port={port}", f"--client-ca-file={testdata}/ca/ca.crt", f"--token-auth-file={testdata}/auth-tokens.csv",
              *FLAGS]
    key = directory / "service-account.key"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    common += [f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"]
    if name == "keelson":
        command = [keelson, "serve", "--data-dir", directory / "data", "--storage-backend=memory", *common, *KEELSON_FLAGS]
        return [cluster.Process("keelson", command, directory)], port
    etcd, url = cluster.start_etcd(bin_dir, directory)
    command = [bin_dir / "kube-apiserver", f"--etcd-servers={url}", f"--cert-dir={directory}/certs", *common, *UPSTREAM_FLAGS]
    return [etcd, cluster.Process("kube-apiserver", command, directory)], port


def start_manager(port, bin_dir, module, directory):
    config = directory / "manager.kubeconfig"
    config.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {"token": TOKEN}}],
        "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
    authority = module / "hack" / "testdata" / "ca"
    return cluster.Process("kube-controller-manager", [
        bin_dir / "kube-controller-manager", f"--kubeconfig={config}", "--leader-elect=false", "--secure-port=0",
        f"--cluster-signing-cert-file={authority}/ca.crt", f"--cluster-signing-key-file={authority}/ca.key"], directory)


def wait_ready(processes, port, bin_dir):
    def ready():
        for process in processes:
            process.check()
        return subprocess.run([bin_dir / "kubectl", "--kubeconfig=/dev/null", f"--server=https://127.0.0.1:{port}",
                               f"--token={TOKEN}", "--insecure-skip-tls-verify", "get", "--raw", "/readyz"],
                              capture_output=True).returncode == 0

    cluster.wait_until(ready, "the server is ready")


def run_scripts(port, bin_dir, module, out, names):
    """Function -> whether it passed. Functions that were never reached are absent."""
    with tempfile.TemporaryDirectory(prefix="commands-") as folder:
        for entry in module.iterdir():  # the scripts write beside what they read
            (pathlib.Path(folder) / entry.name).symlink_to(entry)
        environment = {**os.environ, "SECURE_API_PORT": str(port), "COMMANDS_BIN": str(bin_dir), "COMMANDS_OUT": str(out),
                       "WHAT": " ".join(names), "ALLOW_SKEW": "y", "KUBE_TEMP": "", "TMPDIR": folder}
        with open(out / "script.log", "wb") as log:
            subprocess.run(["bash", "-c", SCRIPT], cwd=folder, env=environment, stdout=log, stderr=log,
                           stdin=subprocess.DEVNULL, timeout=FUNCTION_SECONDS * len(names))
    lines = (out / "results").read_text().splitlines() if (out / "results").exists() else []
    return {function: code == "0" for function, code in (line.split() for line in lines)}


def run(name, options, bin_dir, module):
    out = (options.build / "commands" / name).absolute()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    processes, port = start_server(name, options.build / "keelson", bin_dir, module, out)
    try:
        wait_ready(processes, port, bin_dir)
        processes.append(start_manager(port, bin_dir, module, out))
        return run_scripts(port, bin_dir, module, out, options.only.split())
    finally:
        for process in reversed(processes):
            process.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=HERE.parents[1] / "build", type=pathlib.Path)
    parser.add_argument("--server", default="both", choices=("keelson", "upstream", "both"))
    parser.add_argument("--only", default=" ".join(IDENTITY), help="names of functions, between spaces")
    options = parser.parse_args()
    subprocess.run([HERE / "build.sh", options.build, *TOOLS], check=True)
    bin_dir, module = (options.build / "conformance" / "bin").absolute(), module_folder()
    servers = ("upstream", "keelson") if options.server == "both" else (options.server,)
    results = {name: run(name, options, bin_dir, module) for name in servers}

    worse = False
    print(f"{'function':44} " + " ".join(f"{name:>10}" for name in servers))
    for function in (f"run_{name}_tests" for name in options.only.split()):
        said = [{True: "passes", False: "fails"}.get(results[name].get(function), "not run") for name in servers]
        worse |= said[0] == "passes" != said[-1] or (len(said) == 1 and said[0] != "passes")
        print(f"{function:44} " + " ".join(f"{text:>10}" for text in said))
    print(f"the output of each is below {options.build / 'commands'}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
