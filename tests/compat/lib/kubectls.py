"""kubectl of several releases, each compiled from its Go module as that pins its dependencies."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "envtest"))
import modules  # noqa: E402  (the folder is only known now)

SOURCES = ROOT / "tests" / "compat" / "kubectl"


def build(folder):
    """The programs of kubectl/releases.txt, in its order. What is in `folder` from an earlier run is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for (release,), module, _ in modules.read_list(SOURCES / "releases.txt"):
        program = folder / f"kubectl-{module.version}"
        if not program.exists():
            print(f"building kubectl {release}", file=sys.stderr, flush=True)
            compile_in_copy(module, folder / f"source-{module.version}", program)
        found.append(program)
    return found


def compile_in_copy(module, copy, program):
    version = "v1" + module.version.removeprefix("v0")
    variables = " ".join(f"-X k8s.io/{package}.gitVersion={version}"
                         for package in ("component-base/version", "client-go/pkg/version"))
    module.copy_to(copy)
    (copy / "main").mkdir(exist_ok=True)
    shutil.copy(SOURCES / "main.go", copy / "main")
    unfinished = program.with_name(f".{program.name}.new")
    modules.go("build", "-ldflags", f"-s -w {variables}", "-o", unfinished, "./main", folder=copy)
    unfinished.rename(program)


def version(program):
    """As kubectl says it: v1.36.4."""
    said = subprocess.run([program, "version", "--client", "--output=yaml"], capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in said.splitlines() if "gitVersion:" in line)
