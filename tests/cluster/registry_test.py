"""The registry of the real nodes serves the images of docker archives under their names, and nothing else."""

import hashlib
import http.client
import json
import pathlib
import tempfile
import unittest

import images
import registry

LAYER_1, LAYER_2 = b"first layer" * 1000, b"second layer" * 300000


class RegistryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="keelson-registry-")
        cls.addClassCleanup(folder.cleanup)
        archives = [pathlib.Path(folder.name, name) for name in ("one.tar", "two.tar")]
        images.write_archive(archives[0], (["images.test/base:1", "images.test/base:2"], [LAYER_1], {"Cmd": ["a"]}),
                             (["images.test/deep/er:1"], [LAYER_1, LAYER_2], {"Cmd": ["b"]}))
        images.write_archive(archives[1], (["box:1"], [LAYER_1], {"Cmd": ["c"]}))
        cls.registry = registry.Registry(archives, "127.0.0.1")
        cls.addClassCleanup(cls.registry.close)

    def setUp(self):
        self.connection = http.client.HTTPConnection(self.registry.url.removeprefix("http://"))
        self.addCleanup(self.connection.close)

    def ask(self, path, method="GET", **headers):
        self.connection.request(method, path, headers=headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def manifest(self, path):
        status, headers, body = self.ask(path)
        self.assertEqual(status, 200, body)
        self.assertEqual(headers["Content-Type"], registry.MANIFEST)
        self.assertEqual(headers["Docker-Content-Digest"], f"sha256:{hashlib.sha256(body).hexdigest()}")
        return json.loads(body)

    def assert_refused(self, path, code):
        status, _, body = self.ask(path)
        self.assertEqual((status, json.loads(body)["errors"][0]["code"]), (404, code))

    def test_names_are_read_as_runtimes_read_them(self):
        for name, parts in {"registry.test/a/b:1": ("registry.test", "a/b", "1"), "localhost/a": ("localhost", "a", "latest"),
                            "registry.test:5000/a": ("registry.test:5000", "a", "latest"),
                            "box": ("docker.io", "library/box", "latest"), "team/box:2": ("docker.io", "team/box", "2")}.items():
            with self.subTest(name):
                self.assertEqual(registry.split(name), parts)

    def test_it_says_that_it_is_a_registry(self):
        self.assertEqual(self.ask("/v2/")[0], 200)

    def test_an_image_is_all_there_and_its_digests_are_true(self):
        manifest = self.manifest("/v2/deep/er/manifests/1?ns=images.test")
        parts = [manifest["config"], *manifest["layers"]]
        contents = []
        for part in parts:
            status, headers, body = self.ask(f"/v2/deep/er/blobs/{part['digest']}?ns=images.test")
            self.assertEqual((status, headers["Content-Length"]), (200, str(part["size"])))
            self.assertEqual(f"sha256:{hashlib.sha256(body).hexdigest()}", part["digest"])
            contents.append(body)
        self.assertEqual(contents[1:], [LAYER_1, LAYER_2])
        config = json.loads(contents[0])
        self.assertEqual(config["config"], {"Cmd": ["b"]})
        self.assertEqual(config["rootfs"]["diff_ids"], [layer["digest"] for layer in manifest["layers"]])

    def test_a_manifest_is_found_by_its_digest_too(self):
        _, headers, body = self.ask("/v2/base/manifests/1?ns=images.test")
        self.assertEqual(self.ask(f"/v2/base/manifests/{headers['Docker-Content-Digest']}?ns=images.test")[2], body)

    def test_the_host_can_be_the_first_part_of_the_name(self):
        self.assertEqual(self.manifest("/v2/images.test/base/manifests/2"), self.manifest("/v2/base/manifests/2?ns=images.test"))

    def test_a_name_without_a_host_is_one_of_the_default_registry(self):
        self.manifest("/v2/library/box/manifests/1?ns=docker.io")

    def test_head_tells_the_same_without_the_content(self):
        digest = self.manifest("/v2/base/manifests/1?ns=images.test")["layers"][0]["digest"]
        for path in "/v2/base/manifests/1?ns=images.test", f"/v2/base/blobs/{digest}?ns=images.test":
            with self.subTest(path):
                told, (status, headers, body) = self.ask(path), self.ask(path, "HEAD")
                self.assertEqual((status, body), (200, b""))
                for name in "Content-Length", "Content-Type", "Docker-Content-Digest":
                    self.assertEqual(headers[name], told[1][name])

    def test_a_part_of_a_blob_can_be_asked_for(self):
        digest = self.manifest("/v2/deep/er/manifests/1?ns=images.test")["layers"][1]["digest"]
        path, size = f"/v2/deep/er/blobs/{digest}?ns=images.test", len(LAYER_2)
        status, headers, body = self.ask(path, Range="bytes=5-12")
        self.assertEqual((status, headers["Content-Range"], body), (206, f"bytes 5-12/{size}", LAYER_2[5:13]))
        self.assertEqual(self.ask(path, Range=f"bytes={size - 3}-")[2], LAYER_2[-3:])
        self.assertEqual(self.ask(path, Range=f"bytes={size}-")[0], 416)

    def test_tags_are_listed(self):
        self.assertEqual(json.loads(self.ask("/v2/base/tags/list?ns=images.test")[2]), {"name": "base", "tags": ["1", "2"]})

    def test_what_is_not_there_is_refused_as_a_registry_does_it(self):
        self.assert_refused("/v2/base/manifests/3?ns=images.test", "MANIFEST_UNKNOWN")
        self.assert_refused("/v2/base/manifests/1?ns=other.test", "NAME_UNKNOWN")
        self.assert_refused("/v2/none/manifests/1?ns=images.test", "NAME_UNKNOWN")
        self.assert_refused(f"/v2/base/blobs/sha256:{'0' * 64}?ns=images.test", "BLOB_UNKNOWN")

    def test_a_blob_of_another_image_is_not_one_of_this(self):
        digest = self.manifest("/v2/deep/er/manifests/1?ns=images.test")["layers"][1]["digest"]
        self.assert_refused(f"/v2/base/blobs/{digest}?ns=images.test", "BLOB_UNKNOWN")


if __name__ == "__main__":
    unittest.main()
