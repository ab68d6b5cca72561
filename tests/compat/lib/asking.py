"""Asks both servers the same things and compares what they answer."""

import http.client
import json
import ssl

from lib import servers


class Asking:
    def __init__(self, port):
        self._port = port

    def request(self, method, path, body=None, headers=None, certificate=None):
        context = ssl._create_unverified_context()
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=60, context=context)
        try:
            text = body if isinstance(body, str) else json.dumps(body) if body else None
            connection.request(method, path, text,
                               {"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return answer.status, json.loads(text) if text.startswith("{") else text
        finally:
            connection.close()

    def admin(self, method, path, body=None, headers=None):
        return self.request(method, path, body, {"Authorization": f"Bearer {servers.TOKEN}", **(headers or {})})


def compare(theirs, ours, same=lambda name, expected, got: expected == got):
    """Prints each answer (by name) that is not the `same`; the exit status: 1 if one is not."""
    different = 0
    for name, expected in theirs.items():
        if not same(name, expected, ours[name]):
            different += 1
            print(f"{name}\n  kube-apiserver {json.dumps(expected)}\n  keelson        {json.dumps(ours[name])}")
    print(f"{len(theirs) - different} of {len(theirs)} answers are the same")
    return 1 if different else 0
