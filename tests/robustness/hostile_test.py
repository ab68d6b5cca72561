"""A small run of hostile_clients.py: it asserts what does not depend on the speed of the machine."""

import mmap
import unittest

import hostile_clients
from hostile_clients import harness


def is_sanitized(binary):
    with open(binary, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"__asan_init") >= 0 or content.find(b"__tsan_init") >= 0


class HostileTest(unittest.TestCase):
    def test_an_innocent_client_is_served_among_hostile_ones(self):
        report = hostile_clients.measure(scale=0.03, seconds=5, attacks=[hostile_clients.many_headers])
        self.assertEqual(report.failures, [])
        self.assertGreater(report.requests, 0)
        if not is_sanitized(harness.BINARY):
            self.assertLess(report.rss, hostile_clients.MAX_RSS_MB)


if __name__ == "__main__":
    unittest.main()
