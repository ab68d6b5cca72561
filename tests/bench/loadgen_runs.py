"""Compiles and runs the load generator of ./loadgen."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(folder, *more):
    """The program, compiled below the build folder with Go, as are `more` of upstream's programs."""
    subprocess.run([ROOT / "tests" / "conformance" / "build.sh", folder, "loadgen", *more], check=True)
    return folder / "conformance" / "bin" / "loadgen"


def run(program, phase, out, *, url, token, label, pids, flags=()):
    """The rows of one phase, which are also written to the file `out`; fails with the program."""
    command = [program, "--server", url, "--insecure", "--token", token, "--label", label, "--pid",
               ",".join(str(pid) for pid in pids), "--phases", phase, "--json", out, *flags]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())["results"]
