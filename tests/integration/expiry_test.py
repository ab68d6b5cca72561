"""Old resource versions expire when the store compacts its history."""

import re
import unittest
import urllib.parse

import harness

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Expiry(harness.ServerTestCase):
    server_args = ("--etcd-compaction-interval=1s",)

    def test_a_continue_token_expires_and_the_list_can_be_finished_inconsistently(self):
        quiet = self.new_namespace() + "/configmaps"
        for i in range(5):
            self.server.post(quiet, {"metadata": {"name": f"c{i}"}})
        first = self.server.get(f"{quiet}?limit=2").json()
        self.assertEqual(first["metadata"]["remainingItemCount"], 3)
        token = urllib.parse.quote(first["metadata"]["continue"])

        def expired():
            # The resource is quiet: something else makes the store go on.
            self.server.post(CONFIG_MAPS, {"metadata": {"generateName": "other-"}})
            page = self.server.get(f"{quiet}?limit=2&continue={token}")
            if page.status == 200:
                self.assertEqual(page.json()["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"])
                return None
            return page
        status = self.assertStatus(harness.wait_until(expired, "the token expires"), 410, "Expired",
                                   "The provided continue parameter is too old to display a consistent list result.")
        token = urllib.parse.quote(status["metadata"]["continue"])
        second = self.server.get(f"{quiet}?limit=2&continue={token}").json()
        self.assertEqual([item["metadata"]["name"] for item in second["items"]], ["c2", "c3"])
        self.assertNotEqual(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"])
        self.assertEqual(second["metadata"]["remainingItemCount"], 1)

    def metric(self, name):
        """Its value for config maps."""
        found = re.search(rf'^keelson_{name}{{resource="configmaps"}} (\S+)$', self.server.get("/metrics").text, re.M)
        self.assertTrue(found, name)
        return float(found[1])

    def test_metrics_tell_of_windows_and_watchers(self):
        self.server.post(CONFIG_MAPS, {"metadata": {"generateName": "some-"}})
        before = self.metric("watchers")
        watch = self.server.watch(f"{CONFIG_MAPS}?watch=1")
        try:
            self.assertEqual(self.metric("watchers"), before + 1)
        finally:
            watch.close()
        harness.wait_until(lambda: self.metric("watchers") == before, "the watcher is gone")
        self.assertGreater(self.metric("watch_window_bytes"), 0)
        self.assertGreater(self.metric("watch_window_seconds"), 0)
        self.assertGreaterEqual(self.metric("watch_lag_events"), 0)


if __name__ == "__main__":
    unittest.main()
