"""Files of the embedded store are damaged between two runs of a server."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Damage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data_dir = pathlib.Path(folder.name) / "d"

    def write_and_kill(self, count, data="1"):
        """The newest resourceVersion that was acknowledged."""
        with harness.Server(data_dir=self.data_dir) as server:
            for i in range(count):
                made = server.post(CONFIG_MAPS, {"metadata": {"name": f"c{i}"}, "data": {"a": data}})
                self.assertEqual(made.status, 201)
            server.kill()
        return int(made.json()["metadata"]["resourceVersion"])

    def files(self, ending):
        return sorted(path for path in (self.data_dir / "db").iterdir() if path.name.endswith(ending))

    def check(self):
        done = subprocess.run([harness.BINARY, "check", "--data-dir", self.data_dir], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def refusal(self):
        server = harness.Server(data_dir=self.data_dir)
        with self.assertRaises(AssertionError) as refused:
            server.start()
        self.assertEqual(server.process.returncode, 1)
        return str(refused.exception)

    def test_a_log_that_lost_acknowledged_writes_is_refused_until_the_loss_is_accepted(self):
        told = self.write_and_kill(100)
        log = self.files(".log")[-1]
        os.truncate(log, log.stat().st_size // 2)
        message = self.refusal()
        self.assertIn(str(log), message)
        self.assertIn(f"to {told} were acknowledged and cannot be read", message)
        self.assertIn("keelson restore", message)
        self.assertIn(str(log), self.check())

        left = int(message.split("--accept-data-loss=")[1].split(")")[0])
        self.assertLess(left, told)
        with harness.Server(f"--accept-data-loss={left}", data_dir=self.data_dir) as server:
            listed = server.get(CONFIG_MAPS).json()
            self.assertGreater(int(listed["metadata"]["resourceVersion"]), told)
            self.assertLess(len(listed["items"]), 100)
            self.assertEqual(server.post(CONFIG_MAPS, {"metadata": {"name": "new"}}).status, 201)
            server.stop()
        with harness.Server(data_dir=self.data_dir) as server:
            self.assertEqual(server.get(f"{CONFIG_MAPS}/new").status, 200)

    def test_a_missing_log_is_refused_by_name(self):
        self.write_and_kill(10)
        log = self.files(".log")[-1]
        log.unlink()
        self.assertIn(f"{log} is missing", self.refusal())
        self.assertIn(f"{log} is missing", self.check())

    def test_a_damaged_table_of_live_objects_is_refused_by_name(self):
        self.write_and_kill(12, "x" * 900_000)
        with harness.Server(data_dir=self.data_dir) as server:
            server.stop()
        table = max(self.files(".sst"), key=lambda path: path.stat().st_size)
        data = bytearray(table.read_bytes())
        data[len(data) // 2] ^= 1
        table.write_bytes(data)
        self.assertIn(table.name, self.refusal())
        self.assertIn(table.name, self.check())


if __name__ == "__main__":
    unittest.main()
