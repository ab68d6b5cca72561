"""What is malformed, too large, unknown or not allowed gets a Status, and the connection lives."""

import json
import unittest

import harness

JSON = {"Content-Type": "application/json"}


class BadInputTest(harness.ServerTestCase):
    def setUp(self):
        self.ns = self.new_namespace()
        self.path = self.ns + "/configmaps"
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def send(self, method, path, body=None, headers=None):
        """On one connection for the whole test, which must survive every answer."""
        self.connection.request(method, path, body=body, headers=headers or {})
        response = self.connection.getresponse()
        return harness.Response(response.status, response.headers, response.read())

    def post(self, body, headers=None):
        return self.send("POST", self.path, body, {**JSON, **(headers or {})})

    def tearDown(self):
        self.assertEqual(self.send("GET", self.path).status, 200)

    def test_malformed_json(self):
        for body in ["{", "{]", '{"metadata":{"name":"a"}', '{"a":1}}', "[]", '"x"', "nul", '{"metadata":{"name":"a",}}']:
            with self.subTest(body):
                self.assertStatus(self.post(body), 400, "BadRequest")

    def test_bad_utf8_is_refused_or_mended_but_never_stored(self):
        got = self.post(b'{"metadata":{"name":"a"},"data":{"k":"\xff\xfe"}}')
        if got.status != 400:
            self.assertEqual(got.json()["data"]["k"], "\ufffd\ufffd")

    def test_too_deep(self):
        body = '{"metadata":{"name":"a"},"data":' + '{"a":' * 20000 + "1" + "}" * 20000 + "}"
        self.assertStatus(self.post(body), 400, "BadRequest")

    def test_a_value_of_the_wrong_type(self):
        status = self.assertStatus(self.post('{"metadata":{"name":"a"},"data":[1]}'), 400, "BadRequest", "cannot be handled as a ConfigMap")
        self.assertIn("json: cannot unmarshal", status["message"])

    def test_malformed_yaml(self):
        for body in ["a: [", "a: b: c", "\t- x", "&a [*a]"]:
            with self.subTest(body):
                self.assertStatus(self.post(body, {"Content-Type": "application/yaml", "Accept": "application/json"}),
                                  400, "BadRequest")

    def test_malformed_protobuf(self):
        for body in [b"k8s\0", b"k8s\0\xff\xff\xff", b"nope", b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x05\x0a\xff\x01"]:
            with self.subTest(body):
                got = self.post(body, {"Content-Type": "application/vnd.kubernetes.protobuf", "Accept": "application/json"})
                self.assertEqual(got.status, 400, got)

    def test_an_unknown_field_is_warned_of(self):
        got = self.post('{"metadata":{"name":"a"},"dta":{}}')
        self.assertEqual(got.status, 201)
        self.assertEqual(got.headers["Warning"], '299 - "unknown field \\"dta\\""')

    def test_an_unknown_field_is_refused_when_asked(self):
        got = self.send("POST", self.path + "?fieldValidation=Strict", '{"metadata":{"name":"a","nme":1},"dta":{}}', JSON)
        status = self.assertStatus(got, 400, "BadRequest", "strict decoding error: ")
        self.assertIn('unknown field "dta"', status["message"])
        self.assertIn('unknown field "metadata.nme"', status["message"])

    def test_an_unknown_field_is_ignored_when_asked(self):
        got = self.send("POST", self.path + "?fieldValidation=Ignore", '{"metadata":{"name":"a"},"dta":{}}', JSON)
        self.assertEqual((got.status, got.headers["Warning"]), (201, None))

    def test_a_duplicate_field_is_refused_when_asked(self):
        got = self.send("POST", self.path + "?fieldValidation=Strict",
                        '{"metadata":{"name":"a"},"data":{"a":"1"},"data":{"a":"2"}}', JSON)
        self.assertStatus(got, 400, "BadRequest", 'duplicate field "data"')

    def test_an_unknown_way_to_validate(self):
        got = self.send("POST", self.path + "?fieldValidation=Maybe", '{"metadata":{"name":"a"}}', JSON)
        self.assertStatus(got, 422, "Invalid", "fieldValidation")

    def test_too_large_a_body(self):
        # The server may close after this one: the body was not read.
        big = json.dumps({"metadata": {"name": "a"}, "data": {"k": "x" * (3 << 20)}})
        got = self.server.post(self.path, big, headers=JSON)
        self.assertStatus(got, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")

    def test_too_large_an_object(self):
        self.assertStatus(self.post(json.dumps({"metadata": {"name": "a"}, "data": {"k": "x" * (1 << 20), "l": "x"}})), 422, "Invalid",
                          "Too long")

    def test_an_unsupported_media_type(self):
        self.assertStatus(self.post("<a/>", {"Content-Type": "text/xml"}), 415, "UnsupportedMediaType",
                          "the body of the request was in an unknown format - accepted media types include:")

    def test_an_answer_that_cannot_be_had(self):
        got = self.send("GET", self.path, headers={"Accept": "text/xml"})
        self.assertEqual(got.status, 406, got)
        self.assertIn("application/json, application/yaml, application/vnd.kubernetes.protobuf", got.text)

    def test_another_kind_than_the_path_says(self):
        self.assertStatus(self.post('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'), 400, "BadRequest",
                          "cannot be handled as a ConfigMap")
        self.assertStatus(self.post('{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}'), 400, "BadRequest")

    def test_a_method_the_resource_does_not_have(self):
        self.assertStatus(self.send("POST", self.path + "/a", "{}", JSON), 405, "MethodNotAllowed",
                          "the server does not allow this method on the requested resource")

    def test_a_resource_that_does_not_exist(self):
        self.assertEqual(self.send("GET", self.ns + "/nosuch").status, 404)
        self.assertEqual(self.send("GET", "/apis/nosuch/v1/things").status, 404)

    def test_a_path_that_no_one_serves(self):
        self.assertEqual(self.send("GET", "/nosuch").status, 404)

    def test_an_escaped_slash_in_a_name(self):
        self.assertEqual(self.send("GET", self.path + "/a%2Fb").status, 404)

    def test_bad_options(self):
        self.assertStatus(self.send("GET", self.path + "?limit=x"), 400, "BadRequest")
        self.assertStatus(self.send("DELETE", self.path + "/a?propagationPolicy=Sideways"), 422, "Invalid")
        self.assertStatus(self.send("DELETE", self.path + "/a?gracePeriodSeconds=x"), 400, "BadRequest")
        self.assertStatus(self.send("POST", self.path + "?dryRun=Some", '{"metadata":{"name":"a"}}', JSON), 422, "Invalid", "dryRun")

    def test_bad_merge_patches(self):
        self.server.post(self.path, {"metadata": {"name": "a"}})
        patch = {"Content-Type": "application/merge-patch+json"}
        self.assertStatus(self.send("PATCH", self.path + "/a", "{", patch), 400, "BadRequest")
        self.assertStatus(self.send("PATCH", self.path + "/a", "[]", patch), 400, "BadRequest")
        self.assertStatus(self.send("PATCH", self.path + "/a", '{"metadata":{"name":"b"}}', patch), 400, "BadRequest")
        self.assertStatus(self.send("PATCH", self.path + "/a", "{}", {"Content-Type": "text/plain"}), 415, "UnsupportedMediaType")


if __name__ == "__main__":
    unittest.main()
