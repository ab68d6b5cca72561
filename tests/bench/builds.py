#!/usr/bin/env python3
"""Puts several builds of keelson through the same load, in turn, and compares what it cost each.

    builds.py --build BUILD_DIR [--rounds 3] [--quick] [--phases seed,get,...] NAME=BINARY...

The median of the rounds counts. The first build is what the others are compared with. BUILD_DIR is where the load
generator is built (needs Go). With one build and LLVM_PROFILE_FILE set this is the training run of `make release`.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile

from compare import NO_CONTROLLERS, ROOT, ROWS, Measurement, cluster, wait_ready

# Enough to come by every path often; the figures of so few objects would be noise.
TRAINING = ["--namespaces", "10", "--pods", "2000", "--nodes", "100", "--watchers", "100", "--crs", "500", "--duration", "2s",
            "--list-count", "3", "--writes", "500", "--events", "100", "--settle", "200ms", "--max-time", "60s"]


class Build(Measurement):
    def __init__(self, label, binary, directory, loadgen, options):
        super().__init__(label, directory, loadgen, options)
        self.binary = binary

    def start(self):
        server = cluster.Keelson(self.binary, self.loadgen.parent, self.directory, extra=NO_CONTROLLERS)
        wait_ready(server)
        return server


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--phases", help="of the load generator; by default all")
    parser.add_argument("--train", action="store_true", help="one round of a load that comes by every path; no table")
    parser.add_argument("builds", nargs="+", metavar="NAME=BINARY")
    options = parser.parse_args()
    subprocess.run([ROOT / "tests" / "conformance" / "build.sh", options.build, "loadgen"], check=True)
    loadgen = options.build.resolve() / "conformance" / "bin" / "loadgen"
    builds = dict(argument.split("=", 1) for argument in options.builds)
    measured = {name: [] for name in builds}
    for _ in range(1 if options.train else options.rounds):
        for name, binary in builds.items():
            with tempfile.TemporaryDirectory() as directory:
                build = Build(name, pathlib.Path(binary).resolve(), pathlib.Path(directory) / "run", loadgen, options)
                build.run(TRAINING if options.train else None)
                if not options.train:
                    measured[name].append(build.values())
    if not options.train:
        print_table(measured)


def print_table(measured):
    names = list(measured)
    print(f"| | {' | '.join(names)} | {' | '.join(f'{n} / {names[0]}' for n in names[1:])} |")
    print("|---" * (2 * len(names)) + "|")
    for row in ROWS:
        figures = {name: [v for v in (row.read(m) for m in runs) if v is not None] for name, runs in measured.items()}
        if not all(figures.values()):
            continue
        medians = [statistics.median(figures[name]) for name in names]
        spread = [f"{row.number(m)} ({row.number(min(f))} to {row.number(max(f))})" for m, f in zip(medians, figures.values())]
        ratios = [f"{m / medians[0]:.2f}" for m in medians[1:]]
        print(f"| {row.work} | {' | '.join(spread + ratios)} |")


if __name__ == "__main__":
    main()
