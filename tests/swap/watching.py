"""A watch that is read on a thread of its own."""

import json
import queue
import socket
import threading

SECONDS = 20


class Watch:
    def __init__(self, client, path):
        # As the client connects, but on a connection that outlives its requests.
        self._connection = client._connect()
        self._connection.sock.settimeout(None)
        self._response = client._start(self._connection, "GET", path, {}, None)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            while line := self._response.readline():
                self._lines.put(json.loads(line))
        except (OSError, ValueError):
            pass
        self._lines.put(None)

    def until_deleted(self, name):
        """The events of the object with that name, to its deletion or until nothing more comes."""
        events = []
        while not events or events[-1]["type"] != "DELETED":
            try:
                event = self._lines.get(timeout=SECONDS)
            except queue.Empty:
                event = None
            if event is None:
                break
            if event["type"] == "ERROR" or event["object"]["metadata"].get("name") == name:
                events.append(event)
        return events

    def close(self):
        try:
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._reader.join(timeout=SECONDS)
        self._connection.close()
