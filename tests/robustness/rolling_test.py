"""Three servers behind one address are restarted under load; `make rolling` does it a hundred times (rolling_restart.py)."""

import os
import unittest

from rolling_restart import run

ROUNDS = int(os.environ.get("KEELSON_ROLLING_ROUNDS", "1"))
SEED = 4  # one of its three restarts is a SIGKILL


class RollingTest(unittest.TestCase):
    def test_nothing_is_lost_while_servers_and_members_of_etcd_are_restarted(self):
        problems, figures, summary = run(ROUNDS, seed=SEED, report=lambda line: None)
        self.assertEqual(problems[:5], [], f"{len(problems)} problems; {summary}; {list(figures.lines())}")
        self.assertGreater(summary["operations"], 100 * ROUNDS)
        self.assertGreater(summary["lists compared"], 0)
        self.assertGreater(summary["namespaces deleted"], 0)


if __name__ == "__main__":
    unittest.main()
