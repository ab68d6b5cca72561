"""The results of whole runs, one file per server in results/, and scoreboard.md made of them."""

import collections
import json
import os
import pathlib
import platform
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "results"
ORDER = ["upstream", "keelson", "keelson-etcd3", "keelson-own", "keelson-workloads", "upstream-real", "keelson-real",
         "keelson-etcd3-real"]
REAL = "-real"  # ends the names of runs on real nodes
# Runs in which kube-controller-manager does not do all of its work, and what readers must know of them.
PARTIAL = {
    "keelson-own": "Without kube-controller-manager: deleting, namespaces, quotas and service accounts are up to Keelson's own "
                   "controllers. Specs of sig-api-machinery alone; those that need somebody who makes pods are named in "
                   "[not_applicable_own.txt](not_applicable_own.txt).",
    "keelson-workloads": "kube-controller-manager runs, but of its controllers only those of replication controllers, replica sets, "
                         "deployments and endpoint slices: what they make is collected by Keelson's own garbage collector. Specs of sig-api-machinery alone.",
}


def save(name, specs, date, minutes, versions, limits, notes=()):
    """Keeps the results of one whole run."""
    RESULTS.mkdir(exist_ok=True)
    run = {"server": name, "versions": versions, "date": date.isoformat(), "minutes": round(minutes, 1), "limits": limits, "notes": list(notes),
           "machine": machine(), "specs": sorted(specs, key=lambda s: (s["sig"], s["file"], s["spec"]))}
    (RESULTS / f"{name}.json").write_text(json.dumps(run, indent=1) + "\n")


def kept(name):
    return (RESULTS / f"{name}.json").exists()


def merge(name, specs, date, focus):
    """Puts the results of a run of some specs into those that are kept, which say so."""
    file = RESULTS / f"{name}.json"
    run = json.loads(file.read_text())
    known = {s["spec"] for s in run["specs"]}
    newer = {s["spec"]: s for s in specs if s["spec"] in known and s["result"] != "not run"}
    run["specs"] = [newer.get(s["spec"], s) for s in run["specs"]]
    run.setdefault("notes", []).append(f"{len(newer)} specs were run later, on {date.isoformat()}: those that match `{focus}`.")
    file.write_text(json.dumps(run, indent=1) + "\n")


def machine():
    memory = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal:"))
    return f"{os.cpu_count()} cores, {memory / 2**20:.0f} GB memory, Linux {platform.machine()}"


def version_of(*command):
    out = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return (out.stdout or out.stderr).splitlines()[0].strip()


def write():
    runs = [json.loads((RESULTS / f"{n}.json").read_text()) for n in ORDER if (RESULTS / f"{n}.json").exists()]
    lines = ["# Conformance scoreboard", "",
             "Written by `make conformance`. Upstream's `[Conformance]` specs with upstream's controller manager and scheduler",
             "on simulated nodes, or on real ones where the server's name ends with `-real`. On simulated nodes a spec that needs a real container runtime is not applicable; the patterns and reasons are",
             "in [not_applicable.txt](not_applicable.txt). What passes on kube-apiserver under the same conditions is the",
             "list that counts. Every spec with its result is in `results/`.", "", "## Runs", "",
             "| server | versions | date | machine | limits | minutes | specs | applicable | passed (at the second try) | failed | not run |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for run in runs:
        count = collections.Counter(s["result"] for s in run["specs"])
        second = sum(s["result"] == "passed" and s.get("attempts", 1) > 1 for s in run["specs"])
        lines.append(f"| {run['server']} | {run['versions']} | {run['date']} | {run['machine']} | {run['limits']} "
                     f"| {run['minutes']:.0f} | {len(run['specs'])} | {len(run['specs']) - count['not applicable']} "
                     f"| {count['passed']} ({second}) | {count['failed']} | {count['not run']} |")
    for run in runs:
        notes = [PARTIAL.get(run["server"]), *run.get("notes", [])]
        lines += ["", f"## {run['server']}", "", *(f"{note}\n" for note in notes if note), *table(run)]
    lines += ["", "## Not applicable", "", *reasons(runs[0])]
    for run in runs:
        lines += failures(run, runs)
    (HERE / "scoreboard.md").write_text("\n".join(lines) + "\n")


def table(run):
    by_sig = collections.defaultdict(collections.Counter)
    for spec in run["specs"]:
        by_sig[spec["sig"]][spec["result"]] += 1
    lines = ["| SIG | passed | failed | not run | not applicable |", "|---|---|---|---|---|"]
    return lines + [f"| {sig} | {c['passed']} | {c['failed']} | {c['not run']} | {c['not applicable']} |"
                    for sig, c in sorted(by_sig.items())]


def reasons(run):
    by_reason = collections.Counter(s["reason"] for s in run["specs"] if s["result"] == "not applicable")
    return ["| reason | specs |", "|---|---|"] + [f"| {reason} | {n} |" for reason, n in by_reason.most_common()]


def failures(run, runs):
    """The failed specs, with what went wrong; whether upstream fails them here too is worth knowing."""
    peer = "upstream" + (REAL if run["server"].endswith(REAL) else "")
    upstream = {s["spec"] for r in runs if r["server"] == peer for s in r["specs"] if s["result"] == "failed"}
    failed = [s for s in run["specs"] if s["result"] == "failed"]
    if not failed:
        return []
    lines = ["", f"## Failed on {run['server']}", ""]
    for spec in failed:
        note = " (fails on upstream too)" if run["server"] != peer and spec["spec"] in upstream else ""
        text = spec["spec"].replace("<", "&lt;").replace(" [Conformance]", "")
        message = spec["message"][:160].replace("<", "&lt;").replace("`", "'")
        lines.append(f"- {text}{note}: {message}")
    return lines


if __name__ == "__main__":
    write()
