#!/usr/bin/env python3
"""What an innocent client notices of thousands of hostile ones: its p99 beside its quiet p99, failed requests, and
the server's memory.

    python3 tests/robustness/hostile_clients.py --binary build/keelson [--scale 0.1] [--seconds 60] [--only REGEX]

Hostile are: connections that say nothing, or nothing after their handshake, or stop in the middle of it; slow ones,
which send heads and bodies and read lists a few bytes at a time; floods after a failed handshake; and requests that
once cost the server seconds or hundreds of megabytes. Each of these requests is first tried on a server of its own:
one that stops it is told of and left out, so that the run measures the others.

All of it comes from addresses of 127.0.0.0/8, and from processes that leave the processor to the server and to the
innocent client.
"""

import argparse
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import resource
import selectors
import socket
import ssl
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import harness  # noqa: E402

# At scale 1.
IDLE, HALF_OPEN, SLOW, FLOODING, UNFINISHED = 10_000, 2_000, 300, 16, 300
MAX_RATIO, MAX_RSS_MB = 10, 250
OPEN_SECONDS = 90  # then the measuring begins, whatever is open
NAMESPACE = "/api/v1/namespaces/default"


class Target:
    """Where the server is, and who may ask it."""

    def __init__(self, server):
        self.port, self.server = server.port, server
        self._addresses = itertools.cycle([f"127.0.{i}.{j}" for i in range(1, 3) for j in range(1, 26)])

    def socket(self, timeout=20.0, receive_buffer=0):
        """A connection from the next of fifty addresses."""
        s = socket.socket()
        s.settimeout(timeout)
        if receive_buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        s.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT: the port is chosen by connect
        s.bind((next(self._addresses), 0))
        s.connect(("127.0.0.1", self.port))
        return s

    def tls(self, client="anonymous", alpn="http/1.1", **kwargs):
        context = self.server.tls(client)
        context.set_alpn_protocols([alpn])
        return context.wrap_socket(self.socket(**kwargs), server_hostname="127.0.0.1")


def client_hello(target):
    out = ssl.MemoryBIO()
    handshake = target.server.tls("anonymous").wrap_bio(ssl.MemoryBIO(), out, server_hostname="127.0.0.1")
    try:
        handshake.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


# ---- connections: each of these makes one that is then kept

def silent(target):
    return target.socket()


def silent_after_handshake(target):
    return target.tls()


def half_open(target, hello=[]):
    if not hello:
        hello.append(client_hello(target))
    s = target.socket()
    s.sendall(hello[0])
    return s


def unfinished_head(target):
    """HTTP/2: 5 KB that stand for a head of a megabyte, which does not end."""
    value = b"v" * 4000
    size = bytes([0x7F, 0x80 | (len(value) - 127) & 0x7F, (len(value) - 127) >> 7])
    block = b"\x82\x87\x84\x40\x03x-a" + size + value + b"\xbe" * 240
    s = target.tls(alpn="h2")
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0" +
              len(block).to_bytes(3, "big") + b"\1\0\0\0\0\1" + block)
    return s


def keep(target, kinds, ready, stop):
    """Keeps so many connections of each kind open; what the server closes is opened again."""
    selector = selectors.DefaultSelector()
    missing = [make for make, count in kinds for _ in range(count)]
    told = False
    while not stop.is_set():
        begun = time.monotonic()
        while missing and time.monotonic() - begun < 0.5:
            make = missing.pop()
            try:
                s = make(target)
                s.setblocking(False)
                selector.register(s, selectors.EVENT_READ, make)
            except OSError:
                missing.append(make)
                time.sleep(0.01)
        if not missing and not told:
            told = True
            ready.release()
        for key, _ in selector.select(0.05):
            try:
                if key.fileobj.recv(65536):
                    continue
            except (ssl.SSLWantReadError, BlockingIOError):
                continue
            except OSError:
                pass
            selector.unregister(key.fileobj)
            key.fileobj.close()
            missing.append(key.data)


# ---- slow and flooding clients, one call each for as long as the connection lasts

def slow_head(target, stop):
    s = target.tls()
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    while not stop.wait(1):
        s.sendall(b"x")


