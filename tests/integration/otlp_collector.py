"""A collector of spans: OTLP over gRPC, as far as an exporter uses it, and the spans that it was sent.

    with otlp_collector.Collector() as collector:
        ... --tracing-config-file with the endpoint collector.endpoint ...
        collector.trace_of("the audit id of a request")

Of HTTP/2 it speaks what one client with unary calls needs. Fields of requests are not looked at, so nothing is
decompressed: there is one method, and whoever calls another gets the same answer.
"""

import socket
import struct
import threading

import harness

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 4, 6, 8
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
KINDS = {1: "internal", 2: "server", 3: "client"}


def fields(data):
    """(number, value) of a message's fields: numbers, or bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(data):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
            continue
        size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        value = bytes(data[position:position + size])
        position += size
        yield tag >> 3, value if kind == 2 else int.from_bytes(value, "little")


def every(message, number):
    return [value for one, value in fields(message) if one == number]


def one(message, number, default=b""):
    return next(iter(every(message, number)), default)


def attributes(message, number):
    found = {}
    for pair in every(message, number):
        (kind, value), = fields(one(pair, 2))
        found[one(pair, 1).decode()] = value.decode() if kind == 1 else value
    return found


class Span:
    def __init__(self, message, resource):
        self.resource = resource
        self.trace, self.id, self.parent = (one(message, n).hex() for n in (1, 2, 4))
        self.state, self.name = one(message, 3).decode(), one(message, 5).decode()
        self.kind = KINDS.get(one(message, 6, 0))
        self.start, self.end = one(message, 7, 0), one(message, 8, 0)
        self.attributes = attributes(message, 9)
        self.events = [one(event, 2).decode() for event in every(message, 11)]
        self.links = [(one(link, 1).hex(), one(link, 2).hex()) for link in every(message, 13)]
        self.failed = one(one(message, 15), 3, 0) == 2

    def __repr__(self):
        return f"<{self.name} {self.attributes}>"


class Collector:
    """Listens from now on."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.endpoint = f"127.0.0.1:{self.port}"
        self._lock = threading.Lock()
        self._spans = []
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # A thread that waits would keep what is only closed.
        with self._lock:
            for peer in (self._listener, *self._connections):
                try:
                    peer.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                peer.close()

    @property
    def spans(self):
        with self._lock:
            return list(self._spans)

    def config(self, folder, rate=None):
        """The path of a TracingConfiguration that leads here."""
        file = folder / "tracing.yaml"
        file.write_text("apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n"
                        f"endpoint: {self.endpoint}\n" +
                        (f"samplingRatePerMillion: {rate}\n" if rate is not None else ""))
        return file

    def trace_of(self, audit_id, count=1, seconds=30):
        """All spans of the request with that audit id, once its own span and at least `count` others are there."""
        def found():
            spans = self.spans
            own = next((s for s in spans if s.kind == "server" and s.attributes.get("audit-id") == audit_id), None)
            trace = [s for s in spans if own and s.trace == own.trace]
            return trace if len(trace) >= count else None
        return harness.wait_until(found, f"the trace of {audit_id}", seconds)

    # --- HTTP/2 ---

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            stream = connection.makefile("rb")
            if stream.read(len(PREFACE)) != PREFACE:
                return
            self._send(connection, SETTINGS, 0, 0, struct.pack(">HI", 4, 1 << 24))  # the window of a stream
            self._send(connection, WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 24))
            bodies = {}
            while head := stream.read(9):
                size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                number, payload = int.from_bytes(head[5:], "big"), stream.read(size)
                if kind == SETTINGS and not flags & ACK:
                    self._send(connection, SETTINGS, ACK, 0)
                elif kind == PING and not flags & ACK:
                    self._send(connection, PING, ACK, 0, payload)
                elif kind == DATA:
                    if flags & PADDED:
                        payload = payload[1:len(payload) - payload[0]]
                    bodies.setdefault(number, bytearray()).extend(payload)
                    if size:
                        self._send(connection, WINDOW_UPDATE, 0, 0, struct.pack(">I", size))
                    if flags & END_STREAM:
                        self._take(bytes(bodies.pop(number)))
                        self._answer(connection, number)
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def _take(self, body):
        assert body[0] == 0, "a compressed message"
        for resource_spans in every(body[5:], 1):
            resource = attributes(one(resource_spans, 1), 1)
            spans = [Span(span, resource) for scope in every(resource_spans, 2) for span in every(scope, 2)]
            with self._lock:
                self._spans += spans

    def _answer(self, connection, number):
        literal = lambda name, value: b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
        self._send(connection, HEADERS, END_HEADERS, number,
                   b"\x88" + literal(b"content-type", b"application/grpc"))
        self._send(connection, DATA, 0, number, b"\0\0\0\0\0")
        self._send(connection, HEADERS, END_HEADERS | END_STREAM, number, literal(b"grpc-status", b"0"))

    @staticmethod
    def _send(connection, kind, flags, number, payload=b""):
        connection.sendall(len(payload).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big") + payload)
