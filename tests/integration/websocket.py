"""A WebSocket client (RFC 6455) with nothing hidden: frames go out and come in as the test says."""

import base64
import hashlib
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class WebSocket:
    """Sends the handshake at once. `status` and `headers` are those of the answer; frames follow if it is 101."""

    def __init__(self, server, path, client="admin", origin="https://127.0.0.1", headers=None):
        self.key = base64.b64encode(os.urandom(16))
        fields = {"Host": "127.0.0.1", "Connection": "Upgrade", "Upgrade": "websocket",
                  "Sec-WebSocket-Key": self.key.decode(), "Sec-WebSocket-Version": "13", "Origin": origin,
                  **(headers or {})}
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self._socket = server.tls(client).wrap_socket(plain, server_hostname="127.0.0.1")
        self._file = self._socket.makefile("rb")
        lines = [f"GET {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.send_raw("\r\n".join(lines + ["", ""]).encode())
        self.status = int(self._file.readline().split()[1])
        self.headers = {}
        while line := self._file.readline().strip().decode():
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def accepted(self):
        """Whether the answer proves that the key was read."""
        accept = base64.b64encode(hashlib.sha1(self.key + GUID).digest()).decode()
        return self.status == 101 and self.headers.get("sec-websocket-accept") == accept

    def send_raw(self, data):
        self._socket.sendall(data)

    def send(self, opcode, payload=b""):
        mask = os.urandom(4)
        assert len(payload) < 126
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.send_raw(bytes([0x80 | opcode, 0x80 | len(payload)]) + mask + masked)

    def receive(self):
        """The next frame as (opcode, payload); None at the end of the connection."""
        head = self._file.read(2)
        if len(head) < 2:
            return None
        assert head[0] & 0x80 and not head[0] & 0x70, "messages come in one frame"
        assert not head[1] & 0x80, "a server does not mask"
        size = head[1]
        if size == 126:
            size, = struct.unpack(">H", self._file.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self._file.read(8))
        return head[0] & 0x0F, self._file.read(size)

    def close(self):
        self._file.close()
        self._socket.close()
