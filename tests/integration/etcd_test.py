"""Servers on etcd: several on one, etcd gone and back, a cluster that loses its leader."""

import shutil
import subprocess
import tempfile
import threading
import unittest

import harness
from etcd import Etcd, EtcdCluster

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def labelled(event):
    return event["type"], event["object"]["metadata"]["name"], event["object"].get("data", {})


class TwoServersOnOneEtcd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.etcd = Etcd()
        cls.addClassCleanup(cls.etcd.close)
        cls.etcd.start()
        cls.servers = []
        for _ in range(2):
            server = harness.Server(f"--etcd-servers={cls.etcd.url}")
            cls.addClassCleanup(server.close)
            cls.servers.append(server.start())

    def test_an_object_that_etcd_does_not_take_is_refused_as_upstream_does(self):
        revision = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "large"},
                    "revision": 1, "data": {"a": "x" * 2_000_000}}
        got = self.servers[0].post("/apis/apps/v1/namespaces/default/controllerrevisions", revision)
        self.assertEqual((got.status, got.json()["message"]), (500, "etcdserver: request is too large"))
        # Above the limit of messages it is not etcd itself that refuses.
        revision["data"]["a"] = "x" * 2_500_000
        got = self.servers[0].post("/apis/apps/v1/namespaces/default/controllerrevisions", revision)
        self.assertEqual(got.status, 500)
        self.assertRegex(got.json()["message"], "^rpc error: code = ResourceExhausted desc = .* larger than max")
        self.assertIsNone(got.headers.get("Retry-After"))

    def test_an_object_that_is_too_large_with_its_managed_fields_is_stored_without_them(self):
        data = {f"a-key-that-takes-some-forty-bytes-{i:06}": "x" * 40 for i in range(12_000)}
        made = self.servers[0].post(CONFIG_MAPS, config_map("tracked-too-well", **data))
        self.assertEqual(made.status, 201, made)
        self.assertNotIn("managedFields", made.json()["metadata"])
        data["a-key-that-takes-some-forty-bytes-000000"] = "y"
        put = self.servers[0].put(f"{CONFIG_MAPS}/tracked-too-well", config_map("tracked-too-well", **data))
        self.assertEqual(put.status, 200, put)
        self.assertNotIn("managedFields", put.json()["metadata"])
        self.servers[0].delete(f"{CONFIG_MAPS}/tracked-too-well")

    def test_each_reads_at_once_what_the_other_wrote(self):
        one, two = self.servers
        for i in range(50):
            writer, reader = (one, two) if i % 2 else (two, one)
            made = writer.post(CONFIG_MAPS, config_map(f"read-{i}", a="1"))
            self.assertEqual(made.status, 201, made)
            self.assertEqual(reader.get(f"{CONFIG_MAPS}/read-{i}").json(), made.json())
            names = [item["metadata"]["name"] for item in reader.get(CONFIG_MAPS).json()["items"]]
            self.assertIn(f"read-{i}", names)
            revision = made.json()["metadata"]["resourceVersion"]
            fresh = reader.get(f"{CONFIG_MAPS}?resourceVersion={revision}&resourceVersionMatch=NotOlderThan")
            self.assertIn(f"read-{i}", [item["metadata"]["name"] for item in fresh.json()["items"]])

    def test_a_watch_on_one_tells_what_both_did_in_order(self):
        one, two = self.servers
        start = one.get(CONFIG_MAPS).json()["metadata"]["resourceVersion"]
        watches = [s.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={start}") for s in self.servers]
        try:
            one.post(CONFIG_MAPS, config_map("watched", a="1"))
            two.put(f"{CONFIG_MAPS}/watched", config_map("watched", a="2"))
            one.put(f"{CONFIG_MAPS}/watched", config_map("watched", a="3"))
            two.delete(f"{CONFIG_MAPS}/watched")
            for watch in watches:
                told = []
                while not told or told[-1][0] != "DELETED":
                    event = labelled(watch.next())
                    if event[1] == "watched":
                        told.append(event)
                self.assertEqual([(kind, data["a"]) for kind, _, data in told],
                                 [("ADDED", "1"), ("MODIFIED", "2"), ("MODIFIED", "3"), ("DELETED", "3")])
        finally:
            for watch in watches:
                watch.close()

    def test_updates_on_both_lose_nothing(self):
        self.servers[0].post(CONFIG_MAPS, config_map("counter", n="0"))

        def count(server):
            done = 0
            while done < 25:
                now = server.get(f"{CONFIG_MAPS}/counter").json()
                now["data"]["n"] = str(int(now["data"]["n"]) + 1)
                status = server.put(f"{CONFIG_MAPS}/counter", now).status
                self.assertIn(status, (200, 409))
                done += status == 200

        threads = [threading.Thread(target=count, args=(server,)) for server in self.servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.servers[0].get(f"{CONFIG_MAPS}/counter").json()["data"]["n"], "50")

    def test_what_the_other_deleted_or_made_is_known_to_writers(self):
        one, two = self.servers
        one.post(CONFIG_MAPS, config_map("mine"))
        self.assertEqual(two.post(CONFIG_MAPS, config_map("mine")).status, 409)
        self.assertEqual(two.delete(f"{CONFIG_MAPS}/mine").status, 200)
        self.assertEqual(one.delete(f"{CONFIG_MAPS}/mine").status, 404)
        self.assertEqual(one.put(f"{CONFIG_MAPS}/mine", config_map("mine", a="1")).status, 404)
        one.post("/api/v1/namespaces", {"metadata": {"name": "fresh"}})
        made = two.post("/api/v1/namespaces/fresh/configmaps", config_map("inside"))
        self.assertEqual(made.status, 201, made)

    def test_keys_are_upstreams_and_events_share_a_lease(self):
        one, two = self.servers
        one.post(CONFIG_MAPS, config_map("stored"))
        value, lease = self.etcd.get("/registry/configmaps/default/stored")
        self.assertTrue(value.startswith(b"k8s\0"), value)
        self.assertEqual(lease, 0)
        leases = set()
        for i in range(5):
            event = {"metadata": {"name": f"e{i}"}, "reason": "Why", "type": "Normal",
                     "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"}}
            self.assertEqual(two.post("/api/v1/namespaces/default/events", event).status, 201)
            leases.add(self.etcd.get(f"/registry/events/default/e{i}")[1])
        self.assertEqual(len(leases), 1)
        self.assertNotEqual(leases, {0})


