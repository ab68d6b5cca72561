"""Custom resources whose versions a webhook converts: what it is asked, and what a bad one does to everybody else."""

import base64
import itertools
import threading
import time
import unittest

import admission_webhooks as hooks
import conversion_webhooks as conversion
import harness
import identity

PLURALS = (f"site{letters[0]}{letters[1]}s" for letters in itertools.product("abcdefghij", repeat=2))
MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class ConversionTestCase(harness.ServerTestCase):
    server_args = ("--storage-backend=memory",)

    @classmethod
    def setUpClass(cls):
        cls.authority = identity.Authority("hook-ca")
        cls.addClassCleanup(cls.authority.close)
        cls.bundle = base64.b64encode(cls.authority.certificate.read_bytes()).decode()
        super().setUpClass()

    def setUp(self):
        self.hook = self.serve()
        self.plural = next(PLURALS)

    def serve(self, **kwargs):
        hook = conversion.ConversionServer(self.authority, **kwargs)
        self.addCleanup(hook.close)
        return hook

    def define(self, decide=conversion.convert, hook=None, **more):
        hook = hook or self.hook
        hook.hooks["/convert"] = decide
        made = self.server.post(conversion.DEFINITIONS, conversion.definition(
            self.plural, {"url": hook.url + "/convert", "caBundle": self.bundle}, **more))
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{conversion.DEFINITIONS}/{self.plural}.{conversion.GROUP}")
        harness.wait_until(lambda: self.server.get(self.path("v2")).status == 200, "the resource is served")

    def path(self, version, name="", **more):
        return conversion.path(self.plural, version, name, **more)

    def create(self, version, name="a", **more):
        return self.server.post(self.path(version), conversion.site(self.plural, version, name, **more))


class Http2Test(ConversionTestCase):
    def serve(self, **kwargs):
        return super().serve(http2=True, **kwargs)

    def test_a_webhook_at_a_url_of_this_machine_is_asked_over_it(self):
        self.define()
        for i in range(5):
            self.assertEqual(self.create("v1", f"a{i}").json()["spec"], {"host": "h", "port": 80, "replicas": 1})
        self.assertEqual(len(self.server.get(self.path("v1")).json()["items"]), 5)
        self.assertGreater(len(self.hook.reviews), 0)
        self.assertEqual(self.hook.http2_connections, self.hook.connections)


