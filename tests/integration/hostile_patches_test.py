"""Patches meant to cost the server more than they cost their sender: refused in bounded time and memory."""

import json
import pathlib
import time
import unittest

import harness

JSON_PATCH, MERGE = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
SECONDS = 20        # each; an ordinary build on an idle machine takes a tenth of it at most
MEGABYTES = 600     # of growth, in all; sanitizers and allocators keep some


class HostilePatches(harness.ServerTestCase):
    def setUp(self):
        ns = self.new_namespace()
        self.map = ns + "/configmaps/a"
        self.server.post(ns + "/configmaps", {"metadata": {"name": "a"}, "data": {"k": "v" * 1000}})
        self.pod = ns + "/pods/p"
        self.server.post(ns + "/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
        self.before = self.server.get(self.map).json()

    def tearDown(self):
        """The server answers, and the object is what it was."""
        self.assertEqual(self.server.get(self.map).json(), self.before)

    def peak(self):
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024

    def patch(self, path, body, content_type):
        peak, started = self.peak(), time.monotonic()
        text = body if isinstance(body, str) else json.dumps(body)
        answer = self.server.request("PATCH", path, text.encode(), headers={"Content-Type": content_type}, timeout=120)
        self.assertLess(time.monotonic() - started, SECONDS)
        self.assertLess(self.peak() - peak, MEGABYTES)
        return answer

    def test_ten_megabytes(self):
        for content_type in (JSON_PATCH, MERGE, STRATEGIC, APPLY):
            answer = self.patch(self.map + "?fieldManager=m", {"data": {"k": "x" * 10_000_000}}, content_type)
            self.assertEqual(answer.status, 413, content_type)

    def test_a_million_operations(self):
        text = "[" + ",".join(['{"op":"test","path":"/a"}'] * 1_000_000) + "]"
        self.assertEqual(self.patch(self.map, text, JSON_PATCH).status, 413)

    def test_as_many_operations_as_fit(self):
        answer = self.patch(self.map, "[" + ",".join(['{"op":"test","path":"/a"}'] * 110_000) + "]", JSON_PATCH)
        self.assertStatus(answer, 413, "RequestEntityTooLarge", "The allowed maximum operations in a JSON patch is 10000")

    def test_operations_that_each_go_over_all_of_it(self):
        operations = [{"op": "add", "path": f"/data/k{i}", "value": "x"} for i in range(5000)]
        operations += [{"op": "remove", "path": f"/data/k{i}"} for i in range(4999)]
        operations += [{"op": "test", "path": "/data/k", "value": "no"}]
        self.assertEqual(self.patch(self.map, operations, JSON_PATCH).status, 422)

    def test_copies_that_double(self):
        operations = [{"op": "copy", "from": "/data", "path": f"/data/x{i}"} for i in range(60)]
        self.assertStatus(self.patch(self.map, operations, JSON_PATCH), 422, "Invalid")

    def test_copies_of_the_whole_into_itself(self):
        operations = [{"op": "copy", "from": "", "path": f"/metadata/x{i}"} for i in range(60)]
        self.assertStatus(self.patch(self.map, operations, JSON_PATCH), 422, "Invalid")

    def test_depth(self):
        deep = '{"data":' * 100_000 + "1" + "}" * 100_000
        for content_type in (MERGE, STRATEGIC):
            self.assertIn(self.patch(self.map, deep, content_type).status, (400, 413, 422), content_type)
        self.assertIn(self.patch(self.map + "?fieldManager=m", "a: " + "[" * 100_000, APPLY).status, (400, 413, 422))
        pointer = [{"op": "add", "path": "/data" * 100_000, "value": 1}]
        self.assertIn(self.patch(self.map, pointer, JSON_PATCH).status, (400, 413, 422))

    def test_lists_that_are_merged_by_key(self):
        names = [{"name": f"e{i}", "value": "x"} for i in range(30_000)]
        order = [{"name": item["name"]} for item in names]
        patch = {"spec": {"containers": [{"name": "c", "env": names, "$setElementOrder/env": order}]}}
        self.assertIn(self.patch(self.pod, patch, STRATEGIC).status, (400, 413, 422))
        directives = {"metadata": {"$deleteFromPrimitiveList/finalizers": [f"a/{i}" for i in range(200_000)],
                                   "finalizers": [f"b/{i}" for i in range(50_000)]}}
        self.assertLess(self.patch(self.pod, directives, STRATEGIC).status, 500)  # nothing is wrong with it

    def test_owners_that_are_alike(self):
        owners = [{"apiVersion": "v1", "kind": "C", "name": f"{i}", "uid": "u", "controller": True} for i in range(35_000)]
        self.assertEqual(self.patch(self.map, {"metadata": {"ownerReferences": owners}}, MERGE).status, 422)

    def test_aliases_that_multiply(self):
        lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
        lines += [f"a{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 12)]
        text = "apiVersion: v1\nkind: ConfigMap\n" + "\n".join(lines)
        self.assertIn(self.patch(self.map + "?fieldManager=m", text, APPLY).status, (400, 413, 422))

    def test_a_configuration_of_many_keys(self):
        data = {f"k{i}": "" for i in range(150_000)}
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data, "what": 1}
        self.assertIn(self.patch(self.map + "?fieldManager=m", config, APPLY).status, (400, 413, 422, 500))


if __name__ == "__main__":
    unittest.main()
