"""A world of its own for a cluster: whatever is started in it ends with it, and leaves nothing on the machine.

    caller      of run(): on the machine itself; says when the world shall end, if by its own end
    guardian    a session of its own, which signals do not end; cleans up after the world, whatever happened to both
    first       process 1 of a PID namespace, with mounts and a network of its own; reaps
    worker      does the work

When `first` ends, the kernel kills every process of its namespace, and with the last of them the mounts and network
devices go. What is left is what the guardian removes: cgroups, and the folder for temporary files.

The sysctls that a kubelet sets for the whole machine are not set: here they look as if they were.
"""

import ctypes
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import machine

CLONE_NEWPID = 0x20000000
PR_SET_PDEATHSIG = 1
CGROUP_PREFIX = "keelson-cluster-"  # followed by the guardian's process number
STOP_SECONDS = 60  # for a worker that was told to end

# What kubelet wants them to be.
MACHINE_SYSCTLS = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
                   "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000}


def _libc(function, *args):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*args) != 0:
        raise OSError(ctypes.get_errno(), f"{function}: {os.strerror(ctypes.get_errno())}")


class World:
    """What the work is told of its surroundings."""

    def __init__(self, folder, cgroup, ready):
        self.folder, self.cgroup, self._ready = folder, cgroup, ready

    def say_ready(self, text):
        """Tells the caller of run() that everything is up."""
        os.write(self._ready, text.encode())
        os.close(self._ready)


def run(work, folder, when_ready=lambda told: None, inherit=(), clean=lambda: None):
    """Runs work(world) in a world of its own and returns its exit status, after everything of it is gone.

    The world lasts until the work returns, or until this process is told to end. `when_ready` runs here, with what
    say_ready() told; if it returns a status, the world ends, and that is the status. `inherit` are descriptors that the
    worker keeps; `clean` is called when the world is gone, whatever happened.
    """
    remove_remains()
    folder.mkdir(parents=True, exist_ok=True)
    alive, end = os.pipe()
    is_ready, ready = os.pipe()
    sys.stdout.flush()
    guardian = os.fork()
    if guardian == 0:
        os.close(end)
        os.close(is_ready)
        _exit_with(lambda: _guard(work, folder, alive, ready, inherit, clean))
    os.close(alive)
    os.close(ready)
    status = None
    try:
        with _raising_on_signals():
            told = os.read(is_ready, 65536).decode()
            if told:
                status = when_ready(told)
            if status is None:
                os.waitid(os.P_PID, guardian, os.WEXITED | os.WNOWAIT)
    except (KeyboardInterrupt, SystemExit):
        status = status or 0
        print("\nstopping", flush=True)
    finally:
        os.close(end)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        ended = os.waitstatus_to_exitcode(os.waitpid(guardian, 0)[1])
    return ended if status is None else status


class _raising_on_signals:
    """SIGTERM and SIGHUP end what is waited for, as SIGINT does."""

    def __enter__(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(0))

    def __exit__(self, *_):
        return False


def _exit_with(function):
    """Ends this process with what the function returns, without what the parent would do at its end."""
    status = 1
    try:
        status = function()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr, flush=True)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)


# --- the guardian ---

def _guard(work, folder, alive, ready, inherit, clean):
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    cgroup = f"{CGROUP_PREFIX}{os.getpid()}"
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=".scratch-", dir=folder))
    status = 1
    try:
        make_cgroup(cgroup)
        _libc("unshare", CLONE_NEWPID)
        first = os.fork()
        if first == 0:
            os.close(alive)
            _exit_with(lambda: _be_first(work, World(folder, cgroup, ready), scratch, inherit))
        os.close(ready)
        status = _wait_for(first, alive, cgroup)
    finally:
        remove_cgroup(cgroup)
        shutil.rmtree(scratch, ignore_errors=True)
        clean()
    return status


def _wait_for(first, alive, cgroup):
    """Until it ends, or until nobody is left who wants it. It has not ended before all processes of its namespace have."""
    descriptor = os.pidfd_open(first)
    readable, _, _ = select.select([alive, descriptor], [], [])
    if descriptor not in readable:
        os.kill(first, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while not select.select([descriptor], [], [], 1)[0]:
            if time.monotonic() > deadline:
                os.kill(first, signal.SIGKILL)
            thaw(cgroup)
    return max(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]), 0)


# --- inside ---

def _be_first(work, world, scratch, inherit):
    _libc("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    tempfile.tempdir = str(scratch)
    os.environ["TMPDIR"] = str(scratch)
    worker = os.fork()
    if worker == 0:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _exit_with(lambda: work(world))
    os.close(world._ready)  # pylint: disable=protected-access
    for descriptor in inherit:
        os.close(descriptor)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(worker, signal.SIGTERM))
    while True:
        try:
            ended, status = os.wait()
        except InterruptedError:
            continue
        if ended == worker:
            _end_all(world.cgroup)
            return max(os.waitstatus_to_exitcode(status), 0)


def _end_all(cgroup):
    """Kills and reaps every other process of the namespace."""
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            thaw(cgroup)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
    except (ProcessLookupError, ChildProcessError):
        pass  # there is none


def hide_machine():
    """Shows this process, which has mounts of its own, its own processes, and sysctls that need no change."""
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    shown = pathlib.Path(tempfile.mkdtemp(prefix="sysctl-"))
    for name, value in MACHINE_SYSCTLS.items():
        file = shown / name.replace("/", "-")
        file.write_text(f"{value}\n")
        subprocess.run(["mount", "--bind", file, f"/proc/sys/{name}"], check=True)


class Relay:
    """Passes the connections of a listening socket of the machine's network on to an address of this one's."""

    def __init__(self, listener, address):
        self._listener, self._address = listener, address
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._address)
            except OSError:
                time.sleep(0.1)
                continue
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pass_on(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


# --- cgroups ---

def make_cgroup(name):
    """A cgroup in every hierarchy, with what its parent has."""
    for root in machine.cgroup_folders():
        folder = root / name
        if root == machine.CGROUPS:  # v2: the parent hands its controllers on
            _hand_on(folder.parent)
            folder.mkdir()
            continue
        folder.mkdir()
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if (folder / setting).exists():
                (folder / setting).write_text((root / setting).read_text())


def _hand_on(folder):
    for controller in (folder / "cgroup.controllers").read_text().split():
        try:
            (folder / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError:
            pass  # one that cannot be handed on, such as rdma where it is in use


def thaw(name):
    """Lets processes go on that a runtime has frozen to end them: with cgroup v1 nothing else does, not even SIGKILL."""
    for root in machine.cgroup_folders():
        for file in (root / name).rglob("freezer.state"):
            try:
                file.write_text("THAWED")
            except OSError:
                pass  # gone meanwhile


def remove_cgroup(name):
    """With those below, whose processes are gone or about to be."""
    deadline = time.monotonic() + 10
    for root in machine.cgroup_folders():
        for folder, _, _ in os.walk(root / name, topdown=False):
            while True:
                try:
                    os.rmdir(folder)
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        print(f"error: {folder} cannot be removed", file=sys.stderr)
                        break
                    time.sleep(0.05)


def remove_remains():
    """The cgroups of guardians that were killed, and processes that were frozen in them then."""
    for root in machine.cgroup_folders():
        for folder in root.glob(f"{CGROUP_PREFIX}*"):
            if not pathlib.Path("/proc", folder.name.removeprefix(CGROUP_PREFIX)).exists():
                thaw(folder.name)
                remove_cgroup(folder.name)
