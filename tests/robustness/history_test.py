"""The checker finds what it is there to find."""

import unittest

from history import Event, History, Relist, check, check_watchers, states


def step(history, kind, key, value, revision, at, outcome="ok", lasts=1, uid=None):
    operation = history.begin(kind, key, value)
    operation.invoked, operation.returned = at, at + lasts if outcome != "unknown" else float("inf")
    operation.outcome, operation.revision, operation.uid = outcome, revision, uid
    return operation


class HistoryTest(unittest.TestCase):
    def setUp(self):
        self.history = History()
        self.log = self.history.watcher("w")
        self.log.entries.append(Relist(1, ()))

    def tell(self, revision, kind, value, key="a", uid="u"):
        self.log.entries.append(Event(revision, kind, key, value, uid))

    def assertFound(self, text):
        problems = check(self.history)
        self.assertTrue(any(text in problem for problem in problems), problems)

    def good(self):
        step(self.history, "create", "a", "1", 2, at=0)
        step(self.history, "update", "a", "2", 3, at=2)
        step(self.history, "get", "a", "2", 3, at=4)
        step(self.history, "delete", "a", None, 0, at=6, uid="u")
        step(self.history, "get", "a", None, 0, at=8)
        for revision, kind, value in ((2, "ADDED", "1"), (3, "MODIFIED", "2"), (4, "DELETED", "2")):
            self.tell(revision, kind, value)

    def test_a_correct_history_has_no_problems(self):
        self.good()
        self.assertEqual(check(self.history), [])

    def test_a_lost_write(self):
        self.good()
        del self.log.entries[2]
        self.assertFound("an acknowledged write is missing")

    def test_a_write_that_was_refused(self):
        self.good()
        self.history.operations[1].outcome = "failed"
        self.assertFound("refused")

    def test_a_write_whose_answer_was_lost_may_have_happened_or_not(self):
        step(self.history, "create", "a", "1", 0, at=0, outcome="unknown")
        self.assertEqual(check(self.history), [])
        self.tell(2, "ADDED", "1")
        self.assertEqual(check(self.history), [])
        self.tell(3, "MODIFIED", "1")
        self.assertFound("written twice")

    def test_an_old_value_after_a_new_one_was_acknowledged(self):
        self.good()
        self.history.operations[2].value, self.history.operations[2].revision = "1", 2
        self.assertFound("older than what was known")

    def test_nothing_where_something_is(self):
        step(self.history, "create", "a", "1", 2, at=0)
        self.tell(2, "ADDED", "1")
        step(self.history, "get", "a", None, 0, at=2)
        self.assertFound("not found although it is there")

    def test_what_nobody_wrote(self):
        self.good()
        self.tell(9, "ADDED", "9")
        self.assertFound("nobody wrote")

    def test_a_gap_a_repetition_and_a_wrong_order(self):
        self.good()
        other = self.history.watcher("other")
        other.entries = [self.log.entries[0], self.log.entries[1], self.log.entries[3]]
        self.assertFound("other: was not told of")
        other.entries = [*self.log.entries, self.log.entries[-1]]
        self.assertFound("other: told of 4 after 4")

    def test_a_watcher_of_one_key_is_told_of_that_key(self):
        self.good()
        step(self.history, "create", "b", "7", 5, at=0)
        self.tell(5, "ADDED", "7", key="b", uid="v")
        narrow = self.history.watcher("narrow", frozenset(["b"]))
        narrow.entries, narrow.position = [Relist(1, ())], 5
        self.assertFound("narrow: was not told of")
        narrow.entries.append(self.log.entries[-1])
        self.assertEqual(check(self.history), [])

    def test_what_happened_before_a_relist_need_not_be_told(self):
        self.good()
        late = self.history.watcher("late")
        late.entries = [Relist(1, ()), Relist(3, (("a", 3, "2", "u"),)), self.log.entries[-1]]
        self.assertEqual(check(self.history), [])

    def test_the_states_between_events_are_known_where_everything_was_told(self):
        self.good()
        self.assertEqual([(first, end, dict(state)) for first, end, state in states(self.history)],
                         [(1, 2, {}), (2, 3, {"a": (2, "1")}), (3, 4, {"a": (3, "2")}), (4, 5, {})])
        # Nobody was told what happened between the fourth revision and the ninth.
        self.log.entries.append(Relist(9, (("b", 8, "7", "v"),)))
        self.assertEqual([(first, end, dict(state)) for first, end, state in states(self.history)][-2:],
                         [(4, 5, {}), (9, 10, {"b": (8, "7")})])

    def test_watchers_are_compared_where_nobody_recorded_what_was_done(self):
        self.tell(2, "ADDED", "1")
        self.assertEqual(check_watchers(self.history), [])
        other = self.history.watcher("other")
        other.entries, other.position = [Relist(1, ())], 3
        self.assertTrue(any("was not told of" in problem for problem in check_watchers(self.history)))


if __name__ == "__main__":
    unittest.main()
