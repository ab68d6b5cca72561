"""A server that is killed in the middle of writes loses nothing that it acknowledged."""

import http.client
import json
import os
import tempfile
import threading
import unittest

import harness

ROUNDS = int(os.environ.get("KEELSON_CRASH_ROUNDS", "6"))
WRITERS = 4


class Writer(threading.Thread):
    """Creates and updates objects until the server dies, noting what was acknowledged."""

    def __init__(self, server, worker, start):
        super().__init__(daemon=True)
        self.server, self.worker, self.next = server, worker, start
        self.acknowledged = {}  # name → (uid, resourceVersion, value)
        self.attempted = {}     # name → value of the write under way

    def run(self):
        connection = self.server.connect()
        path = "/api/v1/namespaces/default/configmaps"
        headers = {"Content-Type": "application/json"}
        try:
            while True:
                name, value = f"w{self.worker}-{self.next // 3}", str(self.next)
                body = {"metadata": {"name": name}, "data": {"n": value}}
                self.attempted = {name: value}
                if self.next % 3 == 0:
                    connection.request("POST", path, json.dumps(body), headers)
                else:
                    connection.request("PUT", f"{path}/{name}", json.dumps(body), headers)
                response = connection.getresponse()
                got = json.loads(response.read())
                assert response.status in (200, 201), got
                self.acknowledged[name] = (got["metadata"]["uid"], int(got["metadata"]["resourceVersion"]), value)
                self.next += 1
        except (OSError, http.client.HTTPException, ValueError):
            self.next += 3  # the name under way may or may not exist


class CrashTest(unittest.TestCase):
    def test_no_acknowledged_write_is_lost_by_kill_9(self):
        with tempfile.TemporaryDirectory() as directory:
            known, positions = {}, [0] * WRITERS
            for round_number in range(ROUNDS):
                server = harness.Server(data_dir=directory).start()
                newest = self.verify(server, known)
                writers = [Writer(server, i, -(-positions[i] // 3) * 3) for i in range(WRITERS)]
                for writer in writers:
                    writer.start()
                enough = 50 + 37 * round_number
                harness.wait_until(lambda: sum(len(w.acknowledged) for w in writers) >= enough, "writes")
                server.kill()
                for writer in writers:
                    writer.join(30)
                    self.assertFalse(writer.is_alive())
                    for _, revision, _ in writer.acknowledged.values():
                        self.assertGreater(revision, newest, "revisions go on after a restart")
                    known.update(writer.acknowledged)
                    for name, value in writer.attempted.items():
                        if name in known:  # an update that may have been committed, unheard
                            known[name] = (known[name][0], known[name][1], {known[name][2], value})
                positions = [w.next for w in writers]
            server = harness.Server(data_dir=directory).start()
            self.verify(server, known)
            self.assertEqual(server.stop(), 0)

    def verify(self, server, known):
        listed = server.get("/api/v1/namespaces/default/configmaps").json()
        items = {i["metadata"]["name"]: i for i in listed["items"]}
        self.assertEqual(len(items), len(listed["items"]), "no object appears twice")
        for name, (uid, revision, value) in known.items():
            self.assertIn(name, items, "an acknowledged object is gone")
            self.assertEqual(items[name]["metadata"]["uid"], uid)
            self.assertGreaterEqual(int(items[name]["metadata"]["resourceVersion"]), revision)
            self.assertIn(items[name]["data"]["n"], value if isinstance(value, set) else {value})
        return int(listed["metadata"]["resourceVersion"])


if __name__ == "__main__":
    unittest.main()
