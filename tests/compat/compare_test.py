#!/usr/bin/env python3
"""The comparison finds what it must find, and forgives only what must differ."""

import copy
import http.client
import json
import time
import unittest

from generate import writers
from lib import client
from lib import compare
from lib import golden
from lib import normalize
from lib import patterns
from lib import report
from lib import scenario
from lib import yaml_subset

UID = "0ab90cbc-8e61-4c3c-b31f-c3ea21c5f312"
OTHER_UID = "f2e1bb6c-54d8-4c4b-a5fd-2b1c5ba0b6ad"


def answer(code, body, warning=None, content_type="application/json"):
    headers = http.client.HTTPMessage()
    headers["Content-Type"] = content_type
    headers["Audit-Id"] = UID
    if warning:
        headers["Warning"] = warning
    return client.Answer(code, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def status(code=409, reason="AlreadyExists", message='configmaps "a" already exists'):
    return answer(code, {"kind": "Status", "code": code, "reason": reason, "message": message})


def config_map(revision="7", uid=UID, **more):
    return answer(200, {"metadata": {"name": "a", "namespace": "n", "uid": uid, "resourceVersion": revision,
                                     "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, **more})


def one_step(*names):
    return scenario.Scenario("t/v1/things/s", [scenario.Step(name, "GET", "/") for name in names or ("get",)])


def normalized(*answers):
    steps = one_step(*(str(i) for i in range(len(answers))))
    return normalize.normalize(steps, answers)


def places(expected, actual):
    return [found.where for found in compare.compare(normalized(expected)[0], normalized(actual)[0])]


class WhatIsReported(unittest.TestCase):
    def test_equal_answers_are_equal(self):
        self.assertEqual(places(status(), status()), [])

    def test_a_changed_code(self):
        self.assertEqual(places(status(409), status(400)), ["code"])

    def test_a_changed_reason(self):
        self.assertEqual(places(status(), status(reason="Conflict")), ["json/reason"])

    def test_a_changed_message(self):
        self.assertEqual(places(status(), status(message='configmap "a" already exists')), ["json/message"])

    def test_a_changed_content_type(self):
        self.assertEqual(places(answer(200, b"ok", content_type="text/plain"),
                                answer(200, b"ok", content_type="text/plain; charset=utf-8")), ["headers/Content-Type"])

    def test_a_warning_that_is_lost(self):
        self.assertEqual(places(answer(200, {}, warning='299 - "old"'), answer(200, {})), ["headers/Warning"])

    def test_an_audit_id_that_is_lost(self):
        lost = answer(200, {})
        del lost.headers["Audit-Id"]
        self.assertEqual(places(answer(200, {}), lost), ["headers/Audit-Id"])

    def test_a_changed_field(self):
        self.assertEqual(places(config_map(data={"k": "v"}), config_map(data={"k": "w"})), ["json/data/k"])

    def test_fields_that_are_missing_or_too_many(self):
        self.assertEqual(places(config_map(a=1), config_map(b=1)), ["json/a", "json/b"])

    def test_null_is_not_absent_and_zero_is_not_false(self):
        self.assertEqual(places(answer(200, {"a": None}), answer(200, {})), ["json/a"])
        self.assertEqual(places(answer(200, {"a": 0}), answer(200, {"a": False})), ["json/a"])

    def test_an_item_more_in_a_list(self):
        self.assertEqual(places(answer(200, {"items": [1]}), answer(200, {"items": [1, 2]})), ["json/items/1"])

    def test_events_in_another_order(self):
        def watch(*types):
            return client.Answer(200, http.client.HTTPMessage(), b"", [json.dumps({"type": t}).encode() for t in types])
        self.assertEqual(places(watch("ADDED", "DELETED"), watch("DELETED", "ADDED")),
                         ["events/0/type", "events/1/type"])

    def test_a_protobuf_field(self):
        def pb(text):
            value = b"\x0a" + bytes([len(text)]) + text
            return answer(200, b"k8s\0\x12" + bytes([len(value)]) + value,
                          content_type="application/vnd.kubernetes.protobuf")
        self.assertEqual(places(pb(b"abc"), pb(b"abd")), ["protobuf/raw/1/0"])


class WhatIsForgiven(unittest.TestCase):
    def test_uids_revisions_and_times_of_the_server(self):
        other = config_map(revision="70", uid=OTHER_UID)
        self.assertEqual(places(config_map(), other), [])

    def test_but_not_a_revision_that_moves_when_nothing_was_written(self):
        still, moved = normalized(config_map("7"), config_map("7")), normalized(config_map("7"), config_map("8"))
        self.assertEqual([found.where for found in compare.compare(still[1], moved[1])],
                         ["json/metadata/resourceVersion"])

    def test_but_not_another_object_of_the_name(self):
        same, other = normalized(config_map(), config_map()), normalized(config_map(), config_map(uid=OTHER_UID))
        self.assertIn("json/metadata/uid", [found.where for found in compare.compare(same[1], other[1])])

    def test_times_that_were_sent_are_compared(self):
        self.assertEqual(places(answer(200, {"t": "2001-02-03T04:05:06Z"}), answer(200, {"t": "2001-02-03T04:05:07Z"})),
                         ["json/t"])

    def test_generated_names_keep_their_prefix(self):
        def made(name):
            sent = scenario.Step("s", "POST", "/", body='{"metadata": {"generateName": "x-"}}')
            return normalize.normalize(scenario.Scenario("t/s", [sent]), [answer(201, {"metadata": {"name": name}})])[0]
        self.assertEqual(compare.compare(made("x-bcdf4"), made("x-ghjk5")), [])
        self.assertEqual(len(compare.compare(made("x-bcdf4"), made("y-ghjk5"))), 1)
        self.assertEqual(len(compare.compare(made("x-bcdf4"), made("x-bcdf"))), 1)

    def test_a_cause_that_is_repeated(self):
        def invalid(*fields, said=None):
            texts = [f"{field}: Required value" for field in said or fields]
            message = "X is invalid: " + (f"[{', '.join(texts)}]" if len(texts) > 1 else texts[0])
            return answer(422, {"kind": "Status", "message": message, "details": {
                "causes": [{"field": field, "message": "Required value"} for field in fields]}})
        self.assertEqual(places(invalid("a", "a", "b", "a"), invalid("a", "b")), [])
        self.assertEqual(places(invalid("a", "a"), invalid("a")), [])
        self.assertEqual(places(invalid("a", "a", said="a"), invalid("a")), [])
        self.assertEqual(places(invalid("a", "b", "a", said="ab"), invalid("a", "b")), [])
        self.assertEqual(places(invalid("a", "b"), invalid("a")), ["json/message", "json/details/causes/1"])

    def test_addresses_and_ports_that_were_allocated(self):
        def service(address, port):
            return answer(201, {"spec": {"clusterIP": address, "ports": [{"port": 80, "nodePort": port}]}})
        self.assertEqual(places(service("10.0.0.5", 30001), service("10.0.0.6", 30002)), [])
        self.assertEqual(places(service("10.0.0.5", 30001), service("None", 80)),
                         ["json/spec/clusterIP", "json/spec/ports/0/nodePort"])


class Lists(unittest.TestCase):
    def judge(self, actual, known=(), allowed=()):
        one = one_step("get")
        case = one.case_id(one.steps[0])
        return report.Judgement([one], {case: normalized(status())[0]}, {case: normalized(actual)[0]},
                                [patterns.Entry(line) for line in allowed], [patterns.Entry(line) for line in known])

    def test_a_difference_on_no_list_fails(self):
        self.assertEqual(self.judge(status(400)).count(report.DIFFERENT), 1)

    def test_a_known_case_may_differ(self):
        judgement = self.judge(status(400), known=["t/v1/*"])
        self.assertEqual((judgement.count(report.KNOWN), judgement.stale), (1, []))

    def test_a_known_case_that_has_become_equal_is_reported(self):
        self.assertEqual(self.judge(status(), known=["t/v1/*"]).stale, [("t/v1/*", "t/v1/things/s/get")])

    def test_an_allowed_place_covers_nothing_else(self):
        allowed = ["t/* json/message # why"]
        self.assertEqual(self.judge(status(message="x"), allowed=allowed).count(report.ALLOWED), 1)
        self.assertEqual(self.judge(status(message="x", reason="y"), allowed=allowed).count(report.DIFFERENT), 1)

    def test_patterns_cover_exactly_the_cases_given(self):
        cases = ["a/v1/x/s/1", "a/v1/x/s/2", "a/v1/y/s/1", "b/v1/z/s/1", "b/v1/z/s/2"]
        self.assertEqual(patterns.compress(cases[:4], cases), ["a/*", "b/v1/z/s/1"])
        self.assertEqual(patterns.compress([], cases), [])


class Sequences(unittest.TestCase):
    def test_a_seed_gives_the_same_again(self):
        def requests(seed):
            return [(step.method, step.path, step.body) for step in writers.Sequence(seed).scenario().steps]
        for seed in range(6):
            self.assertEqual(requests(seed), requests(seed))
        self.assertEqual(len({str(requests(seed)) for seed in range(30)}), 30)


class Files(unittest.TestCase):
    TEXT = """
== first thing
What it is about.
-- create
POST /x/$ns?a=${b*3}
Accept: application/yaml
{"a": 1}
> rv = metadata/resourceVersion
-- look
GET /x?watch=1
> events 2
"""

    def test_a_scenario_is_read_from_text(self):
        [one] = scenario.read_text(self.TEXT, "file")
        create, look = one.steps
        self.assertEqual((one.id, create.method, create.path), ("scenario/file/first-thing", "POST", "/x/$ns?a=${b*3}"))
        self.assertEqual(create.headers, {"Accept": "application/yaml", "Content-Type": "application/json"})
        self.assertEqual((create.body, create.captures), ('{"a": 1}', {"rv": "metadata/resourceVersion"}))
        self.assertEqual((look.events, look.verb(), look.body), (2, "watch", None))
        self.assertEqual(scenario.substitute(create.path, {"ns": "n"}), "/x/n?a=bbb")

    def test_packed_answers_are_what_they_were(self):
        items = [{"n": i, "t": "x" * 30} for i in range(20)]
        base = {"code": 200, "headers": golden.USUAL_HEADERS, "json": {"items": items}}
        edited = copy.deepcopy(base)
        edited["json"]["items"][3]["t"] = "y"
        del edited["json"]["items"][15:]
        edited["json"]["kind/a"] = "List"
        yaml = golden.recast(edited, "yaml")
        failure = normalized(status())[0]
        for earlier, one in (([], base), ([base], edited), ([edited], base), ([failure, edited], yaml), ([], failure)):
            packed = golden.pack(one, earlier)
            self.assertEqual(golden.unpack(json.loads(json.dumps(packed)), earlier), one)
        self.assertLess(len(json.dumps(golden.pack(edited, [base]))), 300)
        self.assertLess(len(json.dumps(golden.pack(yaml, [edited]))), 100)

    def test_steps_are_what_they_were(self):
        step = scenario.Step("s", "POST", "/api/v1/pods?x=1", {"Content-Type": "application/json", "Accept": "a/b"},
                             base="minimal", edits=[["a", 1]], captures={"a": "b"}, settle=True)
        again = scenario.Step.from_json(json.loads(json.dumps(step.to_json("/api/v1/pods"))), "/api/v1/pods")
        self.assertEqual(vars(again), vars(step))

    def test_yaml_is_read_as_servers_write_it(self):
        text = ('a: "1"\nb:\n- c: 2\n  d: |\n    x\n\n    y\n  e: []\n- plain text: {}\n'
                "f:g: null\nh: 'it''s'\ni:\n- - x\n")
        self.assertEqual(yaml_subset.parse(text), {
            "a": "1", "b": [{"c": 2, "d": "x\n\ny\n", "e": []}, {"plain text": {}}], "f:g": None, "h": "it's",
            "i": [["x"]]})


if __name__ == "__main__":
    unittest.main()
