"""The server's end of HTTP/2, as far as webhooks for tests need it: requests are told apart by their streams, and their
heads are not decoded."""

import collections
import socket
import struct
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM = ACK = 1
END_HEADERS = 4
INITIAL_WINDOW_SIZE = 4
REFUSED_STREAM = 7
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def _literal(name, value):
    return b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in (name.lower(), value))


class Stream:
    """One request, which is answered by the methods of http.server's handlers."""

    def __init__(self, connection, number, path):
        self.connection, self.number, self.path, self.wfile = connection, number, path, self
        self._head = b""

    def send_response(self, status):
        self._head = _literal(":status", str(status))

    def send_header(self, name, value):
        self._head += _literal(name, value)

    def end_headers(self):
        self.connection.write(HEADERS, END_HEADERS, self.number, self._head)

    def write(self, body):
        """The whole body, as the client's windows let it pass."""
        while body:
            allowed = self.connection.take_window(self.number, min(len(body), 16384))
            if not allowed:
                return
            self.connection.write(DATA, 0, self.number, body[:allowed])
            body = body[allowed:]
        self.connection.write(DATA, END_STREAM, self.number, b"")

    def refuse(self):
        self.connection.write(RST_STREAM, 0, self.number, struct.pack(">I", REFUSED_STREAM))

    def leave(self):
        """Says that the connection ends, and that nothing was done with this request."""
        self.connection.write(GOAWAY, 0, 0, struct.pack(">II", max(0, self.number - 2), 0))


class Connection:
    def __init__(self, sock):
        self.socket, self._input, self._lock = sock, sock.makefile("rb"), threading.Lock()
        self._changed = threading.Condition()
        self._initial_window, self._over = 65535, set()
        self._added = collections.Counter({0: 65535})  # to windows, by stream; 0 is that of the connection

    def write(self, kind, flags, stream, payload):
        head = struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream)
        with self._lock:
            try:
                self.socket.sendall(head + payload)
            except OSError:
                pass  # the client has gone

    def take_window(self, stream, wanted):
        """How many bytes may be sent now, once there are any; 0: the client does not want them any more."""
        def allowed():
            return min(wanted, self._added[0], self._initial_window + self._added[stream])
        with self._changed:
            self._changed.wait_for(lambda: allowed() > 0 or self._over & {0, stream})
            if self._over & {0, stream}:
                return 0
            taken = allowed()
            self._added.subtract({0: taken, stream: taken})
            return taken

    def _hear(self, kind, flags, stream, payload):
        with self._changed:
            if kind == WINDOW_UPDATE:
                self._added[stream] += struct.unpack(">I", payload)[0]
            elif kind == RST_STREAM:
                self._over.add(stream)
            elif kind == SETTINGS and not flags & ACK:
                settings = dict(struct.iter_unpack(">HI", payload))
                self._initial_window = settings.get(INITIAL_WINDOW_SIZE, self._initial_window)
            self._changed.notify_all()

    def serve(self, answer):
        """Calls answer(stream number, body) for each request, on a thread of its own, until the client goes."""
        try:
            self._serve(answer)
        except OSError:
            pass
        with self._changed:
            self._over.add(0)
            self._changed.notify_all()

    def _serve(self, answer):
        if self._input.read(len(PREFACE)) != PREFACE:
            return
        self.write(SETTINGS, 0, 0, b"")
        bodies = collections.defaultdict(bytes)
        while len(head := self._input.read(9)) == 9:
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            payload = self._input.read(int.from_bytes(head[:3], "big"))
            self._hear(kind, flags, stream, payload)
            if kind in (SETTINGS, PING) and not flags & ACK:
                self.write(kind, ACK, 0, payload if kind == PING else b"")
            if kind == DATA and payload:
                for number in (0, stream):
                    self.write(WINDOW_UPDATE, 0, number, struct.pack(">I", len(payload)))
            if kind in (DATA, HEADERS):
                bodies[stream] += payload if kind == DATA else b""
                if flags & END_STREAM:
                    threading.Thread(target=answer, args=(stream, bodies.pop(stream)), daemon=True).start()

    def reset(self):
        """Ends the connection as a machine does on which nobody knows it."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.shutdown(socket.SHUT_RD)
        self.socket.unwrap = lambda: None
        socket.socket.close(self.socket)
