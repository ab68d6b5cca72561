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
        if left.startswith("library "):
            libraries[left.removeprefix("library ").strip()] = right.split()
        else:
            folders[left.strip()] = right.split()
    return folders, libraries


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


def violations(root, rules, libraries):
    src = root / "src"
    for path in sorted([*src.rglob("*.h"), *src.rglob("*.cc")]):
        folder = path.parent.relative_to(src).as_posix()
        is_test = path.stem.endswith(("_test", "_benchmark")) or "testing" in path.parts
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(root)}:{number}"
            if m := QUOTED.match(line):
                # A test may reach down to real implementations; production code may not.
                if not is_test and not allowed(rules, folder, m[1]):
                    yield f'{where}: {folder} may not include "{m[1]}"'
            elif m := ANGLED.match(line):
                for library, homes in libraries.items():
                    if m[1].startswith(library) and not is_test and not any(within(folder, h) for h in homes):
                        yield f"{where}: <{m[1]}> belongs to {', '.join(homes)}"


class IncludeTest(unittest.TestCase):
    def setUp(self):
        self.rules, self.libraries = parse_rules(RULES.read_text())

    def test_every_folder_has_a_rule(self):
        folders = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}
        self.assertEqual(sorted(folders - set(self.rules)), [])

    def test_no_layer_includes_one_above_it(self):
        self.assertEqual(list(violations(ROOT, self.rules, self.libraries)), [])

    def test_the_rules_refuse_an_upward_include(self):
        self.assertFalse(allowed(self.rules, "storage/cacher", "registry/store.h"))
        self.assertFalse(allowed(self.rules, "endpoints", "storage/interface.h"))
        self.assertFalse(allowed(self.rules, "registry", "auth/authn/x509.h"))
        self.assertTrue(allowed(self.rules, "registry", "auth/user.h"))
        self.assertTrue(allowed(self.rules, "server/filters", "net/http/message.h"))


if __name__ == "__main__":
    sys.exit(unittest.main())