def slow_body(target, stop):
    s = target.tls("admin")
    s.sendall(b"POST " + NAMESPACE.encode() + b"/configmaps HTTP/1.1\r\nHost: x\r\n"
              b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
    while not stop.wait(1):
        s.sendall(b" ")


def slow_reader(target, stop):
    s = target.tls("admin", receive_buffer=4096)
    s.sendall(b"GET " + NAMESPACE.encode() + b"/configmaps HTTP/1.1\r\nHost: x\r\n\r\n")
    while not stop.wait(1):
        if not s.recv(100):
            return


def flood(target, stop):
    s = target.socket()
    garbage = b"g" * 65536
    while not stop.is_set():
        s.sendall(garbage)


def repeat(what, target, stop):
    while not stop.is_set():
        try:
            what(target, stop)
        except (OSError, http.client.HTTPException):
            stop.wait(0.1)


def run_threads(target, what, count, stop):
    threads = [threading.Thread(target=repeat, args=(what, target, stop), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    stop.wait()


# ---- requests that cost more than they should

def send(target, method, path, body=None, headers=(), client="admin", timeout=20):
    connection = http.client.HTTPSConnection("127.0.0.1", target.port, timeout=timeout,
                                             context=target.server.tls(client))
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def many_headers(target):
    send(target, "GET", "/version", headers=[(f"x-remote-extra-{i}", "") for i in range(40_000)], client="anonymous")


def long_selector(target):
    values = ",".join(f"_{i}" for i in range(30_000))
    send(target, "GET", f"/api/v1/pods?labelSelector=a%20in%20({values})", client="anonymous")


def post_yaml(target, text):
    send(target, "POST", NAMESPACE + "/configmaps?dryRun=All", text.encode(), [("Content-Type", "application/yaml")])


def merge_bomb(target):
    levels = ["a0: &a0 {}"] + [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 30)]
    post_yaml(target, "\n".join(levels) + "\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n")


def tag_lines(target):
    lines = "".join(f"%TAG !t{i}! tag:example.com,{i}:\n" for i in range(60_000))
    post_yaml(target, lines + "---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n")


def post_pod(target, spec, metadata):
    body = json.dumps({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x", **metadata},
                       "spec": {"containers": [{"name": "c", "image": "i"}], **spec}})
    send(target, "POST", NAMESPACE + "/pods?dryRun=All", body.encode(), [("Content-Type", "application/json")])


def many_constraints(target):
    post_pod(target, {"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": f"k{i}", "whenUnsatisfiable": "DoNotSchedule"} for i in range(30_000)]}, {})


def many_bad_labels(target):
    post_pod(target, {}, {"labels": {f"-{i}": "" for i in range(100_000)}})


def many_managers(target):
    post_pod(target, {}, {"managedFields": [
        {"manager": f"m{i}", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
         "fieldsV1": {}} for i in range(20_000)]})


ATTACKS = [many_headers, long_selector, merge_bomb, tag_lines, many_constraints, many_bad_labels, many_managers]


def attack(target, attacks, stop):
    while not stop.is_set():
        for one in attacks:
            try:
                one(target)
            except (OSError, http.client.HTTPException):
                pass
            if stop.wait(0.2):
                return


def harmless_attacks(attacks, seconds=5.0):
    """Those after which a server of their own still answers others in time."""
    usable = []
    for one in attacks:
        server = harness.Server("--storage-backend=memory")
        with server:
            attacker = threading.Thread(target=lambda: attack_once(one, Target(server)), daemon=True)
            attacker.start()
            deadline, slowest = time.monotonic() + seconds, 0.0
            try:
                while attacker.is_alive() and time.monotonic() < deadline:
                    begun = time.monotonic()
                    server.get("/livez", client="anonymous", timeout=seconds)
                    slowest = max(slowest, time.monotonic() - begun)
            except OSError:
                slowest = seconds
            if slowest < 1.0 and not attacker.is_alive():
                usable.append(one)
            else:
                print(f"left out: {one.__name__} holds up others for {slowest:.1f} s", flush=True)
    return usable


def attack_once(one, target):
    try:
        one(target)
    except (OSError, http.client.HTTPException):
        pass


# ---- the innocent client

class Innocent:
    """Reads and writes over a connection that it keeps, and asks for health over new ones."""

    def __init__(self, server):
        self.server = server
        self.kept, self.new, self.failures = [], [], []
        self._connection = None
        self._names = itertools.count()

    def _one(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body else {}
        try:
            if self._connection is None:
                self._connection = self.server.connect(timeout=60)
                self._connection.connect()
            begun = time.monotonic()
            self._connection.request(method, path, body=json.dumps(body) if body else None, headers=headers)
            response = self._connection.getresponse()
            response.read()
            self.kept.append(time.monotonic() - begun)
            if response.status >= 400:
                self.failures.append(f"{method} {path}: {response.status}")
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"{method} {path}: {error!r}")
            self._connection = None

    def _health(self):
        begun = time.monotonic()
        try:
            got = self.server.get("/readyz", client="anonymous", timeout=60)
            self.new.append(time.monotonic() - begun)
            if got.status != 200:
                self.failures.append(f"readyz: {got.status}")
        except OSError as error:
            self.failures.append(f"readyz: {error!r}")

    def run(self, seconds):
        deadline = time.monotonic() + seconds
        for i in itertools.count():
            if time.monotonic() > deadline:
                return
            if i % 20 == 19:
                self._health()
            elif i % 10 == 4:
                self._one("PUT", NAMESPACE + "/configmaps/innocent",
                          {"metadata": {"name": "innocent"}, "data": {"n": str(next(self._names))}})
            elif i % 10 == 9:
                self._one("GET", NAMESPACE + "/configmaps?limit=5")
            else:
                self._one("GET", NAMESPACE + "/configmaps/innocent")
            time.sleep(0.002)


def p99(samples):
    return sorted(samples)[int(len(samples) * 0.99)] if samples else float("nan")


def rss_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


