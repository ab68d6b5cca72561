#!/usr/bin/env python3
"""Starts several builds of keelson in turns, and compares the time to ready and the memory of the idle server.

    starts.py [--starts 20] NAME=BINARY...

Each build has a store of its own, whose keys the first start makes; that one does not count. Time is from exec to the
line that says ready, CPU time that of all threads until then, memory what is resident once it has not changed for a
second, and of that what is the process's own (not of the binary's file). Medians count; the first build is what
the others are compared with. Times need a quiet machine; CPU time and memory need it less.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

SETTLED_SECONDS, LONGEST_SECONDS = 1, 20


def memory(pid):
    """(resident, anonymous) in MB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return tuple(int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024 for name in ("VmRSS", "RssAnon"))


def settled_memory(pid):
    begin = changed = time.monotonic()
    last = memory(pid)
    while time.monotonic() - changed < SETTLED_SECONDS and time.monotonic() - begin < LONGEST_SECONDS:
        time.sleep(0.05)
        now = memory(pid)
        if now != last:
            last, changed = now, time.monotonic()
    return last


def cpu_milliseconds(pid):
    return sum(int(file.read_text().split()[0]) for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e6


def measure(binary, directory):
    """{what: value} of one start."""
    begin = time.monotonic()
    process = subprocess.Popen([binary, "serve", "--data-dir", directory, "--secure-port", "0", "--bind-address", "127.0.0.1"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in process.stdout:
            if line.startswith("keelson ready "):
                break
        else:
            raise SystemExit(f"error: {binary} ended before it was ready")
        ready, cpu = (time.monotonic() - begin) * 1e3, cpu_milliseconds(process.pid)
        resident, anonymous = settled_memory(process.pid)
    finally:
        process.terminate()
        process.communicate()
    return {"to ready, ms": ready, "CPU to ready, ms": cpu, "resident, MB": resident, "of that anonymous, MB": anonymous}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("builds", nargs="+", metavar="NAME=BINARY")
    options = parser.parse_args()
    builds = {name: pathlib.Path(binary).resolve() for name, binary in (a.split("=", 1) for a in options.builds)}
    measured = {name: [] for name in builds}
    with tempfile.TemporaryDirectory() as directory:
        for number in range(options.starts + 1):
            for name, binary in builds.items():
                found = measure(binary, pathlib.Path(directory) / name)
                if number:
                    measured[name].append(found)
    print_table(measured)


def print_table(measured):
    names = list(measured)
    print(f"| median (quartiles) of {len(measured[names[0]])} starts | {' | '.join(names)} | "
          f"{' | '.join(f'{n} - {names[0]}' for n in names[1:])} |")
    print("|---" * (2 * len(names)) + "|")
    for what in measured[names[0]][0]:
        columns = {name: [found[what] for found in measured[name]] for name in names}
        medians = {name: statistics.median(values) for name, values in columns.items()}
        shown = [f"{medians[n]:.1f} ({q[0]:.1f} to {q[2]:.1f})"
                 for n, q in ((n, statistics.quantiles(v, n=4)) for n, v in columns.items())]
        print(f"| {what} | {' | '.join(shown + [f'{medians[n] - medians[names[0]]:+.1f}' for n in names[1:]])} |")


if __name__ == "__main__":
    main()
