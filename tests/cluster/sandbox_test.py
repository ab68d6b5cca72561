"""A sandbox leaves nothing behind, however it ends: no process, mount, network device, cgroup or changed sysctl.

Needs root and namespaces; where they cannot be had, there is nothing to test.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import machine
import nodes
import sandbox

PROBES = ("vm/overcommit_memory", "kernel/panic")


def lacks():
    """Why there can be no sandbox here; None if there can."""
    if os.geteuid() != 0:
        return "only root may make namespaces"
    trial = subprocess.run(["unshare", "--pid", "--net", "--mount", "--fork", "true"], capture_output=True, check=False)
    if trial.returncode != 0:
        return "no namespaces of one's own"
    try:
        for root in machine.cgroup_folders():
            (root / f"keelson-trial-{os.getpid()}").mkdir()
            (root / f"keelson-trial-{os.getpid()}").rmdir()
    except OSError as error:
        return f"no cgroup can be made: {error}"
    return None if machine.cgroup_folders() else "no cgroups"


LACKS = lacks() if sys.argv[1:2] != ["run"] else None


def work(world):
    """Makes one of each thing that could stay, in a process that nobody would end."""
    folder = world.folder
    nodes.join_network()
    sandbox.hide_machine()
    for name, value in sandbox.MACHINE_SYSCTLS.items():
        assert pathlib.Path("/proc/sys", name).read_text().strip() == str(value), name
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder / "mounted"], check=True)
    (folder / "mounted" / "file").write_text("seen inside only")
    stray = subprocess.Popen(["tail", "-f", folder / "stray"], start_new_session=True)
    sandbox.make_cgroup(f"{world.cgroup}/below")
    for root in machine.cgroup_folders():
        (root / world.cgroup / "below" / "cgroup.procs").write_text(str(stray.pid))
        frozen = root / world.cgroup / "below" / "freezer.state"
        if frozen.exists():  # as a runtime leaves a container that it was about to end
            frozen.write_text("FROZEN")
    world.say_ready(world.cgroup)
    while True:
        time.sleep(60)


def start(folder, how):
    """As `python3 sandbox_test.py run FOLDER HOW`: the caller of a sandbox."""
    def when_ready(told):
        (folder / "ready").write_text(told)
        return 7 if how == "return" else None
    sys.exit(sandbox.run(work, folder, when_ready, clean=lambda: (folder / "cleaned").touch()))


@unittest.skipIf(LACKS, LACKS)
class SandboxTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="keelson-sandbox-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "mounted").mkdir()
        (self.folder / "stray").touch()
        self.before = self.seen()

    def seen(self):
        """What of the machine could be changed."""
        return {"sysctls": [pathlib.Path("/proc/sys", name).read_text() for name in PROBES],
                "devices": sorted(os.listdir("/sys/class/net")),
                "forwarding": pathlib.Path("/proc/sys/net/ipv4/ip_forward").read_text(),
                "mounts": str(self.folder) in pathlib.Path("/proc/self/mountinfo").read_text()}

    def run_until_ready(self, how):
        caller = subprocess.Popen([sys.executable, __file__, "run", self.folder, how])
        self.addCleanup(caller.wait)
        self.addCleanup(lambda: caller.poll() is None and caller.kill())
        self.until(lambda: (self.folder / "ready").exists() and (self.folder / "ready").read_text(), "it is ready")
        self.cgroup = (self.folder / "ready").read_text()
        return caller

    def until(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"not within a minute: {what}")
            time.sleep(0.05)

    def strays(self):
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = file.read_bytes().split(b"\0")
            except OSError:
                continue
            if any(word.startswith(str(self.folder).encode()) for word in words):
                found.append(words)
        return found

    def cgroups(self):
        return [root / self.cgroup for root in machine.cgroup_folders() if (root / self.cgroup).exists()]

    def assert_nothing_is_left(self):
        self.until(lambda: not self.strays(), "its processes are gone")
        self.until(lambda: not self.cgroups(), "its cgroups are gone")
        self.assertEqual(self.seen(), self.before)
        self.assertEqual(list((self.folder / "mounted").iterdir()), [])
        self.assertEqual(list(self.folder.glob(".scratch-*")), [])

    def test_it_ends_when_its_caller_is_through(self):
        caller = self.run_until_ready("return")
        self.assertEqual(caller.wait(60), 7)
        self.assertTrue((self.folder / "cleaned").exists())
        self.assert_nothing_is_left()

    def test_it_ends_when_its_caller_is_told_to(self):
        for number in signal.SIGTERM, signal.SIGINT:
            with self.subTest(number):
                caller = self.run_until_ready("wait")
                self.assertEqual(self.seen(), self.before)
                self.assertEqual(len(self.cgroups()), len(machine.cgroup_folders()))
                caller.send_signal(number)
                self.assertEqual(caller.wait(60), 0)
                self.assert_nothing_is_left()
                (self.folder / "ready").unlink()

    def test_it_ends_when_its_caller_is_killed(self):
        self.run_until_ready("wait").kill()
        self.until((self.folder / "cleaned").exists, "it is cleaned")
        self.assert_nothing_is_left()

    def test_its_processes_end_when_its_guardian_is_killed(self):
        caller = self.run_until_ready("wait")
        os.kill(int(self.cgroup.removeprefix(sandbox.CGROUP_PREFIX)), signal.SIGKILL)
        caller.wait(60)
        if not any(root.name == "freezer" for root in machine.cgroup_folders()):
            self.until(lambda: not self.strays(), "its processes are gone")
        sandbox.remove_remains()  # as the next one does; what is frozen does not end before
        for left in self.folder.glob(".scratch-*"):
            subprocess.run(["rm", "-r", left], check=True)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        start(pathlib.Path(sys.argv[2]), sys.argv[3])
    unittest.main()
