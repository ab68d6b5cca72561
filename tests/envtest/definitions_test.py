"""What definitions.py makes of modules that cannot be had."""

import pathlib
import tempfile
import unittest
from unittest import mock

import definitions
import modules

DEFINITION = """kind: CustomResourceDefinition
metadata:
  name: %s
spec: {versions: [{schema: {openAPIV3Schema: {type: object}}}]}
"""


class FakeModule:
    def __init__(self, name, folder):
        self.name, self._folder = name, folder

    def __str__(self):
        return f"{self.name} v1.0.0"

    def download(self):
        if not self._folder:
            raise modules.Unavailable(f"error: {self} cannot be downloaded: 404 Not Found")
        return self._folder


class CollectTest(unittest.TestCase):
    def collected(self, *listed):
        with mock.patch.object(modules, "read_list", return_value=[((), module, ["crds"]) for module in listed]):
            return definitions.collect("")

    def module(self, name, *names):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        (pathlib.Path(folder) / "crds").mkdir()
        for each in names:
            (pathlib.Path(folder) / "crds" / f"{each}.yaml").write_text(DEFINITION % each)
        return FakeModule(name, pathlib.Path(folder))

    def test_a_module_that_cannot_be_had_is_told_and_the_others_count(self):
        listed = [self.module("one", "a.test"), FakeModule("gone", None), self.module("two", "b.test")]
        found, projects, missing = self.collected(*listed)
        self.assertEqual((sorted(found), projects), (["a.test", "b.test"], 2))
        self.assertEqual(missing, ["gone v1.0.0 cannot be downloaded: 404 Not Found"])

    def test_so_is_one_without_definitions(self):
        found, projects, missing = self.collected(self.module("empty"), self.module("two", "b.test"))
        self.assertEqual((sorted(found), projects), (["b.test"], 1))
        self.assertEqual(missing, ["empty v1.0.0 has no definitions of its own in crds"])


if __name__ == "__main__":
    unittest.main()