class AnswersTest(ConversionTestCase):
    def test_nothing_is_asked_where_nothing_is_there(self):
        self.define(lambda _: hooks.RESET)
        self.assertEqual(self.server.get(self.path("v1")).json()["items"], [])
        self.assertEqual(self.server.get(self.path("v1", "absent")).status, 404)
        self.assertEqual(self.server.delete(self.path("v1")).status, 200)
        self.assertEqual(self.create("v2").status, 201)
        self.assertEqual(self.hook.reviews, [])

    def test_every_way_to_write_and_read(self):
        self.define()
        made = self.create("v1")
        self.assertEqual(made.status, 201, made)
        self.assertEqual(made.json()["spec"], {"host": "h", "port": 80, "replicas": 1})
        path, review = self.hook.reviews[0]
        self.assertEqual(path, "/convert?timeout=30s")
        self.assertEqual(review["request"]["desiredAPIVersion"], f"{conversion.GROUP}/v2")
        self.assertEqual(self.server.get(self.path("v2", "a")).json()["spec"], {"address": "h:80", "replicas": 1})
        patched = self.server.patch(self.path("v1", "a"), {"spec": {"port": 81}}, content_type=MERGE)
        self.assertEqual(patched.json()["spec"]["port"], 81, patched)
        scaled = self.server.patch(self.path("v1", "a/scale"), {"spec": {"replicas": 3}}, content_type=MERGE)
        self.assertEqual(scaled.json()["spec"]["replicas"], 3, scaled)
        status = self.server.patch(self.path("v1", "a/status"), {"status": {"replicas": 2}}, content_type=MERGE)
        self.assertEqual(status.json()["status"], {"replicas": 2}, status)
        self.assertEqual(self.server.get(self.path("v2", "a")).json()["spec"], {"address": "h:81", "replicas": 3})
        for version, cells in (("v1", ["a", "h", 81, 3]), ("v2", ["a", "h:81", 3])):
            table = self.server.get(self.path(version), headers={"Accept": TABLE}).json()
            self.assertEqual(table["rows"][0]["cells"], cells)
        self.assertEqual(self.server.delete(self.path("v1", "a")).json()["status"], "Success")

    def test_a_list_is_one_question(self):
        self.define()
        for i in range(30):
            self.assertEqual(self.create("v2", f"a{i}").status, 201)
        listed = self.server.get(self.path("v1")).json()
        self.assertEqual(len(listed["items"]), 30)
        self.assertEqual({each["spec"]["host"] for each in listed["items"]}, {"h"})
        self.assertEqual([len(review["request"]["objects"]) for _, review in self.hook.reviews], [30])
        page = self.server.get(self.path("v1") + "?limit=7").json()
        self.assertEqual(len(page["items"]), 7)
        self.assertEqual(len(self.hook.reviews), 1)  # they are kept

    def test_watches_share_what_was_converted(self):
        self.define()
        self.assertEqual(self.create("v2").status, 201)
        watches = [self.server.watch(self.path("v1") + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                     "&allowWatchBookmarks=true&resourceVersion=0") for _ in range(5)]
        for watch in watches:
            self.addCleanup(watch.close)
            added, end = watch.next(), watch.next()
            self.assertEqual((added["type"], added["object"]["spec"]["host"]), ("ADDED", "h"))
            self.assertEqual(end["type"], "BOOKMARK")
        self.server.patch(self.path("v2", "a"), {"spec": {"address": "j:1"}}, content_type=MERGE)
        for watch in watches:
            event = watch.next()
            self.assertEqual((event["type"], event["object"]["spec"]["host"]), ("MODIFIED", "j"))
        self.server.delete(self.path("v2", "a"))
        for watch in watches:
            self.assertEqual(watch.next()["type"], "DELETED")
        self.assertEqual(len(self.hook.reviews), 3)  # one for each event

    def test_connections_are_kept(self):
        self.define()
        for i in range(20):
            self.assertEqual(self.create("v1", f"a{i}").status, 201)
        self.assertEqual(len(self.hook.reviews), 40)
        self.assertLess(self.hook.connections, 10)  # one for each loop

    def test_an_admission_webhook_is_asked_in_its_version(self):
        self.define()
        judge = hooks.AdmissionServer(self.authority)
        self.addCleanup(judge.close)
        judge.hooks["/"] = lambda _: hooks.patch({"op": "replace", "path": "/spec/address", "value": "patched:7"})
        path, body = hooks.configuration("mutating", self.plural, hooks.webhook(
            "a.example.com", {"url": judge.url, "caBundle": self.bundle},
            [hooks.rule(self.plural, [conversion.GROUP], ["v2"], ["CREATE"])]))
        self.assertEqual(self.server.post(path, body).status, 201)
        self.addCleanup(self.server.delete, f"{path}/{self.plural}")
        made = self.create("v1")
        self.assertEqual(made.status, 201, made)
        self.assertEqual(judge.reviews[0][1]["request"]["object"]["spec"]["address"], "h:80")
        self.assertEqual(judge.reviews[0][1]["request"]["requestKind"]["version"], "v1")
        self.assertEqual(made.json()["spec"], {"host": "patched", "port": 7, "replicas": 1})

    def test_a_review_of_scale_names_the_version_of_the_request(self):
        self.define()
        self.assertEqual(self.create("v2").status, 201)
        judge = hooks.AdmissionServer(self.authority)
        self.addCleanup(judge.close)
        judge.hooks["/"] = lambda _: {"allowed": True}
        for kind in ("mutating", "validating"):
            path, body = hooks.configuration(kind, self.plural, hooks.webhook(
                "a.example.com", {"url": judge.url, "caBundle": self.bundle},
                [hooks.rule(f"{self.plural}/scale", [conversion.GROUP], ["v2"], ["UPDATE"])]))
            self.assertEqual(self.server.post(path, body).status, 201)
            self.addCleanup(self.server.delete, f"{path}/{self.plural}")
        scaled = self.server.patch(self.path("v1", "a/scale"), {"spec": {"replicas": 3}}, content_type=MERGE)
        self.assertEqual(scaled.status, 200, scaled)
        self.assertEqual(len(judge.reviews), 2)
        scale = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
        for _, review in judge.reviews:
            request = review["request"]
            self.assertEqual((request["kind"], request["requestKind"]), (scale, scale))
            self.assertEqual((request["resource"]["version"], request["requestResource"]["version"]), ("v2", "v1"))
            self.assertEqual((request["subResource"], request["requestSubResource"]), ("scale", "scale"))
            self.assertEqual(request["object"]["spec"]["replicas"], 3)

    def test_what_is_stored_in_an_older_version_is_converted(self):
        self.define(stored="v1")
        self.assertEqual(self.create("v1").status, 201)
        path = f"{conversion.DEFINITIONS}/{self.plural}.{conversion.GROUP}"
        changed = self.server.patch(path, [
            {"op": "replace", "path": "/spec/versions/0/storage", "value": False},
            {"op": "replace", "path": "/spec/versions/1/storage", "value": True}], content_type="application/json-patch+json")
        self.assertEqual(changed.status, 200, changed)
        numbers = itertools.count()

        def is_stored():
            self.hook.reviews.clear()
            return self.create("v2", f"b{next(numbers)}").status == 201 and not self.hook.reviews
        harness.wait_until(is_stored, "v2 is stored")
        self.assertEqual(self.server.get(self.path("v2", "a")).json()["spec"]["address"], "h:80")
        for each in self.server.get(self.path("v1")).json()["items"]:
            self.assertEqual(each["spec"]["host"], "h")


