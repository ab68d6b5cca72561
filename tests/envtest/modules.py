"""Go modules by name, version and checksum: where they are on this disk, and copies that tests are compiled in.

Nothing of a module is kept in this repository. Lists of modules are text: a line has a module, its version, the
checksum of its archive as go.sum has it, and what the list is about; # begins a comment.
"""

import json
import os
import pathlib
import shutil
import subprocess

# The module's own go.mod says what it is compiled with, and nothing around it.
GO_ENV = {"GOWORK": "off", "GO111MODULE": "on"}


class Unavailable(SystemExit):
    """A module that cannot be had, or is another than the list says. Ends the program where nobody goes on without it."""


class Module:
    def __init__(self, name, version, checksum):
        self.name, self.version, self.checksum = name, version, checksum

    def __str__(self):
        return f"{self.name} {self.version}"

    def download(self):
        """The folder of the module's files, which are read-only. Raises Unavailable."""
        command = ["go", "mod", "download", "-json", f"{self.name}@{self.version}"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/",
                                    env={**os.environ, **GO_ENV})
        except FileNotFoundError:
            raise SystemExit("error: Go is not installed: modules are downloaded and compiled by it") from None
        found = json.loads(answer.stdout) if answer.stdout.startswith("{") else {"Error": answer.stderr.strip()}
        if "Dir" not in found:
            raise Unavailable(f"error: {self} cannot be downloaded: {found.get('Error')}")
        if found["Sum"] != self.checksum:
            raise Unavailable(f"error: {self} has the checksum {found['Sum']}, expected was {self.checksum}")
        return pathlib.Path(found["Dir"])

    def copy_to(self, folder):
        """Makes `folder` a copy of the module that can be written to, unless it is one already."""
        marker = folder.with_name(f".{folder.name}.copied")
        if marker.exists() and marker.read_text() == self.checksum:
            return
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.download(), folder)
        for path in [folder, *folder.rglob("*")]:
            # An archive knows no permissions.
            path.chmod(0o755 if path.is_dir() or path.suffix == ".sh" else 0o644)
        marker.write_text(self.checksum)


def read_list(file):
    """[(words before the module, Module, words after its checksum)]; the module is the word before a version."""
    entries = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        sums = [index for index, word in enumerate(words) if word.startswith("h1:")]
        if len(sums) != 1 or sums[0] < 2:
            raise SystemExit(f"error: {file}:{number}: a module, its version and its checksum are expected")
        at = sums[0]
        entries.append((words[:at - 2], Module(*words[at - 2:at + 1]), words[at + 1:]))
    return entries


def go(*args, folder):
    """Runs Go in `folder`, the copy of a module; its output is that of this program. Ends the program if it fails."""
    if subprocess.run(["go", *map(str, args)], cwd=folder, env={**os.environ, **GO_ENV}, check=False).returncode:
        raise SystemExit(f"error: go {' '.join(map(str, args))} failed in {folder}")


def without_templates(text):
    """A manifest without the lines that Helm would fill in."""
    return "".join(line for line in text.splitlines(keepends=True) if "{{" not in line)
