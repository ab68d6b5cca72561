"""Encryption at rest on the embedded store: what is in the files, and what is not."""

import base64
import json
import pathlib
import re
import stat
import subprocess
import tempfile
import threading
import unittest

import harness
from etcd import Etcd
from kms import Kms

SECRETS = "/api/v1/namespaces/default/secrets"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def secret(name, value):
    return {"metadata": {"name": name}, "stringData": {"word": value}}


def word(answer):
    return base64.b64decode(answer.json()["data"]["word"]).decode()


def stored(data_dir):
    """All bytes of the database."""
    return b"".join(path.read_bytes() for path in sorted((data_dir / "db").iterdir()) if path.is_file())


def configuration(*providers, resources="secrets"):
    return ("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
            f"- resources: ['{resources}']\n  providers: [{', '.join(providers)}]\n")


def provider(kind, byte):
    key = base64.b64encode(bytes([byte]) * 32).decode()
    return f"{{{kind}: {{keys: [{{name: k{byte}, secret: {key}}}]}}}}"


class Encryption(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data_dir = self.folder / "data"

    def serve(self, *providers, **kwargs):
        """With a configuration of these providers; the server's own without any."""
        if not providers:
            return harness.Server(data_dir=self.data_dir)
        file = self.folder / "encryption.yaml"
        file.write_text(configuration(*providers, **kwargs))
        return harness.Server(f"--encryption-provider-config={file}", data_dir=self.data_dir)

    def test_secrets_are_encrypted_without_being_asked_for(self):
        with self.serve() as server:
            self.assertEqual(server.post(SECRETS, secret("s", "unreadable-word")).status, 201)
            server.post(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": {"word": "readable-word"}})
            self.assertEqual(server.stop(), 0)
        data = stored(self.data_dir)
        self.assertIn(b"readable-word", data)
        self.assertNotIn(b"unreadable-word", data)
        self.assertIn(b"k8s:enc:secretbox:v1:key1:", data)
        key_file = self.data_dir / "encryption.yaml"
        self.assertEqual(stat.S_IMODE(key_file.stat().st_mode), 0o600)
        with self.serve() as server:
            self.assertEqual(word(server.get(f"{SECRETS}/s")), "unreadable-word")

    def test_without_its_key_a_store_is_not_served(self):
        with self.serve() as server:
            server.post(SECRETS, secret("s", "x"))
            server.stop()
        key_file = self.data_dir / "encryption.yaml"
        key = key_file.read_text()
        key_file.unlink()
        with self.assertRaisesRegex(AssertionError, f"{key_file} is missing, and the store holds .*"
                                                    "/registry/secrets/default/s among them: bring it back from a backup"):
            self.serve().start()
        self.assertFalse(key_file.exists(), "a new key would open nothing")
        key_file.write_text(key)
        with self.serve() as server:
            self.assertEqual(word(server.get(f"{SECRETS}/s")), "x")

    def test_a_key_is_made_where_nothing_is_encrypted_yet(self):
        with self.serve() as server:
            server.post(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": {"word": "w"}})
            server.stop()
        (self.data_dir / "encryption.yaml").unlink()
        with self.serve() as server:
            self.assertEqual(server.post(SECRETS, secret("s", "x")).status, 201)
            self.assertTrue((self.data_dir / "encryption.yaml").exists())

    def test_what_was_plain_is_read_and_encrypted_when_written_again(self):
        with self.serve("{identity: {}}") as server:
            server.post(SECRETS, secret("s", "x"))
            before = server.get(f"{SECRETS}/s").json()
            server.stop()
        with self.serve() as server:
            self.assertEqual(server.get(f"{SECRETS}/s").json(), before)
            after = server.put(f"{SECRETS}/s", before).json()
            self.assertNotEqual(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"])
            self.assertEqual(server.put(f"{SECRETS}/s", after).json(), after)
            server.stop()
        with self.assertRaisesRegex(AssertionError, "tried to read encrypted data"):
            self.serve("{identity: {}}").start()

    def test_keys_are_rotated_through_every_provider(self):
        kinds = ["aesgcm", "aescbc", "secretbox"]
        for i, kind in enumerate(kinds):
            with self.serve(*(provider(k, n) for n, k in reversed(list(enumerate(kinds[:i + 1], 1))))) as server:
                server.post(SECRETS, secret(kind, f"word of {kind}"))
                for earlier in kinds[:i + 1]:
                    self.assertEqual(word(server.get(f"{SECRETS}/{earlier}")), f"word of {earlier}")
                server.stop()
            self.assertIn(f"k8s:enc:{kind}:v1:k{i + 1}:".encode(), stored(self.data_dir))

    def test_everything_can_be_encrypted(self):
        with self.serve(provider("aesgcm", 1), resources="*.*") as server:
            server.post(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": {"word": "unreadable-word"}})
            watch = server.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=0")
            try:
                while (event := watch.next())["object"]["metadata"]["name"] != "c":
                    pass
                self.assertEqual(event["object"]["data"], {"word": "unreadable-word"})
            finally:
                watch.close()
            server.stop()
        self.assertNotIn(b"unreadable-word", stored(self.data_dir))

    def test_a_changed_configuration_is_used_without_a_restart(self):
        file = self.folder / "encryption.yaml"
        file.write_text(configuration(provider("aesgcm", 1)))
        with harness.Server(f"--encryption-provider-config={file}", "--encryption-provider-config-automatic-reload",
                            data_dir=self.data_dir) as server:
            made = server.post(SECRETS, secret("s", "x")).json()
            file.write_text("not a configuration")
            file.write_text(configuration(provider("aescbc", 2), provider("aesgcm", 1)))

            def rewritten():
                now = server.put(f"{SECRETS}/s", made)
                return now if now.json()["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"] else None
            again = harness.wait_until(rewritten, "an update that changes nothing is written")
            self.assertEqual(word(again), "x")
            server.stop()
        self.assertIn(b"k8s:enc:aescbc:v1:k2:", stored(self.data_dir))

    def test_a_key_service_keeps_the_key(self):
        with Kms() as kms:
            with self.serve(json.dumps(kms.provider)) as server:
                server.post(SECRETS, secret("s", "unreadable-word"))
                self.assertIn("[+]kms-providers ok", server.get("/readyz?verbose").text)
                self.assertIn("[+]kms-providers ok", server.get("/healthz?verbose").text)
                self.assertNotIn("kms", server.get("/livez?verbose").text)
                server.stop()
            data = stored(self.data_dir)
            self.assertNotIn(b"unreadable-word", data)
            self.assertIn(b"k8s:enc:kms:v2:kms1:", data)
            # Another key, from another life of both.
            kms.stop()
            kms.start().tell("key another")
            with self.serve(json.dumps(kms.provider)) as server:
                before = server.get(f"{SECRETS}/s")
                self.assertEqual(word(before), "unreadable-word")
                after = server.put(f"{SECRETS}/s", before.json()).json()
                self.assertNotEqual(after["metadata"]["resourceVersion"], before.json()["metadata"]["resourceVersion"])
                self.assertEqual(server.put(f"{SECRETS}/s", after).json(), after)
                kms.tell("healthz locked")

                def unwell():
                    page = server.get("/readyz?verbose")
                    return page.status == 500 and "[-]kms-providers failed: reason withheld" in page.text
                harness.wait_until(unwell, "the key service is not well")
                self.assertIn("got unexpected healthz status: locked", server.get("/readyz/kms-providers").text)
                self.assertEqual(server.post(SECRETS, secret("t", "x")).status, 201)
                kms.tell("healthz ok")
                harness.wait_until(lambda: server.get("/readyz").status == 200, "the key service is well again")

    def test_a_server_waits_for_its_key_service(self):
        with Kms() as kms:
            kms.stop()
            server = self.serve(json.dumps(kms.provider))
            starter = threading.Thread(target=server.start)
            starter.start()
            kms.start()
            starter.join()
            try:
                self.assertEqual(server.post(SECRETS, secret("s", "x")).status, 201)
            finally:
                server.close()

    def test_a_wrong_configuration_is_refused_with_the_reason(self):
        with self.assertRaisesRegex(AssertionError, re.escape("expected one of [16 24 32]")):
            self.serve("{aesgcm: {keys: [{name: a, secret: c2hvcnQ=}]}}").start()

    def test_migrating_takes_each_store_by_its_own_rules(self):
        with self.serve() as server:
            server.post(SECRETS, secret("s", "x"))
            server.stop()
        migrate = [harness.BINARY, "migrate", "--data-dir", str(self.data_dir)]
        with Etcd() as etcd:
            moved = subprocess.run([*migrate, "--to=etcd3", f"--etcd-servers={etcd.url}"], capture_output=True, text=True,
                                   timeout=60)
            self.assertEqual(moved.returncode, 0, moved.stderr)
            # No configuration was named, so etcd's values are plain: any server reads them.
            self.assertTrue(etcd.get("/registry/secrets/default/s")[0].startswith(b"k8s\0"))
            with harness.Server(f"--etcd-servers={etcd.url}") as server:
                self.assertEqual(word(server.get(f"{SECRETS}/s")), "x")


if __name__ == "__main__":
    unittest.main()
