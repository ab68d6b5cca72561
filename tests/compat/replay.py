#!/usr/bin/env python3
"""Replays all scenarios against Keelson and compares with upstream's recorded answers.

    replay.py [--build BUILD] [--only REGEX] [--update-known] [--summary] [--places N]

Fails when a case differs that neither allowed.txt nor known.txt lists, and when known.txt lists
what is equal by now. --update-known writes known.txt and scoreboard.md anew. $KEELSON_BINARY names the server.
"""

import argparse
import os
import pathlib
import re
import sys

from lib import golden
from lib import patterns
from lib import report
from lib import runner
from lib import scenario
from lib import servers

HERE = pathlib.Path(__file__).resolve().parent
KNOWN_HEAD = """\
# What Keelson does not do yet: cases whose answers differ from upstream's. No place: the whole case.
# Lines with a place are written by hand; the others by `tests/compat/replay.py --update-known`.
"""
SHOWN = 20  # differences printed in full


def load_cases(only):
    generated, expected = golden.Goldens(HERE / "golden").load()
    cases = [one for one in [*scenario.read_folder(HERE / "scenarios"), *generated] if re.search(only, one.id)]
    missing = [one.case_id(step) for one in cases for step in one.steps if one.case_id(step) not in expected]
    if missing:
        sys.exit(f"no golden for {missing[0]} and {len(missing) - 1} more: make diff RECORD=1")
    return cases, expected


def update_known(path, judgement, known):
    by_hand = [entry for entry in known if entry.place and entry.used]
    own = patterns.compress(judgement.differing(), [verdict.case for verdict in judgement.verdicts])
    path.write_text(KNOWN_HEAD + "".join(f"{line}\n" for line in [*by_hand, *own]))
    (path.parent / "scoreboard.md").write_text(report.scoreboard(judgement))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=servers.ROOT / "build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression on scenario ids")
    parser.add_argument("--update-known", action="store_true", help="write known.txt and scoreboard.md anew")
    parser.add_argument("--summary", action="store_true", help="print the table per resource and verb")
    parser.add_argument("--places", type=int, metavar="N", help="print the N places that differ most often")
    args = parser.parse_args()
    if args.update_known and args.only:
        parser.error("--update-known looks at all cases")

    cases, expected = load_cases(args.only)
    allowed, known = patterns.load(HERE / "allowed.txt"), patterns.load(HERE / "known.txt")
    binary = os.environ.get("KEELSON_BINARY", args.build / "keelson")
    actual = runner.run_everywhere(lambda flags: servers.Keelson(binary, flags), cases)
    judgement = report.Judgement(cases, expected, actual, allowed, known)
    # Known ones are thousands of files; they are wanted when somebody looks at a few cases.
    report.write_differences(judgement, args.build / "diff", report.OUTCOMES if args.only else (report.DIFFERENT,))
    if args.summary:
        print(report.summary(judgement))
    if args.places:
        print(report.by_place(judgement, args.places))
    print(f"{len(judgement.verdicts)} cases: " +
          ", ".join(f"{judgement.count(outcome)} {outcome}" for outcome in report.OUTCOMES))
    if args.update_known:
        update_known(HERE / "known.txt", judgement, known)
        return 0
    return judge(judgement, [] if args.only else [*allowed, *known])


def judge(judgement, entries):
    """Prints what is wrong; the exit code."""
    different = [verdict for verdict in judgement.verdicts if verdict.outcome == report.DIFFERENT]
    for verdict in different[:SHOWN]:
        print("\n" + report.describe(verdict))
    if different:
        print(f"{len(different)} cases differ from upstream:")
        for verdict in different:
            print(f"  {verdict.case}: {', '.join(found.where for found in verdict.differences[:4])}")
    unused = [str(entry) for entry in entries if not entry.used]
    for line, case in judgement.stale:
        print(f"known.txt: {line!r} is out of date: {case} is equal")
    for line in unused:
        print(f"no case differs as this line says: {line!r}")
    if judgement.stale or unused:
        print("refresh the list: tests/compat/replay.py --update-known")
    return 1 if different or judgement.stale or unused else 0


if __name__ == "__main__":
    sys.exit(main())
