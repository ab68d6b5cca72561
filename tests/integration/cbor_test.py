"""CBOR behind its feature gate: what is applied in it."""

import struct
import unittest

import harness

MAPS = "/api/v1/namespaces/default/configmaps"
APPLY = "application/apply-patch+cbor"
SELF_DESCRIBED = b"\xd9\xd9\xf7"


def head(major, length):
    if length < 24:
        return bytes([major << 5 | length])
    return bytes([major << 5 | 25]) + struct.pack(">H", length)


def encode(value):
    """The little of CBOR that configurations need."""
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(encode(k) + encode(v) for k, v in value.items())
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    text = value.encode()
    return head(2, len(text)) + text  # upstream's encoder writes text as byte strings


def config(**more):
    return SELF_DESCRIBED + encode({"apiVersion": "v1", "kind": "ConfigMap", **more})


class CborTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--feature-gates=CBORServingAndStorage=true")
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def apply(self, name, body, manager="m", more=""):
        return self.server.request("PATCH", f"{MAPS}/{name}?fieldManager={manager}{more}", body, {"Content-Type": APPLY})

    def test_a_configuration_is_applied(self):
        made = self.apply("a", config(metadata={"name": "a"}, data={"x": "1", "y": "1"}))
        self.assertEqual(made.status, 201, made.body)
        changed = self.apply("a", config(metadata={"name": "a"}, data={"x": "2"}))
        self.assertEqual(changed.status, 200, changed.body)
        self.assertEqual(changed.json()["data"], {"x": "2"})
        self.assertEqual([(m["manager"], m["operation"], m["fieldsV1"]) for m in changed.json()["metadata"]["managedFields"]],
                         [("m", "Apply", {"f:data": {"f:x": {}}})])

    def test_conflicts_are_told_and_forced(self):
        self.apply("b", config(metadata={"name": "b"}, data={"x": "1"}))
        other = config(metadata={"name": "b"}, data={"x": "2"})
        refused = self.apply("b", other, manager="n")
        self.assertEqual(refused.status, 409)
        self.assertEqual([c["field"] for c in refused.json()["details"]["causes"]], [".data.x"])
        self.assertEqual(self.apply("b", other, manager="n", more="&force=true").status, 200)

    def test_what_is_no_object_is_refused(self):
        for body in (b"", b"\xff", encode(["a"]), config(metadata={"name": "c"})[:-1]):
            self.assertEqual(self.apply("c", body).status, 400, body)
        self.assertEqual(self.server.get(MAPS + "/c").status, 404)

    def test_a_dry_run_stores_nothing(self):
        self.assertEqual(self.apply("d", config(metadata={"name": "d"}), more="&dryRun=All").status, 201)
        self.assertEqual(self.server.get(MAPS + "/d").status, 404)

    def test_without_the_gate_there_is_no_such_type(self):
        with harness.Server() as plain:
            answer = plain.request("PATCH", f"{MAPS}/a?fieldManager=m", config(metadata={"name": "a"}), {"Content-Type": APPLY})
            self.assertEqual(answer.status, 415, answer.body)


if __name__ == "__main__":
    unittest.main()