class EtcdGoneAndBack(unittest.TestCase):
    def test_writes_fail_clearly_and_everything_recovers(self):
        with Etcd() as etcd, harness.Server(f"--etcd-servers={etcd.url}") as server:
            self.assertEqual(server.post(CONFIG_MAPS, config_map("before", a="1")).status, 201)
            watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=0")
            try:
                while watch.next()["object"]["metadata"]["name"] != "before":
                    pass
                etcd.kill()
                refused = server.post(CONFIG_MAPS, config_map("lost"), timeout=60)
                self.assertGreaterEqual(refused.status, 500)
                self.assertEqual(refused.json()["kind"], "Status", refused)
                self.assertGreaterEqual(server.get(CONFIG_MAPS, timeout=60).status, 500)
                self.assertEqual(server.get(f"{CONFIG_MAPS}/before?resourceVersion=0").status, 200)
                ready = server.get("/readyz")
                self.assertEqual(ready.status, 500)
                self.assertIn("[-]etcd failed", ready.text)

                etcd.start()
                harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again")
                self.assertEqual(server.post(CONFIG_MAPS, config_map("after", a="1")).status, 201)
                names = {item["metadata"]["name"] for item in server.get(CONFIG_MAPS).json()["items"]}
                self.assertLessEqual({"before", "after"}, names)
                self.assertEqual(watch.next()["object"]["metadata"]["name"], "after")
            finally:
                watch.close()

    def test_a_server_does_not_start_without_etcd_but_says_why(self):
        with self.assertRaisesRegex(AssertionError, "etcd endpoint"):
            harness.Server("--etcd-servers=http://127.0.0.1").start()


