"""A KMS v2 plugin for tests: the program fake_kms_plugin of the build, steered by lines on its input."""

import pathlib
import subprocess
import tempfile

import harness


class Kms:
    def __init__(self, name="kms1"):
        self._folder = tempfile.TemporaryDirectory(prefix="kms-")
        self.name, self.socket = name, f"{self._folder.name}/socket"
        self.process = None

    def start(self):
        program = pathlib.Path(harness.BINARY).parent / "tests" / "fake_kms_plugin"
        self.process = subprocess.Popen([program, self.socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        return self

    def tell(self, line):
        """"key ID", "healthz TEXT", "refuse" or "accept"."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def stop(self):
        if self.process:
            self.process.communicate()
            self.process = None

    @property
    def provider(self):
        return {"kms": {"apiVersion": "v2", "name": self.name, "endpoint": f"unix://{self.socket}", "timeout": "3s"}}

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self._folder.cleanup()
