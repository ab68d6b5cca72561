"""Compares every #include in src/ with include_rules.txt, so that no layer sees one above it."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = pathlib.Path(__file__).with_name("include_rules.txt")
QUOTED = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
ANGLED = re.compile(r"^\s*#\s*include\s+<([^>]+)>")


def parse_rules(text):
    folders, libraries = {}, {}
    for line in text.splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        left, _, right = line.partition(":")
        if left.startswith("cycle "):
            continue
        if left.startswith("library "):
            libraries[left.removeprefix("library ").strip()] = right.split()
        else:
            folders[left.strip()] = right.split()
    return folders, libraries


def parse_cycles(text):
    """Sets of folders that may include each other: lines `cycle a b ...: why`."""
    return {frozenset(line.partition(":")[0].split()[1:]) for line in text.splitlines() if line.startswith("cycle ")}


def within(folder, prefix):
    return folder == prefix or folder.startswith(prefix + "/")


def allowed(rules, folder, include):
    """Whether a file in `folder` (below src/) may include the header `include`."""
    target_folder = include.rpartition("/")[0]
    top = folder.split("/")[0]
    if target_folder.split("/")[0] in (top, "base"):
        return True
    granted = [what for prefix, whats in rules.items() if within(folder, prefix) for what in whats]
    for what in granted:
        if what == "*":
            return True
        if what.endswith("/*.h"):
            if target_folder == what.removesuffix("/*.h"):
                return True
        elif within(target_folder, what):
            return True
    return False


def includes(root):
    """(place, folder, header or None, library header or None) of every #include in production code. A test may reach
    down to real implementations."""
    src = root / "src"
    for path in sorted([*src.rglob("*.h"), *src.rglob("*.cc")]):
        if path.stem.endswith(("_test", "_benchmark")) or "testing" in path.parts:
            continue
        folder = path.parent.relative_to(src).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(root)}:{number}"
            if m := QUOTED.match(line):
                yield where, folder, m[1], None
            elif m := ANGLED.match(line):
                yield where, folder, None, m[1]


def violations(root, rules, libraries):
    for where, folder, header, system in includes(root):
        if header and not allowed(rules, folder, header):
            yield f'{where}: {folder} may not include "{header}"'
        for library, homes in libraries.items():
            if system and system.startswith(library) and not any(within(folder, h) for h in homes):
                yield f"{where}: <{system}> belongs to {', '.join(homes)}"


def unused_grants(root, rules, libraries):
    """Grants that no #include needs; those of the own layer and of base need none."""
    seen = list(includes(root))
    granted = {(folder, header) for _, folder, header, _ in seen if header and not allowed({}, folder, header)}
    for prefix, whats in rules.items():
        for what in whats:
            grant = {prefix: [what]}
            if not any(within(folder, prefix) and allowed(grant, folder, header) for folder, header in granted):
                yield f"{prefix}: {what} is granted, and nobody includes it"
    for library, homes in libraries.items():
        for home in homes:
            if not any(system and system.startswith(library) and within(folder, home) for _, folder, _, system in seen):
                yield f"library {library}: {home} does not include it"


def below(path):
    """The folder one level below its layer that `path` belongs to: "storage/cacher", or "storage/." for the layer itself."""
    parts = path.split("/")
    return f"{parts[0]}/{parts[1] if len(parts) > 1 else '.'}"


def reachable(edges, start):
    seen, todo = set(), [start]
    while todo:
        for target in edges.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def cycles(root, explained):
    """Sets of folders of one layer that include each other, by way of others too, and are not explained in the rules."""
    edges = {}
    for _, folder, header, _ in includes(root):
        a, b = below(folder), below(header.rpartition("/")[0]) if header else None
        if b and a != b and a.split("/")[0] == b.split("/")[0]:
            edges.setdefault(a, set()).add(b)
    reach = {folder: reachable(edges, folder) for folder in edges}
    found = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in reach if a in reach[a]}
    for group in sorted(map(sorted, found - explained)):
        yield f"{' '.join(group)} include each other"
    for group in sorted(map(sorted, explained - found)):
        yield f"cycle {' '.join(group)}: is explained, and does not exist"


class IncludeTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.rules, self.libraries = parse_rules(RULES.read_text())

    def test_every_folder_has_a_rule(self):
        folders = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}
        self.assertEqual(sorted(folders - set(self.rules)), [])

    def test_no_layer_includes_one_above_it(self):
        self.assertEqual(list(violations(ROOT, self.rules, self.libraries)), [])

    def test_every_grant_is_used(self):
        self.assertEqual(list(unused_grants(ROOT, self.rules, self.libraries)), [])

    def test_no_folders_of_a_layer_include_each_other(self):
        self.assertEqual(list(cycles(ROOT, parse_cycles(RULES.read_text()))), [])

    def test_the_rules_refuse_an_upward_include(self):
        self.assertFalse(allowed(self.rules, "storage/cacher", "registry/store.h"))
        self.assertFalse(allowed(self.rules, "endpoints", "storage/interface.h"))
        self.assertFalse(allowed(self.rules, "registry", "auth/authn/x509.h"))
        self.assertTrue(allowed(self.rules, "registry", "auth/user.h"))
        self.assertTrue(allowed(self.rules, "server/filters", "net/http/message.h"))


if __name__ == "__main__":
    sys.exit(unittest.main())
