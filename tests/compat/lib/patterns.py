"""The two lists that a difference may be on.

allowed.txt: differences that stay, each with its reason; docs/compatibility.md shows them.
known.txt:   what Keelson does not do yet. Written by `replay.py --update-known`.

A line is `<case pattern> <place pattern>`, with * in the patterns; known.txt may leave out the
place, and the whole case is expected to differ then. Text after ` # ` is the reason.
"""

import fnmatch
import re


class Entry:
    def __init__(self, line):
        line, _, self.reason = (part.strip() for part in line.partition(" # "))
        self.cases, *rest = line.split()
        self.place = rest[0] if rest else None
        self._cases = re.compile(fnmatch.translate(self.cases))
        self._place = re.compile(fnmatch.translate(self.place)) if self.place else None
        self.used = False

    def covers(self, case, place):
        return bool(self._cases.match(case)) and (self._place is None or bool(self._place.match(place)))

    def covers_case(self, case):
        return self._place is None and bool(self._cases.match(case))

    def __str__(self):
        text = self.cases + (" " + self.place if self.place else "")
        return text + (f" # {self.reason}" if self.reason else "")


def load(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [Entry(line) for line in lines if line.strip() and not line.startswith("#")]


def sift(case, differences, entries):
    """The differences that no entry covers; entries that covered one are marked as used."""
    left = []
    for difference in differences:
        covering = [entry for entry in entries if entry.covers(case, difference.where)]
        for entry in covering:
            entry.used = True
        if not covering:
            left.append(difference)
    return left


def compress(differing, all_cases):
    """Patterns for exactly the cases in `differing`: prefix/* wherever everything below differs."""
    tree = {}
    for case in all_cases:
        node = tree
        for part in case.split("/"):
            node = node.setdefault(part, {})
    differing, patterns = set(differing), []

    def below(node, path):
        if not node:
            return [path]
        return [case for part, child in node.items() for case in below(child, f"{path}/{part}" if path else part)]

    def visit(node, path):
        cases = below(node, path)
        if len(cases) > 1 and path and all(case in differing for case in cases):
            patterns.append(path + "/*")
        elif node:
            for part in sorted(node):
                visit(node[part], f"{path}/{part}" if path else part)
        elif path in differing:
            patterns.append(path)

    visit(tree, "")
    return patterns
