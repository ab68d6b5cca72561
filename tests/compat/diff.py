#!/usr/bin/env python3
"""Sends the same requests to a real kube-apiserver and to Keelson, and shows where the answers differ.

    diff.py [--build BUILD] [--only REGEX] [--record] [--seed SEED]

Writes one file per difference below BUILD/diff. Ends with 1 when a case differs that neither
allowed.txt nor known.txt lists. --record stores upstream's answers as goldens, with the cases that
the generator makes from upstream's own discovery and schemas. Without it, random sequences of writes
are compared too; --seed is the first one's seed, to have the same again.
"""

import argparse
import pathlib
import random
import re
import sys
import time

from generate import access
from generate import corpus
from generate import grants
from generate import pod_security
from generate import requests
from generate import writers
from lib import compare
from lib import golden
from lib import patterns
from lib import report
from lib import runner
from lib import scenario
from lib import servers

SEQUENCES = 60  # random ones, besides those recorded
MATRICES = (access, requests, grants)  # of users and what they may do, by seeds
HERE = pathlib.Path(__file__).resolve().parent


def report_drift(live, stored):
    """Answers of upstream that are not what was recorded: out of date, or not the same twice."""
    live = {case: answer for case, answer in live.items()
            if case in stored or not case.startswith(("random/", "podsecurity/"))}
    drifted = [case for case in live if case not in stored or compare.compare(stored[case], live[case])]
    for case in drifted:
        places = [found.where for found in compare.compare(stored[case], live[case])] if case in stored else ["unknown"]
        print(f"kube-apiserver differs from its golden: {case}: {', '.join(places[:3])}")


def made_to_record(only, binary):
    with servers.Upstream(binary) as upstream:
        resources = corpus.generate(upstream.client(), only)
    with servers.Upstream(binary, runner.PREVIEWS) as upstream:
        previews = corpus.generate(upstream.client(), only, runner.PREVIEW)
    return [*resources, *previews, *writers.sequences(writers.RECORDED), *pod_security.recorded(),
            *(one for kind in MATRICES for one in kind.matrix(kind.RECORDED))]


def made_to_compare(seed):
    return [*writers.sequences(range(seed, seed + SEQUENCES)), *pod_security.others(),
            *(one for kind in MATRICES for one in kind.matrix(range(seed, seed + kind.LIVE)))]


def choose(args, goldens, binary):
    """The scenarios to run."""
    written = scenario.read_folder(HERE / "scenarios")
    if args.record:
        generated = made_to_record(args.only, binary)
    else:
        print(f"random sequences: --seed {args.seed}")
        generated = [*goldens.load()[0], *made_to_compare(args.seed)]
    chosen = [one for one in [*written, *generated] if re.search(args.only, one.id)]
    if args.record:  # goldens are written by the file
        files = {golden.file_name(one) for one in chosen}
        chosen = [one for one in [*written, *generated] if golden.file_name(one) in files]
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=servers.ROOT / "build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression on scenario ids")
    parser.add_argument("--record", action="store_true", help="store upstream's answers as goldens")
    parser.add_argument("--seed", type=int, default=random.randrange(10**3, 10**9), help="of the random sequences")
    args = parser.parse_args()

    goldens = golden.Goldens(HERE / "golden")
    started = time.monotonic()
    binary = servers.upstream_binary(args.build)
    chosen = choose(args, goldens, binary)
    expected = runner.run_everywhere(lambda flags: servers.Upstream(binary, flags), chosen)
    print(f"kube-apiserver: {len(expected)} answers in {time.monotonic() - started:.0f} s")
    if args.record:
        goldens.save([(one, [expected[one.case_id(step)] for step in one.steps]) for one in chosen],
                     everything=not args.only)

    else:
        report_drift(expected, goldens.load()[1])

    started = time.monotonic()
    actual = runner.run_everywhere(lambda flags: servers.Keelson(args.build / "keelson", flags), chosen)
    print(f"keelson: {len(actual)} answers in {time.monotonic() - started:.0f} s\n")

    judgement = report.Judgement(chosen, expected, actual, patterns.load(HERE / "allowed.txt"),
                                 patterns.load(HERE / "known.txt"))
    report.write_differences(judgement, args.build / "diff", report.OUTCOMES)
    print(report.summary(judgement))
    print(f"\none file per difference is below {args.build / 'diff'}")
    return 1 if judgement.count(report.DIFFERENT) else 0


if __name__ == "__main__":
    sys.exit(main())