class FaultsTest(ConversionTestCase):
    """Each fault fails the requests that need a conversion, and is nobody else's business."""

    def check(self, decide, why, hook=None):
        self.define(decide, hook)
        self.assertEqual(self.create("v2").status, 201)
        failed = []
        waiting = threading.Thread(target=lambda: failed.append(self.server.get(self.path("v1", "a"), timeout=60)))
        waiting.start()
        # Unrelated requests do not notice, nor does the stored version.
        began = time.monotonic()
        for _ in range(20):
            self.assertEqual(self.server.get("/api/v1/namespaces/default").status, 200)
            self.assertEqual(self.server.get(self.path("v2", "a")).status, 200)
        self.assertLess(time.monotonic() - began, 10)
        waiting.join()
        message = self.assertStatus(failed[0], 500, None)["message"]
        self.assertRegex(message, rf"^conversion webhook for {conversion.GROUP}/v2, Kind={self.plural[:-1].capitalize()} {why}")
        # Metadata is told, and deletion goes on.
        self.assertEqual(len(self.server.get(self.path("v1"), headers={"Accept": PARTIAL}).json()["items"]), 1)
        self.assertEqual(self.server.delete(self.path("v1")).status, 200)
        self.assertEqual(self.server.get(self.path("v2", "a")).status, 404)

    def test_hangs(self):
        self.check(lambda _: hooks.HANG, r'failed: Post "https://127\.0\.0\.1:\d+/convert\?timeout=30s": '
                                         r"context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)$")
        self.assertEqual(len(self.hook.reviews), 1)  # who deletes does not wait for it once more

    def test_who_is_out_of_time_leaves(self):
        answers = threading.Event()
        self.addCleanup(answers.set)
        self.define(lambda request: answers.wait(60) and conversion.convert(request))
        self.assertEqual(self.create("v2").status, 201)
        # Reads wait for one question, which goes on without those that leave.
        for path in (self.path("v1", "a"), self.path("v1")):
            late = self.assertStatus(self.server.get(f"{path}?timeout=1s"), 504, "Timeout")
            self.assertEqual(late["message"], "Timeout: request did not complete within the allotted timeout")
        self.assertEqual([path for path, _ in self.hook.reviews], ["/convert?timeout=30s"])
        # A write asks for itself. What is not converted in time is not written.
        late = self.server.post(self.path("v1") + "?timeout=1s", conversion.site(self.plural, "v1", "b"))
        self.assertStatus(late, 504, "Timeout")
        self.assertEqual(self.hook.reviews[-1][0], "/convert?timeout=1s")
        answers.set()
        self.assertEqual(self.server.get(self.path("v1", "a")).json()["spec"]["port"], 80)
        self.assertEqual(self.server.get(self.path("v2", "b")).status, 404)

    def test_resets(self):
        self.check(lambda _: hooks.RESET, r'failed: Post "https://.*": ')

    def test_answers_garbage(self):
        self.check(lambda _: hooks.Raw("\0garbage"), r"failed: couldn't get version/kind; json parse error: ")

    def test_answers_10_megabytes(self):
        self.check(lambda _: hooks.Raw(b"x" * 10_000_000), r"failed: .* longer than 8388608 bytes$")

    def test_answers_another_review(self):
        self.check(lambda request: {**conversion.convert(request), "uid": "other"},
                   r'failed: expected response\.uid="[0-9a-f-]{36}", got "other"$')

    def test_answers_with_too_few_objects(self):
        self.check(lambda _: {"convertedObjects": []}, r"returned 0 objects, expected 1$")

    def test_answers_in_another_version(self):
        self.check(lambda request: {"convertedObjects": request["objects"]},
                   r"returned invalid object at index 0: invalid groupVersion \(expected .*/v1, received .*/v2\)$")

    def test_says_that_it_cannot(self):
        self.check(lambda _: {"result": {"status": "Failure", "message": "not today"}}, r"failed: not today$")

    def test_has_an_expired_certificate(self):
        expired = self.authority.issue_between("/CN=localhost", "20200101000000Z", "20200102000000Z", "serverAuth",
                                               "IP:127.0.0.1")
        self.check(conversion.convert, r'failed: Post "https://.*": tls: .*expired', hook=self.serve(certificate=expired))

    def test_has_a_certificate_of_another(self):
        other = identity.Authority("other-ca")
        self.addCleanup(other.close)
        self.check(conversion.convert, r'failed: Post "https://.*": tls: ',
                   hook=self.serve(certificate=other.issue("/CN=localhost", "serverAuth", "IP:127.0.0.1")))

    def test_redirects(self):
        self.check(lambda _: hooks.Raw("", 307, {"Location": self.hook.url + "/elsewhere"}),
                   r"failed: the server responded with the status code 307 but did not return more information$")
        self.assertFalse([path for path, _ in self.hook.reviews if path.startswith("/elsewhere")])

    def test_is_not_there(self):
        gone = conversion.ConversionServer(self.authority)
        gone.close()
        self.check(conversion.convert, r'failed: Post "https://.*": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$',
                   hook=gone)


