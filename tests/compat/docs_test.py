#!/usr/bin/env python3
"""docs/compatibility.md shows the allowed differences as they are."""

import unittest

import docs
from lib import patterns


class DocsTest(unittest.TestCase):
    def test_the_page_shows_the_list(self):
        text = docs.PAGE.read_text()
        self.assertEqual(text, docs.updated(text), "run tests/compat/docs.py")

    def test_every_allowed_difference_has_a_place_and_a_reason(self):
        for entry in patterns.load(docs.HERE / "allowed.txt"):
            self.assertTrue(entry.place and entry.reason, str(entry))


if __name__ == "__main__":
    unittest.main()