class AnotherEtcdAtTheSameAddress(unittest.TestCase):
    """What a restore of etcd's own backup looks like from here."""

    def names(self, server, query=""):
        items = server.get(CONFIG_MAPS + query, timeout=60).json()["items"]
        return {item["metadata"]["name"] for item in items} - {"kube-root-ca.crt"}

    def end_of(self, watch):
        while True:
            event = watch.next()
            if event["type"] == "ERROR":
                return event["object"]["code"]

    def served(self, server, expected):
        """Waits until lists say `expected`; one that takes any version must not lag behind."""
        def same():
            got = server.get(CONFIG_MAPS, timeout=60)
            return got.status == 200 and self.names(server) == expected
        harness.wait_until(same, f"{expected} are listed", seconds=60)
        self.assertEqual(self.names(server, "?resourceVersion=0"), expected)

    def test_one_that_was_put_back_ends_watches_and_its_lost_future_is_not_served(self):
        with Etcd() as etcd, harness.Server(f"--etcd-servers={etcd.url}") as server:
            self.assertEqual(server.post(CONFIG_MAPS, config_map("kept")).status, 201)
            etcd.kill()
            etcd.save()
            etcd.start()
            harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again")
            for i in range(5):
                self.assertEqual(server.post(CONFIG_MAPS, config_map(f"lost{i}")).status, 201)
            watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=0")
            try:
                etcd.kill()
                etcd.restore()
                etcd.start()
                self.assertEqual(self.end_of(watch), 410)
            finally:
                watch.close()
            self.served(server, {"kept"})
            self.assertEqual(server.get(f"{CONFIG_MAPS}/lost0").status, 404)
            self.assertEqual(server.post(CONFIG_MAPS, config_map("lost0")).status, 201)
            self.served(server, {"kept", "lost0"})

    def test_one_with_another_id_is_followed_from_where_it_is(self):
        with Etcd() as etcd, harness.Server(f"--etcd-servers={etcd.url}") as server:
            for i in range(5):
                self.assertEqual(server.post(CONFIG_MAPS, config_map(f"lost{i}")).status, 201)
            watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=0")
            try:
                etcd.kill()
                etcd.replace("another")
                etcd.start()
                self.assertEqual(self.end_of(watch), 410)
            finally:
                watch.close()
            self.served(server, set())
            event = {"metadata": {"name": "e"}, "reason": "Why", "type": "Normal",
                     "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"}}
            namespace = {"metadata": {"name": "default"}}
            harness.wait_until(lambda: server.post("/api/v1/namespaces", namespace).status in (201, 409), "a namespace")
            self.assertEqual(server.post(CONFIG_MAPS, config_map("new")).status, 201)
            self.assertEqual(server.post("/api/v1/namespaces/default/events", event).status, 201)
            self.served(server, {"new"})


class AClusterOfThree(unittest.TestCase):
    def test_writes_go_on_when_the_leader_is_killed(self):
        with EtcdCluster() as cluster, harness.Server(f"--etcd-servers={cluster.urls}") as server:
            made = set()
            for i in range(60):
                if i in (15, 40):
                    leader = harness.wait_until(cluster.leader, "a leader")
                    leader.kill()
                    if i == 15:
                        leader.start(wait=False)
                status = server.post(CONFIG_MAPS, config_map(f"c{i}"), timeout=60).status
                # 409: an attempt whose outcome was not known had been written.
                self.assertIn(status, (201, 409, 500, 504), i)
                if status == 201:
                    made.add(f"c{i}")
            self.assertGreater(len(made), 50)
            listed = server.get(CONFIG_MAPS)
            self.assertEqual(listed.status, 200, listed)
            names = {item["metadata"]["name"] for item in listed.json()["items"]}
            self.assertLessEqual(made, names)


