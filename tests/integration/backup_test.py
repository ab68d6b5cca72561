"""keelson backup, restore and check."""

import pathlib
import stat
import subprocess
import tempfile
import threading
import unittest

import harness

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def run(*args, code=0):
    done = subprocess.run([harness.BINARY, *map(str, args)], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, f"{args}: {done.returncode} {done.stdout} {done.stderr}"
    return done.stdout + done.stderr


def names(server):
    return {item["metadata"]["name"] for item in server.get(CONFIG_MAPS).json()["items"]}


class Backup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_running_server_is_backed_up_and_restored_elsewhere(self):
        file = self.folder / "backup"
        made, stop = [], threading.Event()
        with harness.Server(data_dir=self.folder / "old") as server:
            def write():
                while not stop.is_set():
                    name = f"c{len(made)}"
                    if server.post(CONFIG_MAPS, {"metadata": {"name": name}, "data": {"a": "x" * 5000}}).status == 201:
                        made.append(name)

            writer = threading.Thread(target=write)
            writer.start()
            try:
                harness.wait_until(lambda: len(made) > 20, "some writes")
                before = set(made)
                self.assertIn("backed up", run("backup", file, "--data-dir", self.folder / "old"))
                after = set(made)
                self.assertIn("sound", run("check", "--data-dir", self.folder / "old"))
            finally:
                stop.set()
                writer.join()
            object_before = server.get(f"{CONFIG_MAPS}/c0").json()
            ahead = server.post(CONFIG_MAPS, {"metadata": {"name": "later"}}).json()["metadata"]["resourceVersion"]
            server.stop()
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertIn("sound", run("check", file))

        self.assertIn("restored", run("restore", file, "--data-dir", self.folder / "new"))
        key = (self.folder / "old" / "encryption.yaml").read_text()
        (self.folder / "new" / "encryption.yaml").write_text(key)
        with harness.Server(data_dir=self.folder / "new") as server:
            restored = names(server)
            self.assertLessEqual(before, restored)
            # One write may have been under way.
            self.assertLessEqual(len(restored - after - {"kube-root-ca.crt"}), 1)
            self.assertEqual(server.get(f"{CONFIG_MAPS}/c0").json(), object_before)
            # Who had seen more than there is now must start over, and cannot mistake new for old.
            watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={ahead}")
            try:
                event = watch.next()
                self.assertEqual((event["type"], event["object"]["code"]), ("ERROR", 410))
            finally:
                watch.close()
            made = server.post(CONFIG_MAPS, {"metadata": {"name": "new"}}).json()
            self.assertGreater(int(made["metadata"]["resourceVersion"]), int(ahead))

    def test_what_is_there_is_not_overwritten(self):
        with harness.Server(data_dir=self.folder / "d") as server:
            file = self.folder / "backup"
            run("backup", file, "--data-dir", self.folder / "d")
            self.assertIn("exists already", run("backup", file, "--data-dir", self.folder / "d", code=1))
            self.assertIn("in use by another process", run("restore", file, "--data-dir", self.folder / "d", code=1))
            server.stop()
        self.assertIn("already", run("restore", file, "--data-dir", self.folder / "d", code=1))

    def test_damage_is_found(self):
        with harness.Server(data_dir=self.folder / "d") as server:
            for i in range(50):
                server.post(CONFIG_MAPS, {"metadata": {"name": f"c{i}"}, "data": {"a": "x" * 1000}})
            server.stop()
        file = self.folder / "backup"
        run("backup", file, "--data-dir", self.folder / "d")
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        self.assertIn("checksum does not match", run("check", file, code=1))
        self.assertIn("checksum does not match", run("restore", file, "--data-dir", self.folder / "e", code=1))
        file.write_bytes(data[:1000])
        self.assertIn("cut off", run("check", file, code=1))
        self.assertIn("no embedded store", run("check", "--data-dir", self.folder / "none", code=1))


if __name__ == "__main__":
    unittest.main()