class Report:
    def __init__(self):
        self.quiet, self.hostile, self.failures, self.rss, self.rss_before, self.requests = {}, {}, [], 0.0, 0.0, 0
        self.all_open = False

    def ratio(self):
        return max(self.hostile[kind] / self.quiet[kind] for kind in ("kept", "new"))

    def show(self):
        for kind, words in (("kept", "requests on a kept connection"), ("new", "health checks on a new connection")):
            print(f"p99 of {words}: quiet {self.quiet[kind] * 1000:.1f} ms, hostile {self.hostile[kind] * 1000:.1f} ms"
                  f" ({self.hostile[kind] / self.quiet[kind]:.1f} times)")
        print(f"requests of the innocent client: {self.requests}, failed: {len(self.failures)}")
        for failure in self.failures[:10]:
            print("  ", failure)
        print(f"resident memory of the server: {self.rss_before:.0f} MB before, {self.rss:.0f} MB at most")


def fill(server):
    connection = server.connect()
    for i in range(200):
        connection.request("POST", NAMESPACE + "/configmaps", body=json.dumps(
            {"metadata": {"name": f"large-{i}"}, "data": {"k": "x" * 10_000}}), headers={"Content-Type": "application/json"})
        connection.getresponse().read()
    connection.request("POST", NAMESPACE + "/configmaps", body=json.dumps({"metadata": {"name": "innocent"}}),
                       headers={"Content-Type": "application/json"})
    connection.getresponse().read()
    connection.close()


def start(what, *args):
    def run():
        os.nice(19)
        what(*args)
    process = multiprocessing.get_context("fork").Process(target=run, daemon=True)
    process.start()
    return process


def measure(scale=1.0, seconds=30.0, attacks=(), log=lambda *_: None):
    """Starts a server, measures in quiet and under attack, and gives a Report."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    report = Report()
    part = lambda count: max(1, int(count * scale))  # noqa: E731
    with harness.Server() as server:
        fill(server)
        target, stop = Target(server), multiprocessing.Event()
        quiet = Innocent(server)
        quiet.run(2)  # warm
        quiet.kept, quiet.new = [], []
        quiet.run(max(2.0, seconds / 3))
        report.quiet, report.failures = {"kept": p99(quiet.kept), "new": p99(quiet.new)}, quiet.failures
        report.rss_before = rss_mb(server.process.pid)

        connections = [[(silent, part(IDLE) // 2)], [(silent_after_handshake, part(IDLE) - part(IDLE) // 2)],
                       [(half_open, part(HALF_OPEN))], [(unfinished_head, part(UNFINISHED))]]
        ready = multiprocessing.Semaphore(0)
        hostile = [start(keep, target, kinds, ready, stop) for kinds in connections]
        hostile += [start(run_threads, target, what, max(1, part(SLOW) // 3), stop)
                    for what in (slow_head, slow_body, slow_reader)]
        hostile.append(start(run_threads, target, flood, part(FLOODING), stop))
        if attacks:
            hostile.append(start(attack, target, attacks, stop))
        innocent, done = Innocent(server), threading.Event()

        def watch_memory():
            while not done.wait(0.2):
                try:
                    report.rss = max(report.rss, rss_mb(server.process.pid))
                except (OSError, AttributeError):
                    return

        watcher = threading.Thread(target=watch_memory, daemon=True)
        watcher.start()
        try:
            begun = time.monotonic()
            opened = sum(ready.acquire(timeout=max(0.0, begun + OPEN_SECONDS - time.monotonic())) for _ in connections)
            log(f"{opened} of {len(connections)} kinds of connections are all open after {time.monotonic() - begun:.1f} s")
            report.all_open = opened == len(connections)
            innocent.run(seconds)
        finally:
            stop.set()
            done.set()
            for process in hostile:
                process.join(5)
                if process.is_alive():
                    process.kill()
            watcher.join()
        report.hostile = {"kept": p99(innocent.kept), "new": p99(innocent.new)}
        report.failures += innocent.failures
        report.requests = len(innocent.kept) + len(innocent.new)
        if server.process.poll() is not None:
            report.failures.append("the server has ended")
        else:
            after = server.get("/livez", client="anonymous", timeout=60)
            if after.status != 200:
                report.failures.append(f"livez afterwards: {after.status}")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=harness.BINARY)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the hostile connections")
    parser.add_argument("--seconds", type=float, default=30.0, help="of measuring under attack")
    parser.add_argument("--only", default="", help="regex: costly requests to send")
    arguments = parser.parse_args()
    harness.BINARY = os.path.abspath(arguments.binary)
    attacks = harmless_attacks([one for one in ATTACKS if re.search(arguments.only, one.__name__)])
    print("costly requests:", ", ".join(one.__name__ for one in attacks), flush=True)
    report = measure(arguments.scale, arguments.seconds, attacks, print)
    report.show()
    held = not report.failures and report.all_open and report.ratio() < MAX_RATIO and report.rss < MAX_RSS_MB
    print("held" if held else
          f"NOT held: at most {MAX_RATIO} times the quiet p99, {MAX_RSS_MB} MB, no failure, all connections opened")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
