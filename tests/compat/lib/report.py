"""Judges answers against upstream's, prints the summary, and writes one file per difference."""

import collections
import difflib
import json
import re
import shutil

from lib import compare
from lib import patterns

EQUAL, ALLOWED, KNOWN, DIFFERENT = "equal", "allowed", "known", "different"
OUTCOMES = (EQUAL, ALLOWED, KNOWN, DIFFERENT)


class Verdict:
    def __init__(self, scenario, step, expected, actual):
        self.scenario, self.step, self.expected, self.actual = scenario, step, expected, actual
        self.case = scenario.case_id(step)
        self.outcome = EQUAL
        self.differences = []  # those on no list of places


class Judgement:
    """The verdicts on all cases, and the list entries that they show to be out of date."""

    def __init__(self, scenarios, expected, actual, allowed, known):
        places = [entry for entry in known if entry.place]
        cases = [entry for entry in known if not entry.place]
        self.verdicts, self.stale = [], []
        for scenario in scenarios:
            for step in scenario.steps:
                verdict = Verdict(scenario, step, expected[scenario.case_id(step)], actual[scenario.case_id(step)])
                self._judge(verdict, allowed, places, cases)
                self.verdicts.append(verdict)

    def _judge(self, verdict, allowed, places, cases):
        found = compare.compare(verdict.expected, verdict.actual)
        after_allowed = patterns.sift(verdict.case, found, allowed)
        verdict.differences = patterns.sift(verdict.case, after_allowed, places)
        listed = [entry for entry in cases if entry.covers_case(verdict.case)]
        for entry in listed:
            entry.used = True
        if verdict.differences:
            verdict.outcome = KNOWN if listed else DIFFERENT
        elif listed:
            self.stale.append((str(listed[0]), verdict.case))
        if verdict.outcome == EQUAL and found:
            verdict.outcome = KNOWN if after_allowed else ALLOWED

    def count(self, outcome):
        return sum(verdict.outcome == outcome for verdict in self.verdicts)

    def differing(self):
        """Cases that need a line of their own in known.txt."""
        return [verdict.case for verdict in self.verdicts if verdict.differences]


def area(case):
    """apps/v1/deployments, or scenario/errors"""
    parts = case.split("/")
    return "/".join(parts[:2] if parts[0] == "scenario" else parts[:3])


def summary(judgement, by_verb=True):
    """A table: one row per resource and verb."""
    rows = collections.defaultdict(collections.Counter)
    for verdict in judgement.verdicts:
        rows[area(verdict.case), verdict.step.verb() if by_verb else ""][verdict.outcome] += 1
    rows["total", ""] = sum(rows.values(), collections.Counter())
    width = max(len(name) for name, _ in rows)
    lines = [f"{'':{width}}  {'verb':16} {'cases':>6} " + " ".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    for (name, verb), counts in rows.items():
        numbers = " ".join(f"{counts[outcome] or '.':>9}" for outcome in OUTCOMES)
        lines.append(f"{name:{width}}  {verb:16} {sum(counts.values()):>6} {numbers}")
    return "\n".join(lines)


def scoreboard(judgement):
    """A page with one row per resource: what is equal, and what is not."""
    rows = collections.defaultdict(collections.Counter)
    for verdict in judgement.verdicts:
        rows[area(verdict.case)][verdict.outcome] += 1
    rows = {"**all**": sum(rows.values(), collections.Counter()), **dict(sorted(rows.items()))}
    lines = ["# Answers equal to those of kube-apiserver v1.36.4", "",
             "Written by `tests/compat/replay.py --update-known`. Allowed: see `allowed.txt`. Other: see `known.txt`;",
             "an answer counts there if any part of it differs.", "",
             "| scenarios | cases | equal | allowed | other |", "|---|--:|--:|--:|--:|"]
    for name, counts in rows.items():
        other = counts[KNOWN] + counts[DIFFERENT]
        lines.append(f"| {name} | {sum(counts.values())} | {counts[EQUAL]} | {counts[ALLOWED]} | {other} |")
    return "\n".join(lines) + "\n"


def by_place(judgement, limit):
    """The places that differ most often, with an example of each."""
    places = collections.defaultdict(list)
    for verdict in judgement.verdicts:
        for found in verdict.differences:
            name = re.sub(r"/\d+", "/N", found.where)
            if name == "code":
                name = f"code {found.expected} -> {found.actual}"
            places[name].append((verdict, found))
    lines = []
    for name, hits in sorted(places.items(), key=lambda item: -len(item[1]))[:limit]:
        verdict, found = hits[0]
        lines.append(f"{len(hits):6} {name}\n         {verdict.case}")
        if found.where != "code":
            lines += [f"         - {compare.show(found.expected)[:300]}",
                      f"         + {compare.show(found.actual)[:300]}"]
    return "\n".join(lines)


def describe(verdict):
    """What was asked, where the answers differ, and both of them in full."""
    step = verdict.step
    lines = [f"case     {verdict.case}", f"request  {step.method} {step.path}"]
    lines += [f"         {name}: {value}" for name, value in step.headers.items()]
    if body := verdict.scenario.body_of(step):
        lines.append("         " + (body if len(body) < 2000 else body[:2000] + " ..."))
    lines += ["", "differs in"]
    lines += [f"  {found.where}\n    - {compare.show(found.expected)}\n    + {compare.show(found.actual)}"
              for found in verdict.differences]
    lines += ["", "--- kube-apiserver", "+++ keelson"]
    if verdict.expected["code"] != verdict.actual["code"]:
        lines += ["-" + line for line in _pretty(verdict.expected)] + ["+" + line for line in _pretty(verdict.actual)]
    else:
        lines += list(difflib.unified_diff(_pretty(verdict.expected), _pretty(verdict.actual), lineterm="", n=5))[2:]
    return "\n".join(lines) + "\n"


def _pretty(answer):
    return json.dumps(answer, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def write_differences(judgement, folder, outcomes):
    """One file per case with one of the outcomes, below `folder`, by the case's id."""
    shutil.rmtree(folder, ignore_errors=True)
    for verdict in judgement.verdicts:
        if verdict.differences and verdict.outcome in outcomes:
            file = folder / (re.sub(r"[^\w./-]", "_", verdict.case) + ".diff")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(describe(verdict))
