#!/usr/bin/env python3
"""A server that has got worse is caught by the goldens: the faults are put into its answers on the way."""

import json
import os
import unittest

import replay
from lib import patterns
from lib import report
from lib import runner
from lib import servers

SCENARIO = "^scenario/errors/conflicts$"


class FaultyServer:
    """Hands out clients whose answers `spoil` may change."""

    def __init__(self, server, spoil):
        self._server, self._spoil = server, spoil

    def client(self):
        client = self._server.client()
        request = client.request

        def spoiled(*args, **kwargs):
            answer = request(*args, **kwargs)
            self._spoil(answer)
            return answer

        client.request = spoiled
        return client


def different(server):
    """The cases that replay would fail on."""
    cases, expected = replay.load_cases(SCENARIO)
    judgement = report.Judgement(cases, expected, runner.run_all(server, cases, workers=1),
                                 patterns.load(replay.HERE / "allowed.txt"), patterns.load(replay.HERE / "known.txt"))
    return [verdict.case for verdict in judgement.verdicts if verdict.outcome == report.DIFFERENT]


class SeededFaultTest(unittest.TestCase):
    def replay_with(self, spoil):
        binary = os.environ.get("KEELSON_BINARY", servers.ROOT / "build" / "keelson")
        with servers.Keelson(binary) as keelson:
            return different(FaultyServer(keelson, spoil))

    def test_nothing_is_found_in_answers_left_alone(self):
        self.assertEqual(self.replay_with(lambda answer: None), [])

    def test_a_409_that_became_a_400(self):
        def spoil(answer):
            if answer.status == 409:
                body = json.loads(answer.body)
                answer.status, answer.body = 400, json.dumps({**body, "code": 400}).encode()

        self.assertIn("scenario/errors/conflicts/create-again", self.replay_with(spoil))

    def test_a_reason_that_was_renamed(self):
        def spoil(answer):
            answer.body = answer.body.replace(b'"AlreadyExists"', b'"Exists"')

        self.assertEqual(self.replay_with(spoil), ["scenario/errors/conflicts/create-again"])

    def test_a_header_that_was_lost(self):
        def spoil(answer):
            del answer.headers["Audit-Id"]

        self.assertIn("scenario/errors/conflicts/create-again", self.replay_with(spoil))


if __name__ == "__main__":
    unittest.main()
