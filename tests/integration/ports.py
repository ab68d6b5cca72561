"""Ports that a test may tell a program to listen on, and that nobody else takes before the program does.

A port that the kernel chose and that was closed again is anybody's: the kernel gives it to the next connection
that somebody makes, and the program finds it in use. So these ports are not among those that the kernel chooses from,
and other tests see that they are taken: this process holds an abstract socket, which, like a port, belongs to one network
namespace, named after each. For example, port 21000 is taken while @keelson-test-port-21000 is bound.
"""

import errno
import pathlib
import random
import socket

LOWEST = 10000
TRIES = 1000

_held = []  # the abstract sockets, until this process ends


def _lowest_of_the_kernel():
    try:
        return int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return 32768


def _take(port):
    """Whether the port is nobody's, neither a program's nor a test's; from now on it is this process's."""
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f"\0keelson-test-port-{port}")
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(("0.0.0.0", port))
    except OSError as error:
        holder.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    _held.append(holder)
    return True


def free_port():
    end = _lowest_of_the_kernel()
    if end - LOWEST < TRIES:
        raise AssertionError(f"the kernel chooses ports from {end} on: too few are left from {LOWEST}; "
                             "raise the sysctl net.ipv4.ip_local_port_range")
    for _ in range(TRIES):
        port = random.randrange(LOWEST, end)
        if _take(port):
            return port
    raise AssertionError(f"none of {TRIES} ports from {LOWEST} to {end - 1} is free")


def free_ports(count):
    return [free_port() for _ in range(count)]
