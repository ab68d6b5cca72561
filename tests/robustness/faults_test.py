"""Servers, etcd, connections and disks fail under clients that write, read and watch; what they were told must still
be what a correct store could have told them (history.py).

$KEELSON_FAULT_ROUNDS is how often each fault happens in a run; 50 or more for a thorough one.
"""

import datetime
import itertools
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (the folder is only known now)
from etcd import Etcd, EtcdCluster  # noqa: E402
from load import CONFIG_MAPS, Client, Load  # noqa: E402
from ports import free_port  # noqa: E402

ROUNDS = int(os.environ.get("KEELSON_FAULT_ROUNDS", "4"))
PATH = CONFIG_MAPS.path
LARGE = "/api/v1/namespaces/large/configmaps"


class Proxy:
    """Between a server and etcd; cut() takes all connections down and refuses new ones until mend()."""

    def __init__(self, url):
        host, _, port = url.removeprefix("http://").partition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open, self._lock, self._cut = set(), threading.Lock(), False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                cut = self._cut
            try:
                far = None if cut else socket.create_connection(self._target, timeout=5)
            except OSError:
                far = None
            if far is None:
                near.close()
                continue
            with self._lock:
                self._open |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        self._end({source, sink})
        source.close()

    def _end(self, sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self._lock:
            self._open -= sockets

    def cut(self):
        with self._lock:
            self._cut, sockets = True, set(self._open)
        self._end(sockets)

    def mend(self):
        with self._lock:
            self._cut = False

    def close(self):
        self._listener.close()
        self.cut()


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def server(self, *args):
        """Comes back on the same port."""
        server = harness.Server(*args, data_dir=self.folder / "data", port=free_port())
        self.addCleanup(server.close)
        return server.start()

    def etcd(self):
        etcd = Etcd()
        self.addCleanup(etcd.close)
        return etcd.start()

    def rounds(self, server, fault, relists_allowed=False):
        """Lets `fault` happen again and again, and judges what was seen."""
        with Load(server) as load:
            for _ in range(ROUNDS):
                load.some()
                fault()
            load.some()
        problems = load.problems()
        self.assertEqual(problems[:5], [], f"{len(problems)} problems")
        if not relists_allowed:
            self.assertEqual([follower.relists for follower in load.followers], [1, 1, 1])
        self.assertGreater(sum(op.outcome == "ok" for op in load.history.operations), 20 * ROUNDS)

    def test_the_server_is_killed(self):
        server = self.server()

        def fault():
            server.kill()
            server.start()
        # Watches go on where they were: the store remembers what the new server's cache has not seen.
        self.rounds(server, fault)

    def test_the_disk_is_full(self):
        server = self.server_on_a_small_disk()
        disk = pathlib.Path(f"/proc/{server.process.pid}/root{self.folder}/data/db")
        reader = Client(server)

        def fault():
            self.take_the_last_byte(disk / "filler")
            refused = harness.wait_until(lambda: self.refused_write(server), "a write is refused")
            self.assertGreaterEqual(refused.status, 500)
            self.assertEqual(refused.json()["kind"], "Status", refused)
            self.assertEqual(reader.ask("GET", PATH)[0], 200)
            self.assertEqual(server.get("/readyz").status, 500)
            (disk / "filler").unlink()
            harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again")
        self.rounds(server, fault)
        reader.close()

    def test_the_disk_is_full_of_history(self):
        # Twice what fits on it, and nobody helps: history must go before its time.
        server = self.server_on_a_small_disk("--etcd-compaction-interval=1h")
        disk = pathlib.Path(f"/proc/{server.process.pid}/root{self.folder}/data/db")
        done = failed = 0
        while done < 1200:
            status = self.write_much(server).status
            done += status == 200
            failed += status >= 500
            self.assertLess(failed, 200, f"stuck after {done} writes")
            if status >= 500:
                self.assertEqual(server.get(PATH).status, 200)
                harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again")
        self.assertEqual(server.get("/readyz").status, 200)
        ballast = os.stat(disk / "ballast")
        self.assertGreaterEqual(ballast.st_blocks * 512, 24 << 20, "it is ready for the next time")

    def test_the_server_is_killed_when_the_disk_is_full_of_history(self):
        server = self.server_on_a_small_disk("--etcd-compaction-interval=1h", comes_back=True)
        for _ in range(2):
            while self.write_much(server).status == 200:
                pass
            # It opens a database that has no room to be opened, or one that was making room.
            time.sleep(random.uniform(0, 2))
            os.kill(self.served_by_a_shell(server), signal.SIGKILL)
            client = Client(server)
            harness.wait_until(lambda: client.ask("GET", PATH)[0] == 200, "it is back")
            client.close()
            # The disk may fill up once more before it has made room.
            for _ in range(100):
                harness.wait_until(lambda: self.write_much(server).status == 200, "it takes writes")

    def test_the_disk_is_full_of_live_data(self):
        server = self.server_on_a_small_disk()
        names = self.fill_with_live_data(server)
        self.assertEqual(server.get("/readyz").status, 500)
        self.delete_a_way_out(server, names)

    def test_the_server_is_killed_when_the_disk_is_full_of_live_data(self):
        server = self.server_on_a_small_disk(comes_back=True)
        names = self.fill_with_live_data(server)
        disk = pathlib.Path(f"/proc/{server.process.pid}/root{self.folder}/data/db")
        for others_fill_it in (False, True):
            filler = disk / "filler"
            if others_fill_it:
                self.take_the_last_byte(filler)
            os.kill(self.served_by_a_shell(server), signal.SIGKILL)
            client = Client(server)
            harness.wait_until(lambda: client.ask("GET", f"{LARGE}/{names[-1]}")[0] == 200, "it is back")
            client.close()
            if others_fill_it:
                filler.unlink()
            harness.wait_until(lambda: server.delete(f"{LARGE}/{names[0]}").status == 200, "it takes a deletion")
            del names[0]
        self.delete_a_way_out(server, names)

    def fill_with_live_data(self, server):
        """Config maps until no more fit for a while; returns their names."""
        names, last = [], time.monotonic()
        while time.monotonic() - last < 3:
            name = f"live-{len(names)}"
            if self.make_large(server, name).status == 201:
                names.append(name)
                last = time.monotonic()
            else:
                time.sleep(0.05)
        self.assertGreater(len(names), 200)
        return names

    def delete_a_way_out(self, server, names):
        """Each deletion is taken, half of them make enough room, and the other half is still there."""
        half = len(names) // 2
        for name in names[:half]:
            answer = server.delete(f"{LARGE}/{name}")
            self.assertEqual(answer.status, 200, answer)
        harness.wait_until(lambda: server.get("/readyz").status == 200, "ready again", seconds=120)
        self.assertEqual(self.make_large(server, "after").status, 201)
        kept = {item["metadata"]["name"] for item in server.get(LARGE).json()["items"]}
        self.assertLessEqual(set(names[half:]), kept)

    def make_large(self, server, name):
        return server.post(LARGE, {"metadata": {"name": name}, "data": {"a": os.urandom(300000).hex()}})

    def take_the_last_byte(self, path):
        with open(path, "wb", buffering=0) as filler:
            for size in (65536, 4096):
                try:
                    while filler.write(bytes(size)):
                        pass
                except OSError:
                    pass

    def served_by_a_shell(self, server):
        children = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        shell = int(children.read_text())
        below = pathlib.Path(f"/proc/{shell}/task/{shell}/children")
        return int(harness.wait_until(lambda: below.read_text().strip(), "the shell has started a server"))

    def server_on_a_small_disk(self, compaction="--etcd-compaction-interval=5s", comes_back=False):
        """Its database is on a file system of its own, which only it sees. There is room for the history of many
        quick rounds: what fills the disk is the test's file, not what the store cannot forget yet. With `comes_back`
        the process is a shell's below ours, and started again whenever it ends."""
        server = harness.Server(compaction, data_dir=self.folder / "data", port=free_port())
        (self.folder / "data" / "db").mkdir(parents=True)
        (self.folder / "data").chmod(0o700)
        mount = f"mount -t tmpfs -o size=256m tmpfs '{self.folder}/data/db' && "
        mount += "while :; do \"$@\"; done" if comes_back else "exec \"$@\""
        own = ["--pid", "--fork", "--kill-child"] if comes_back else []
        server.args = ["unshare", "--user", "--map-root-user", "--mount", *own, "sh", "-c", mount, "sh", *server.args]
        self.addCleanup(server.close)
        server.start()
        self.assertEqual(server.post("/api/v1/namespaces", {"metadata": {"name": "large"}}).status, 201)
        self.assertEqual(server.post(LARGE, {"metadata": {"name": "large"}}).status, 201)
        return server

    def refused_write(self, server):
        """An answer to a write that was not done; what is allotted to the log already has room for some."""
        answer = self.write_much(server)
        return answer if answer.status >= 500 else None

    def write_much(self, server):
        return server.put(f"{LARGE}/large", {"metadata": {"name": "large"}, "data": {"a": os.urandom(200000).hex()}})

    def test_the_server_stands_still(self):
        server = self.server()

        def fault():
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(random.uniform(0.05, 0.5))
            server.process.send_signal(signal.SIGCONT)
        self.rounds(server, fault)

    def test_the_clock_jumps(self):
        clock = self.folder / "clock"
        clock.write_bytes(struct.pack("=q", 0))
        library = self.folder / "jumping_clock.so"
        source = pathlib.Path(__file__).with_name("jumping_clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        server = harness.Server(data_dir=self.folder / "data", port=free_port(),
                                env={"LD_PRELOAD": str(library), "JUMPING_CLOCK": str(clock),
                                     "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})
        self.addCleanup(server.close)
        server.start()
        made = itertools.count()

        def fault():
            jump = random.choice([-1, 1]) * random.randint(60, 3600)
            with open(clock, "r+b") as file:
                file.write(struct.pack("=q", jump))
            answer = server.post(LARGE.replace("large", "default"), {"metadata": {"name": f"clock-{next(made)}"}})
            self.assertEqual(answer.status, 201, answer)
            created = datetime.datetime.fromisoformat(answer.json()["metadata"]["creationTimestamp"])
            behind = abs((created - datetime.datetime.now(datetime.timezone.utc)).total_seconds() - jump)
            self.assertLess(behind, 10, "the server does not see the clock jump")
        self.rounds(server, fault)

    def test_etcd_is_killed(self):
        etcd = self.etcd()

        def fault():
            etcd.kill()
            time.sleep(random.uniform(0, 0.3))
            etcd.start()
        self.rounds(self.server(f"--etcd-servers={etcd.url}"), fault)

    def test_etcd_stands_still(self):
        etcd = self.etcd()

        def fault():
            etcd.pause()
            time.sleep(random.uniform(0.05, 1))
            etcd.resume()
        self.rounds(self.server(f"--etcd-servers={etcd.url}"), fault)

    def test_the_way_to_etcd_is_cut(self):
        proxy = Proxy(self.etcd().url)
        self.addCleanup(proxy.close)

        def fault():
            proxy.cut()
            time.sleep(random.uniform(0.05, 1))
            proxy.mend()
        self.rounds(self.server(f"--etcd-servers={proxy.url}"), fault)

    def test_the_leader_of_three_is_killed(self):
        with EtcdCluster() as cluster:
            server = self.server(f"--etcd-servers={cluster.urls}")

            def fault():
                leader = harness.wait_until(cluster.leader, "a leader")
                leader.kill()
                leader.start(wait=False)
                harness.wait_until(leader.healthy, "the member is back", seconds=60)
            self.rounds(server, fault)
            server.close()


if __name__ == "__main__":
    unittest.main()
