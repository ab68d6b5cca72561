"""Test suites of Go modules: which there are (suites.txt), and how they are compiled.

Each project is copied from the module cache to DIR/envtest/PROJECT, where its suites run, and compiled as its own
go.mod says. A suite is called PROJECT/PACKAGE, with dashes for the slashes of the package's folder.
"""

import json
import os
import pathlib
import shutil
import subprocess

import modules

HERE = pathlib.Path(__file__).resolve().parent
WITH_TESTS = "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"

# Files of other modules that a project's makefile copies: {project: [(module, its files, where they belong)]}.
COPIED = {"training-operator": [
    ("sigs.k8s.io/jobset", "config/components/crd/bases/*", "manifests/external-crds/jobset-operator"),
    ("sigs.k8s.io/scheduler-plugins", "manifests/coscheduling/*", "manifests/external-crds/scheduler-plugins"),
]}


class Project:
    def __init__(self, name, module, patterns, build):
        self.name, self.module, self.patterns = name, module, patterns
        self.folder = build / "envtest" / name
        self.programs = build / "envtest" / "bin" / name

    def prepare(self):
        """Copies the project's files, and makes what its own makefile would have made before its tests."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.module.copy_to(self.folder)
        if self.name == "cert-manager":
            made = self.folder / "_bin" / "yaml" / "templated-crds"
            made.mkdir(parents=True, exist_ok=True)
            for file in (self.folder / "deploy" / "crds").glob("crd-*.yaml"):
                (made / f"{file.stem}.templated.yaml").write_text(modules.without_templates(file.read_text()))
        for module, files, place in COPIED.get(self.name, []):
            if not (self.folder / place).exists():
                found = pathlib.Path(json.loads(self._go("mod", "download", "-json", module))["Dir"])
                (self.folder / place).mkdir(parents=True)
                for file in found.glob(files):
                    shutil.copy(file, self.folder / place)

    def suites(self):
        """The suites of a project that has been prepared."""
        if not self.patterns:
            return []
        found = self._go("list", "-f", WITH_TESTS, *self.patterns)
        return [Suite(self, pathlib.Path(line)) for line in sorted(found.split())]

    def program(self, package):
        """The program of `package` ("./cmd/webhook", or "." for the project's own), compiled if it is not there."""
        file = self.programs / (package.strip("./").replace("/", "-") or self.name)
        self._make(file, "build", "-o", file, package)
        return file

    def _go(self, *args):
        """What Go says in the project's folder."""
        return subprocess.run(["go", *args], cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, **modules.GO_ENV}).stdout

    def _make(self, file, *command):
        stamp = file.with_name(f".{file.name}.stamp")
        version = subprocess.run(["go", "env", "GOVERSION", "GOARCH"], check=True, capture_output=True, text=True).stdout
        wanted = f"{version}{self.module.checksum}"
        if file.exists() and stamp.exists() and stamp.read_text() == wanted:
            return
        print(f"compiling {self.name}/{file.name}", flush=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        modules.go(*command, folder=self.folder)
        stamp.write_text(wanted)


class Suite:
    def __init__(self, project, folder):
        self.project, self.folder = project, folder
        self.package = str(folder.relative_to(project.folder.resolve()))
        self.file_name = self.package.replace("/", "-")
        self.name = f"{project.name}/{self.file_name}"

    def program(self):
        """The compiled suite."""
        file = self.project.programs / f"{self.file_name}.test"
        self.project._make(file, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", file, f"./{self.package}")
        return file


def projects(build):
    return [Project(words[0], module, patterns, build.resolve())
            for words, module, patterns in modules.read_list(HERE / "suites.txt")]


def project(name, build):
    return next(each for each in projects(build) if each.name == name)
