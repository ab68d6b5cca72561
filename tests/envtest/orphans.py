"""Processes that a suite leaves behind: found and ended.

envtest gives each server a process group of its own, so that a signal to the suite's group does not reach it. A suite
that never stops its environment, that panics or that runs out of time leaves its servers to whoever adopts orphans.
"""

import ctypes
import os
import pathlib
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36  # of <linux/prctl.h>


def adopt():
    """Makes this process the parent of every process below it whose own parent ends, and lets SIGTERM raise."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def _children():
    """{process: name} of this process's children, those that ended among them."""
    found = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            process, _, rest = file.read_text(errors="replace").partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, _, fields = rest.rpartition(") ")
        if int(fields.split()[1]) == os.getpid():
            found[int(process)] = name
    return found


def end():
    """Kills all children, and those that they leave in turn; the names of those that still ran."""
    names = []
    while children := _children():
        for process, name in children.items():
            if os.waitpid(process, os.WNOHANG)[0] == 0:
                names.append(name)
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
    return sorted(names)