class Migration(unittest.TestCase):
    def migrate(self, to, data_dir, etcd, *more):
        return subprocess.run([harness.BINARY, "migrate", "--to", to, "--data-dir", str(data_dir),
                               f"--etcd-servers={etcd.url}", *more], capture_output=True, text=True, timeout=60)

    def objects(self, server):
        items = server.get("/api/v1/configmaps").json()["items"] + server.get("/api/v1/secrets").json()["items"]
        # What is in kube-system each server adds to: its own authorities.
        items = [item for item in items if item["metadata"]["namespace"] != "kube-system"]
        for item in items:
            del item["metadata"]["resourceVersion"]
        return sorted(items, key=lambda item: item["metadata"]["name"])

    def go_on(self, server, seen):
        """A client of the store before goes on with what it had seen, and is told to list again. Returns the newest
        version now."""
        watch = server.watch(f"{CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion={seen}")
        try:
            event = watch.next()
            self.assertEqual((event["type"], event["object"].get("code")), ("ERROR", 410), event)
        finally:
            watch.close()
        listed = server.get("/api/v1/configmaps").json()
        for version in [listed["metadata"]["resourceVersion"]] + [
                item["metadata"]["resourceVersion"] for item in listed["items"]]:
            self.assertGreater(int(version), int(seen))
        return listed["metadata"]["resourceVersion"]

    def test_clients_of_the_store_before_list_again(self):
        with Etcd() as etcd, tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            with harness.Server(data_dir=f"{first}/d") as server:
                for i in range(300):
                    seen = server.put(f"{CONFIG_MAPS}/c", config_map("c", a=str(i))) if i else server.post(
                        CONFIG_MAPS, config_map("c", a="0"))
                seen = seen.json()["metadata"]["resourceVersion"]
                server.stop()
            moved = self.migrate("etcd3", f"{first}/d", etcd)
            self.assertEqual((moved.returncode, "warning" in moved.stderr), (0, False), moved.stderr)
            with harness.Server(f"--etcd-servers={etcd.url}") as server:
                seen = self.go_on(server, seen)
                server.stop()
            moved = self.migrate("embedded", f"{second}/d", etcd)
            self.assertEqual((moved.returncode, "warning" in moved.stderr), (0, False), moved.stderr)
            with harness.Server(data_dir=f"{second}/d") as server:
                self.go_on(server, seen)

    def test_an_etcd_that_is_too_far_behind_is_warned_of(self):
        with Etcd() as etcd, tempfile.TemporaryDirectory() as folder:
            with harness.Server(data_dir=f"{folder}/a") as server:
                server.post(CONFIG_MAPS, config_map("c"))
                server.stop()
            for command in ("backup", f"{folder}/file", f"--data-dir={folder}/a"), (
                    "restore", f"{folder}/file", f"--data-dir={folder}/b"):
                subprocess.run([harness.BINARY, *command], check=True, capture_output=True, timeout=60)
            shutil.copy(f"{folder}/a/encryption.yaml", f"{folder}/b/")
            with harness.Server(data_dir=f"{folder}/b") as server:
                seen = server.get("/api/v1/configmaps").json()["metadata"]["resourceVersion"]
                server.stop()
            moved = self.migrate("etcd3", f"{folder}/b", etcd)
            self.assertEqual(moved.returncode, 0, moved.stderr)
            self.assertIn("warning: the resource versions of the source went up to", moved.stderr)
            with harness.Server(f"--etcd-servers={etcd.url}") as server:
                watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={seen}")
                self.addCleanup(watch.close)
                event = watch.next()
                self.assertEqual((event["type"], event["object"].get("code")), ("ERROR", 410), event)

    def test_objects_move_to_etcd_and_back_unchanged(self):
        with Etcd() as etcd, tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            with harness.Server(data_dir=f"{first}/d") as server:
                for i in range(20):
                    server.post(CONFIG_MAPS, config_map(f"c{i}", a="x" * 1000))
                server.post("/api/v1/namespaces/default/secrets", {"metadata": {"name": "s"}, "data": {"a": "AAE="}})
                before = self.objects(server)
                server.stop()
            moved = self.migrate("etcd3", f"{first}/d", etcd)
            self.assertEqual(moved.returncode, 0, moved.stderr)
            self.assertIn("migrated", moved.stdout)
            self.assertIn("100%", moved.stderr)
            with harness.Server(f"--etcd-servers={etcd.url}") as server:
                self.assertEqual(self.objects(server), before)
                server.stop()
            # Again is refused, unless it is said to be meant.
            again = self.migrate("etcd3", f"{first}/d", etcd)
            self.assertEqual(again.returncode, 1)
            self.assertIn("--resume", again.stderr)
            back = self.migrate("embedded", f"{second}/d", etcd)
            self.assertEqual(back.returncode, 0, back.stderr)
            with harness.Server(data_dir=f"{second}/d") as server:
                self.assertEqual(self.objects(server), before)


if __name__ == "__main__":
    unittest.main()