class DeletionTest(ConversionTestCase):
    """What deletes looks at metadata, so a webhook that is gone holds up no deletion."""

    def test_a_namespace_goes_with_its_objects(self):
        self.define()
        ns = self.new_namespace().rpartition("/")[2]
        made = self.server.post(self.path("v1", ns=ns), conversion.site(self.plural, "v1", "a"))
        self.assertEqual(made.status, 201, made)
        self.hook.hooks["/convert"] = lambda _: hooks.RESET
        self.server.delete(f"/api/v1/namespaces/{ns}")
        harness.wait_until(lambda: self.server.get(f"/api/v1/namespaces/{ns}").status == 404, "the namespace is gone")

    def test_garbage_is_collected(self):
        self.define()
        owner = self.server.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": self.plural}}).json()
        made = self.create("v1", metadata={"name": "a", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": self.plural, "uid": owner["metadata"]["uid"]}]})
        self.assertEqual(made.status, 201, made)
        self.hook.hooks["/convert"] = lambda _: hooks.RESET
        self.server.delete(f"/api/v1/namespaces/default/configmaps/{self.plural}")
        harness.wait_until(lambda: self.server.get(self.path("v2", "a")).status == 404, "the object is collected")

    def test_a_definition_goes_with_its_objects(self):
        self.define()
        self.assertEqual(self.create("v1").status, 201)
        self.hook.hooks["/convert"] = lambda _: hooks.RESET
        path = f"{conversion.DEFINITIONS}/{self.plural}.{conversion.GROUP}"
        self.server.delete(path)
        harness.wait_until(lambda: self.server.get(path).status == 404, "the definition is gone")


if __name__ == "__main__":
    unittest.main()
