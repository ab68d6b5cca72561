"""Watches: what is seen, in which order, and how they end."""

import unittest

import harness


def config_map(name, data=None, **meta):
    return {"metadata": {"name": name, **meta}, "data": data or {}}


class WatchTest(harness.ServerTestCase):
    def setUp(self):
        self.ns = self.new_namespace()
        self.path = self.ns + "/configmaps"

    def open(self, query="", path=None):
        stream = self.server.watch((path or self.path) + "?watch=true" + query)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        return stream

    def events(self, stream, n):
        got = [stream.next() for _ in range(n)]
        return [(e["type"], e["object"]["metadata"]["name"]) for e in got if e]

    def revision(self):
        return self.server.get(self.path).json()["metadata"]["resourceVersion"]

    def test_changes_arrive_in_order_with_their_objects(self):
        stream = self.open(f"&resourceVersion={self.revision()}&fieldSelector=metadata.name!=kube-root-ca.crt")
        made = self.server.post(self.path, config_map("a", {"n": "1"})).json()
        changed = self.server.patch(self.path + "/a", {"data": {"n": "2"}}).json()
        self.server.delete(self.path + "/a")
        added, modified, deleted = stream.next(), stream.next(), stream.next()
        self.assertEqual((added["type"], added["object"]), ("ADDED", made))
        self.assertEqual((modified["type"], modified["object"]), ("MODIFIED", changed))
        self.assertEqual((deleted["type"], deleted["object"]["data"]), ("DELETED", {"n": "2"}))
        self.assertGreater(int(deleted["object"]["metadata"]["resourceVersion"]),
                           int(changed["metadata"]["resourceVersion"]))

    def test_without_a_version_it_begins_with_what_is_there(self):
        self.server.post(self.path, config_map("a", labels={"t": "1"}))
        self.server.post(self.path, config_map("b", labels={"t": "1"}))
        stream = self.open("&labelSelector=t")
        self.assertEqual(sorted(self.events(stream, 2)), [("ADDED", "a"), ("ADDED", "b")])
        self.server.post(self.path, config_map("c", labels={"t": "1"}))
        self.assertEqual(self.events(stream, 1), [("ADDED", "c")])

    def test_it_resumes_after_the_version_it_is_given(self):
        versions = [self.server.post(self.path, config_map(n)).json()["metadata"]["resourceVersion"] for n in "abc"]
        stream = self.open(f"&resourceVersion={versions[0]}&fieldSelector=metadata.name!=kube-root-ca.crt")
        self.assertEqual(self.events(stream, 2), [("ADDED", "b"), ("ADDED", "c")])

    def test_an_object_enters_and_leaves_by_its_labels(self):
        stream = self.open(f"&resourceVersion={self.revision()}&labelSelector=color%3Dred")
        self.server.post(self.path, config_map("a", labels={"color": "blue"}))
        self.server.patch(self.path + "/a", {"metadata": {"labels": {"color": "red"}}})
        self.server.patch(self.path + "/a", {"data": {"n": "1"}})
        self.server.patch(self.path + "/a", {"metadata": {"labels": {"color": "green"}}})
        self.assertEqual(self.events(stream, 3), [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")])

    def test_a_watch_of_one_name_hears_of_no_other(self):
        stream = self.open(f"&resourceVersion={self.revision()}&fieldSelector=metadata.name%3Db")
        for name in "abc":
            self.server.post(self.path, config_map(name))
        self.server.delete(self.path + "/b")
        self.assertEqual(self.events(stream, 2), [("ADDED", "b"), ("DELETED", "b")])

    def test_a_watch_of_all_namespaces_sees_each(self):
        other = self.new_namespace()
        stream = self.open(f"&resourceVersion={self.revision()}&labelSelector=everywhere", path="/api/v1/configmaps")
        self.server.post(self.path, config_map("a", labels={"everywhere": ""}))
        self.server.post(other + "/configmaps", config_map("b", labels={"everywhere": ""}))
        self.assertEqual(self.events(stream, 2), [("ADDED", "a"), ("ADDED", "b")])

    def test_it_ends_cleanly_when_its_time_is_up(self):
        stream = self.open(f"&resourceVersion={self.revision()}&timeoutSeconds=1")
        self.assertTrue(stream.ended_cleanly(10))

    def test_the_streaming_list_ends_with_a_marked_bookmark(self):
        self.server.post(self.path, config_map("a", labels={"t": "1"}))
        stream = self.open("&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&labelSelector=t")
        self.assertEqual(self.events(stream, 1), [("ADDED", "a")])
        end = stream.next()
        self.assertEqual((end["type"], end["object"]["kind"]), ("BOOKMARK", "ConfigMap"))
        self.assertEqual(end["object"]["metadata"]["annotations"], {"k8s.io/initial-events-end": "true"})

    def test_a_version_from_the_future_is_told_to_list_again(self):
        # A store that was migrated or restored may be behind what clients have seen. Silence would leave them blind.
        future = int(self.revision()) + 1_000_000_000
        stream = self.open(f"&resourceVersion={future}&allowWatchBookmarks=true&timeoutSeconds=20")
        event = stream.next()
        self.assertEqual((event["type"], event["object"]["code"], event["object"]["reason"]), ("ERROR", 410, "Expired"))
        self.assertIn(f"Too large resource version: {future}, current: ", event["object"]["message"])
        self.assertTrue(stream.ended_cleanly(10))

    def test_a_list_from_the_future_is_a_timeout_with_a_cause(self):
        future = int(self.revision()) + 1_000_000_000
        got = self.server.get(f"{self.path}?resourceVersion={future}&resourceVersionMatch=NotOlderThan")
        self.assertEqual(got.status, 504)
        self.assertEqual(got.json()["details"]["causes"][0]["reason"], "ResourceVersionTooLarge")

    def test_a_version_that_is_no_number_is_refused(self):
        # Upstream has no reason for it either, only the code and the message.
        got = self.server.get(self.path + "?watch=true&resourceVersion=abc")
        self.assertEqual(got.status, 500)
        self.assertNotIn("reason", got.json())
        self.assertEqual(got.json()["message"],
                         'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax')

    def test_a_watch_can_be_a_table(self):
        connection = self.server.connect(timeout=30)
        self.server.post(self.path, config_map("a", labels={"t": "1"}))
        connection.request("GET", self.path + "?watch=true&labelSelector=t",
                           headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
        stream = harness.Stream(connection, connection.getresponse())
        self.addCleanup(stream.close)
        event = stream.next()
        self.assertEqual((event["type"], event["object"]["kind"]), ("ADDED", "Table"))
        self.assertEqual(event["object"]["rows"][0]["cells"][:2], ["a", 0])


if __name__ == "__main__":
    unittest.main()
