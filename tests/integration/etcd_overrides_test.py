"""Resources on other etcd servers than the rest: --etcd-servers-overrides."""

import subprocess
import unittest

import harness
from etcd import Etcd

EVENTS = "/api/v1/namespaces/default/events"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def event(name):
    return {"metadata": {"name": name}, "reason": "Why", "type": "Normal",
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"}}


def config_map(name):
    return {"metadata": {"name": name}}


def names(answer):
    return [item["metadata"]["name"] for item in answer.json()["items"]]


class EventsOnTheirOwnEtcd(unittest.TestCase):
    def setUp(self):
        self.main, self.events = Etcd(), Etcd()
        for etcd in (self.main, self.events):
            self.addCleanup(etcd.close)
            etcd.start()

    def server(self, *args, start=True, **kwargs):
        made = harness.Server(f"--etcd-servers={self.main.url}", f"--etcd-servers-overrides=/events#{self.events.url}",
                              *args, **kwargs)
        self.addCleanup(made.close)
        return made.start() if start else made

    def test_events_are_in_the_one_and_everything_else_in_the_other(self):
        server = self.server()
        self.assertEqual(server.post(EVENTS, event("core")).status, 201)
        self.assertEqual(server.post(CONFIG_MAPS, config_map("a")).status, 201)
        newer = {"metadata": {"name": "newer"}, "eventTime": "2026-01-01T00:00:00.000000Z", "action": "Done",
                 "reason": "Why", "type": "Normal", "reportingController": "x.io/y", "reportingInstance": "z",
                 "regarding": {"kind": "Pod", "namespace": "default", "name": "p"}}
        made = server.post("/apis/events.k8s.io/v1/namespaces/default/events", newer)
        self.assertEqual(made.status, 201, made)

        self.assertEqual([key for key in self.events.keys() if not key.startswith("/registry/events/")], [])
        self.assertLessEqual({"/registry/events/default/core", "/registry/events/default/newer"},
                             set(self.events.keys()))
        self.assertNotEqual(self.events.get("/registry/events/default/core")[1], 0, "its lease is of that etcd")
        self.assertEqual([key for key in self.main.keys() if key.startswith("/registry/events/")], [])
        self.assertIn("/registry/configmaps/default/a", self.main.keys())
        self.assertNotEqual(self.main.keys("/registry/masterleases/"), [])

    def test_lists_watches_and_limits_go_by_the_revisions_of_that_etcd(self):
        server = self.server()
        for i in range(40):  # the first store is far ahead of the second
            self.assertEqual(server.post(CONFIG_MAPS, config_map(f"c{i}")).status, 201)
        made = [server.post(EVENTS, event(f"e{i}")) for i in range(6)]
        self.assertEqual({answer.status for answer in made}, {201})
        revision = int(made[-1].json()["metadata"]["resourceVersion"])
        ahead = int(server.get(CONFIG_MAPS).json()["metadata"]["resourceVersion"])
        self.assertLess(revision, ahead)

        got, token = [], ""
        while True:
            page = server.get(f"{EVENTS}?limit=2&continue={token}")
            self.assertEqual(page.status, 200, page)
            self.assertLess(int(page.json()["metadata"]["resourceVersion"]), ahead)
            got += names(page)
            token = page.json()["metadata"].get("continue")
            if not token:
                break
        self.assertLessEqual({f"e{i}" for i in range(6)}, set(got))
        self.assertEqual(len(got), len(set(got)))
        exact = server.get(f"{EVENTS}?resourceVersion={revision}&resourceVersionMatch=Exact")
        self.assertIn("e5", names(exact))
        self.assertEqual(server.get(f"{EVENTS}?resourceVersion={ahead + 1000}").status, 504)

        watch = server.watch(f"{EVENTS}?watch=1&resourceVersion={revision}")
        self.addCleanup(watch.close)
        self.assertEqual(server.post(EVENTS, event("seen")).status, 201)
        while watch.next()["object"]["metadata"]["name"] != "seen":
            pass

    def test_the_size_of_each_is_told(self):
        server = self.server()
        for cluster in ("etcd-0", "etcd-1"):
            series = f'apiserver_storage_size_bytes{{storage_cluster_id="{cluster}"}} '
            line = harness.wait_until(lambda: next((line for line in server.get("/metrics").text.splitlines()
                                                    if line.startswith(series)), None), series)
            self.assertGreater(float(line.removeprefix(series)), 1000)
        silent = self.server("--etcd-db-metric-poll-interval=0")
        self.assertNotIn("apiserver_storage_size_bytes{", silent.get("/metrics").text)

    def test_a_restart_finds_what_is_in_both(self):
        first = self.server()
        self.assertEqual(first.post(EVENTS, event("kept")).status, 201)
        self.assertEqual(first.post(CONFIG_MAPS, config_map("kept")).status, 201)
        self.assertEqual(first.stop(), 0)
        second = self.server()
        self.assertIn("kept", names(second.get(EVENTS)))
        self.assertIn("kept", names(second.get(CONFIG_MAPS)))

    def test_what_two_servers_write_both_see_at_once(self):
        one, two = self.server(), self.server()
        for i in range(10):
            self.assertEqual(one.post(EVENTS, event(f"e{i}")).status, 201)
            self.assertIn(f"e{i}", names(two.get(EVENTS)))

    def test_one_that_is_down_hurts_its_resources_alone(self):
        server = self.server()
        self.assertEqual(server.post(EVENTS, event("before")).status, 201)
        self.assertEqual(server.get("/readyz/etcd-override-0").status, 200)
        self.events.kill()
        harness.wait_until(lambda: server.get("/readyz/etcd-override-0").status == 500, "its check tells")
        ready = server.get("/readyz?verbose").text
        for check in ("[-]etcd-override-0 failed", "[-]etcd-override-readiness-0 failed", "[+]etcd ok",
                      "[+]etcd-readiness ok"):
            self.assertIn(check, ready)
        self.assertIn("[+]etcd-override-0 excluded with etcd: ok", server.get("/readyz?exclude=etcd&verbose").text)
        statuses = {item["metadata"]["name"]: item["conditions"][0]["status"]
                    for item in server.get("/api/v1/componentstatuses").json()["items"]}
        self.assertEqual((statuses["etcd-0"], statuses["etcd-1"]), ("True", "False"))
        self.assertGreaterEqual(server.post(EVENTS, event("lost"), timeout=60).status, 500)
        self.assertEqual(server.post(CONFIG_MAPS, config_map("fine")).status, 201)
        self.assertIn("fine", names(server.get(CONFIG_MAPS)))

        self.events.start()
        harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again")
        self.assertEqual(server.post(EVENTS, event("after")).status, 201)
        self.assertLessEqual({"before", "after"}, set(names(server.get(EVENTS))))

    def test_a_server_starts_while_it_is_away_and_serves_its_resources_once_it_is_there(self):
        first = self.server()
        self.assertEqual(first.post(EVENTS, event("kept")).status, 201)
        self.assertEqual(first.stop(), 0)
        self.events.kill()
        server = self.server(start=False)
        server.start(ready=False)
        self.assertEqual(server.get("/readyz/etcd-override-0").status, 500)
        self.assertEqual(server.get("/readyz?exclude=etcd&exclude=etcd-readiness").status, 200)
        self.assertEqual(server.post(CONFIG_MAPS, config_map("fine")).status, 201)
        self.assertGreaterEqual(server.get(EVENTS, timeout=60).status, 500)
        self.events.start()
        harness.wait_until(lambda: server.get("/readyz").status == 200, "ready")
        listed = harness.wait_until(lambda: (a := server.get(EVENTS, timeout=60)).status == 200 and a, "a list")
        self.assertIn("kept", names(listed))
        self.assertEqual(server.post(EVENTS, event("after")).status, 201)


class WhatIsToldOfOverrides(unittest.TestCase):
    def test_one_that_names_nothing_is_told_in_the_log(self):
        with Etcd() as etcd:
            override = f"--etcd-servers-overrides=events.k8s.io/events#{etcd.url}"
            with harness.Server(f"--etcd-servers={etcd.url}", override) as server:
                self.assertIn("no built-in resource is stored by this name", server.log())
                self.assertEqual(server.get("/readyz/etcd-override-0").status, 200)

    def test_a_migration_is_refused_and_told_what_to_do(self):
        done = subprocess.run([harness.BINARY, "migrate", "--to=etcd3", "--data-dir=/nonexistent",
                               "--etcd-servers=http://127.0.0.1:1", "--etcd-servers-overrides=/events#http://127.0.0.1:2"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--etcd-servers-overrides: one store is copied to one other", done.stderr)


if __name__ == "__main__":
    unittest.main()
