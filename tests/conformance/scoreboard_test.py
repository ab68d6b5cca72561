"""Results of runs of some specs are put into those that are kept, and nothing that was known is lost by that."""

import datetime
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import scoreboard

TODAY = datetime.date(2026, 1, 2)


def result(number, outcome, **more):
    return {"spec": f"[sig-node] spec {number}", "sig": "sig-node", "file": "node/a.go", "result": outcome, **more}


class ScoreboardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-scoreboard-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, value in {"HERE": self.folder, "RESULTS": self.folder / "results"}.items():
            patch = mock.patch.object(scoreboard, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.assertFalse(scoreboard.kept("keelson-real"))
        scoreboard.save("keelson-real", [result(n, "not run") for n in (1, 2, 3)], TODAY, 0, "v1", "limits", ["No whole run yet."])

    def outcomes(self):
        run = json.loads((self.folder / "results" / "keelson-real.json").read_text())
        return [spec["result"] for spec in run["specs"]]

    def test_results_of_several_runs_add_up(self):
        self.assertTrue(scoreboard.kept("keelson-real"))
        scoreboard.merge("keelson-real", [result(1, "passed")], TODAY, "spec 1")
        scoreboard.merge("keelson-real", [result(3, "failed", message="why")], TODAY, "spec 3")
        self.assertEqual(self.outcomes(), ["passed", "not run", "failed"])

    def test_a_spec_that_was_not_run_keeps_the_result_that_it_had(self):
        scoreboard.merge("keelson-real", [result(1, "passed"), result(2, "passed")], TODAY, "spec")
        scoreboard.merge("keelson-real", [result(1, "failed", message="why"), result(2, "not run")], TODAY, "spec")
        self.assertEqual(self.outcomes(), ["failed", "passed", "not run"])

    def test_a_later_run_replaces_an_earlier_result_and_is_named(self):
        scoreboard.merge("keelson-real", [result(1, "failed", message="why")], TODAY, "spec 1")
        scoreboard.merge("keelson-real", [result(1, "passed")], TODAY, "spec (1|9)")
        self.assertEqual(self.outcomes(), ["passed", "not run", "not run"])
        scoreboard.write()
        board = (self.folder / "scoreboard.md").read_text()
        for text in ("No whole run yet.", "1 specs were run later, on 2026-01-02: those that match `spec (1|9)`.",
                     "| sig-node | 1 | 0 | 2 | 0 |"):
            self.assertIn(text, board)
        self.assertNotIn("Failed on", board)


if __name__ == "__main__":
    unittest.main()
