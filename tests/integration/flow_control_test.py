"""Flow control: who waits, who is turned away, and who is not held up by a flood."""

import base64
import concurrent.futures
import json
import tempfile
import threading
import unittest

import admission_webhooks as hooks
import conversion_webhooks as conversion
import harness
import identity

GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1"
DUMPS = "/debug/api_priority_and_fairness"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
BOB, EVE = ({"Authorization": f"Bearer {name}-secret"} for name in ("bob", "eve"))


def rows(text):
    """The rows of a dump, each a dict by column."""
    header, *lines = ([cell.strip() for cell in line.split(",")] for line in text.splitlines())
    return [dict(zip(header, line)) for line in lines]


def level(queues=1, length=1, shares=1):
    queuing = {"queues": queues, "handSize": 1, "queueLengthLimit": length}
    return {"metadata": {"name": "narrow"},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": shares, "lendablePercent": 0, "borrowingLimitPercent": 0,
                "limitResponse": {"type": "Queue", "queuing": queuing} if queues else {"type": "Reject"}}}}


def schema(name, user, level_name="narrow"):
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    return {"metadata": {"name": name},
            "spec": {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": level_name},
                     "distinguisherMethod": {"type": "ByUser"},
                     "rules": [{"subjects": [{"kind": "User", "user": {"name": user}}],
                                "resourceRules": [everything]}]}}


class FlowControlTest(harness.ServerTestCase):
    """Two seats in all: every level has one, and bob's can borrow none."""

    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as tokens:
            tokens.write("bob-secret,bob,1\neve-secret,eve,2\n")
            tokens.flush()
            cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}",
                               "--max-requests-inflight=1", "--max-mutating-requests-inflight=1")
            super().setUpClass()
        rbac = "/apis/rbac.authorization.k8s.io/v1"
        subjects = [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": name} for name in ("bob", "eve")]
        made = cls.server.post(f"{rbac}/clusterrolebindings", {
            "metadata": {"name": "all"}, "subjects": subjects,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}})
        assert made.status == 201, made

    def setUp(self):
        self.put(f"{GROUP}/prioritylevelconfigurations", level())
        self.put(f"{GROUP}/flowschemas", schema("bobs", "bob"))
        self.wait_for_level("narrow")

    def tearDown(self):
        for path in ("flowschemas/bobs", "flowschemas/eves", "prioritylevelconfigurations/narrow"):
            self.server.delete(f"{GROUP}/{path}")
        harness.wait_until(lambda: self.level_of("bob") == "global-default", "the level to go")

    def put(self, collection, body):
        path = f"{collection}/{body['metadata']['name']}"
        if (now := self.server.get(path)).status == 200:
            body = {**body, "metadata": now.json()["metadata"]}
            self.assertEqual(self.server.put(path, body).status, 200)
        else:
            self.assertEqual(self.server.post(collection, body).status, 201)

    def uids(self, collection):
        return {o["metadata"]["uid"]: o["metadata"]["name"] for o in self.server.get(f"{GROUP}/{collection}").json()["items"]}

    def get(self, headers=BOB, path=CONFIG_MAPS + "/none"):
        return self.server.get(path, headers=headers, client="anonymous")

    def level_of(self, user):
        answer = self.get({"Authorization": f"Bearer {user}-secret"})
        return self.uids("prioritylevelconfigurations").get(answer.headers["X-Kubernetes-PF-PriorityLevel-UID"])

    def wait_for_level(self, name):
        harness.wait_until(lambda: self.level_of("bob") == name, f"bob's requests to be in {name}")

    def dump(self, name, query=""):
        return rows(self.server.get(f"{DUMPS}/{name}{query}").text)

    def row(self):
        return next(r for r in self.dump("dump_priority_levels") if r["PriorityLevelName"] == "narrow")

    def metric(self, series):
        """Its value; 0 where there is none yet."""
        return next((float(line.rpartition(" ")[2]) for line in self.server.get("/metrics").text.splitlines()
                     if line.startswith(series + " ")), 0)

    def rejected(self, reason):
        return self.metric("apiserver_flowcontrol_rejected_requests_total"
                           f'{{flow_schema="bobs",priority_level="narrow",reason="{reason}"}}')

    def hold_a_seat(self, name, headers=BOB):
        """A write whose body does not end; the function that ends it."""
        connection = self.server.connect(client="anonymous")
        self.addCleanup(connection.close)
        body = json.dumps({"metadata": {"name": name}}).encode()
        connection.putrequest("POST", CONFIG_MAPS)
        for key, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            connection.putheader(key, value)
        connection.endheaders(body[:5])

        def end():
            connection.send(body[5:])
            answer = connection.getresponse()
            answer.read()
            return answer
        return end

    def serve(self, kind, decide):
        """A server of webhooks whose only one decides by `decide` once the event is set; its configuration; the event."""
        authority = identity.Authority("hook-ca")
        self.addCleanup(authority.close)
        hook = kind(authority)
        self.addCleanup(hook.close)
        answers = threading.Event()
        self.addCleanup(answers.set)
        hook.hooks["/hang"] = lambda request: answers.wait(60) and decide(request)
        bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
        return hook, {"url": hook.url + "/hang", "caBundle": bundle}, answers

    def check_that_seats_are_free(self, hook, answers, ask, kind):
        """Five requests of bob's, each made by `ask`, all wait for the webhook; what others see of it; their codes."""
        away = 'keelson_flowcontrol_current_away_requests{flow_schema="bobs",priority_level="narrow"}'
        with concurrent.futures.ThreadPoolExecutor(max_workers=5) as pool:
            waiting = []
            # One seat, one place in the queue: they could not all wait for the webhook if it were held. Of three that
            # come at once one is refused.
            for i in range(5):
                waiting.append(pool.submit(ask, i))
                harness.wait_until(lambda: len(hook.reviews) == len(waiting), "each of them to wait for the webhook")
            harness.wait_until(lambda: self.metric(away) == 5, "them to be counted")
            self.assertEqual(self.row()["ExecutingRequests"], "5")
            for _ in range(10):
                self.assertEqual(self.get().status, 404)
                made = self.server.post(CONFIG_MAPS, {"metadata": {"generateName": "unrelated-"}}, headers=BOB,
                                        client="anonymous")
                self.assertEqual(made.status, 201, made)
            self.assertFalse([w for w in waiting if w.done()])
            requests = [r for r in self.dump("dump_requests", "?includeRequestDetails=1")
                        if r["PriorityLevelName"] == "narrow"]
            self.assertEqual({(r["Verb"], r["Resource"]) for r in requests}, {kind})
            answers.set()
            codes = {w.result().status for w in waiting}
        self.assertEqual(self.metric(away), 0)
        return codes

    def test_a_webhook_that_hangs_holds_no_seats(self):
        hook, config, answers = self.serve(hooks.AdmissionServer, lambda _: {"allowed": True})
        path, body = hooks.configuration("validating", "hangs", hooks.webhook(
            "hangs.example.com", config, [hooks.rule("secrets")], timeoutSeconds=30))
        self.assertEqual(self.server.post(path, body).status, 201)
        self.addCleanup(self.server.delete, f"{path}/hangs")
        codes = self.check_that_seats_are_free(hook, answers, lambda i: self.server.post(
            "/api/v1/namespaces/default/secrets", {"metadata": {"name": f"s{i}"}}, headers=BOB, client="anonymous",
            timeout=60), ("create", "secrets"))
        self.assertEqual(codes, {201})

    def test_a_conversion_webhook_that_hangs_holds_no_seats(self):
        hook, config, answers = self.serve(conversion.ConversionServer, conversion.convert)
        made = self.server.post(conversion.DEFINITIONS, conversion.definition("sites", config))
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{conversion.DEFINITIONS}/sites.{conversion.GROUP}")
        harness.wait_until(lambda: self.server.get(conversion.path("sites", "v2")).status == 200, "sites to be served")
        for i in range(5):
            made = self.server.post(conversion.path("sites", "v2"), conversion.site("sites", "v2", f"s{i}"))
            self.assertEqual(made.status, 201, made)
        codes = self.check_that_seats_are_free(hook, answers, lambda i: self.server.get(
            conversion.path("sites", "v1", f"s{i}"), headers=BOB, client="anonymous", timeout=60), ("get", "sites"))
        self.assertEqual(codes, {200})

    def test_a_full_level_makes_wait_then_turns_away_and_others_pass(self):
        full_before = self.rejected("queue-full")
        end = self.hold_a_seat("first")
        harness.wait_until(lambda: self.row()["ExecutingRequests"] == "1", "the seat to be taken")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            second = pool.submit(self.get)
            harness.wait_until(lambda: self.row()["WaitingRequests"] == "1", "the second to wait")
            third = self.get()
            self.assertEqual((third.status, third.headers["Retry-After"]), (429, "1"))
            self.assertEqual(third.text, "Too many requests, please try again later.\n")
            self.assertEqual(self.uids("flowschemas")[third.headers["X-Kubernetes-PF-FlowSchema-UID"]], "bobs")
            self.assertEqual(self.get(EVE).status, 404, "another flow")
            self.assertEqual(self.server.get(CONFIG_MAPS).status, 200, "system:masters")
            self.assertEqual(self.server.get("/readyz").status, 200)
            self.assertEqual(self.get(path="/readyz").status, 200, "bob's probes are exempt")
            self.assertFalse(second.done())

            requests = [r for r in self.dump("dump_requests", "?includeRequestDetails=1")
                        if r["PriorityLevelName"] == "narrow"]
            self.assertEqual([(r["FlowSchemaName"], r["RequestIndexInQueue"], r["FlowDistingsher"], r["UserName"],
                               r["Verb"], r["Resource"]) for r in requests],
                             [("bobs", "0", "", "bob", "get", "configmaps"),
                              ("bobs", "-1", "", "bob", "create", "configmaps")])
            queues = [r for r in self.dump("dump_queues") if r["PriorityLevelName"] == "narrow"]
            self.assertEqual([(q["PendingRequests"], q["ExecutingRequests"], q["SeatsInUse"], q["TotalWorkSum"])
                              for q in queues], [("1", "1", "1", "0.00300000ss")])

            self.assertEqual(end().status, 201)
            self.assertEqual(second.result().status, 404)
        self.assertEqual(self.rejected("queue-full"), full_before + 1)
        self.assertEqual(self.metric('apiserver_flowcontrol_nominal_limit_seats{priority_level="narrow"}'), 1)
        # The only seat was taken, and another waited, for more than a millisecond.
        usage = {"priority_level_seat_utilization": 'phase="executing",', "demand_seats": "",
                 "priority_level_request_utilization": 'phase="waiting",'}
        for name, phase in usage.items():
            sum_of_shares = self.metric(f'apiserver_flowcontrol_{name}_sum{{{phase}priority_level="narrow"}}')
            self.assertGreater(sum_of_shares, 1e3, name)
        for kind in ("readOnly", "mutating"):
            self.assertGreater(self.metric("apiserver_flowcontrol_read_vs_write_current_requests_count"
                                           f'{{phase="waiting",request_kind="{kind}"}}'), 0)
        self.assertGreater(self.metric('apiserver_flowcontrol_priority_level_seat_utilization_sum'
                                       '{phase="executing",priority_level="exempt"}'), 0)
        labels = '{flow_schema="bobs",priority_level="narrow"}'
        for gauge in ("inqueue_requests", "inqueue_seats", "executing_requests", "executing_seats"):
            self.assertEqual(self.metric(f"apiserver_flowcontrol_current_{gauge}{labels}"), 0, gauge)

    def test_a_client_that_leaves_waits_no_longer(self):
        end = self.hold_a_seat("second")
        harness.wait_until(lambda: self.row()["ExecutingRequests"] == "1", "the seat to be taken")
        leaving = self.server.connect(client="anonymous")
        leaving.request("GET", CONFIG_MAPS, headers=BOB)
        harness.wait_until(lambda: self.row()["WaitingRequests"] == "1", "it to wait")
        leaving.close()
        harness.wait_until(lambda: self.row()["WaitingRequests"] == "0", "it to be given up")
        self.assertEqual(end().status, 201)

    def test_a_wait_ends_with_a_quarter_of_the_deadline(self):
        end = self.hold_a_seat("third")
        harness.wait_until(lambda: self.row()["ExecutingRequests"] == "1", "the seat to be taken")
        before = self.rejected("time-out")
        late = self.get(path=CONFIG_MAPS + "/none?timeout=400ms")
        self.assertEqual(late.status, 429)
        self.assertEqual(self.rejected("time-out"), before + 1)
        self.assertEqual(end().status, 201)

    def test_watches_hold_their_seat_until_they_are_initialised(self):
        for _ in range(3):
            connection = self.server.connect(client="anonymous")
            self.addCleanup(connection.close)
            connection.request("GET", CONFIG_MAPS + "?watch=true", headers=BOB)
            self.assertEqual(connection.getresponse().status, 200)
        harness.wait_until(lambda: self.row()["ExecutingRequests"] == "0", "the watches to be initialised")
        self.assertEqual(self.get().status, 404)

    def test_a_change_takes_effect_while_requests_are_under_way(self):
        end = self.hold_a_seat("fourth")
        harness.wait_until(lambda: self.row()["ExecutingRequests"] == "1", "the seat to be taken")
        self.put(f"{GROUP}/prioritylevelconfigurations", level(queues=0))
        harness.wait_until(lambda: self.get().status == 429, "nobody to wait any more")
        self.put(f"{GROUP}/prioritylevelconfigurations", level(queues=0, shares=10_000))
        harness.wait_until(lambda: self.get().status == 404, "more seats")
        self.put(f"{GROUP}/flowschemas", schema("bobs", "bob", "no-such-level"))
        self.wait_for_level("global-default")
        dangling = harness.wait_until(lambda: next(
            (c for c in self.server.get(f"{GROUP}/flowschemas/bobs").json()["status"].get("conditions", ())
             if c["status"] == "True"), None), "the condition")
        self.assertEqual((dangling["type"], dangling["reason"]), ("Dangling", "NotFound"))
        self.assertEqual(end().status, 201)

    def test_a_flood_of_one_user_lets_another_of_the_same_level_through(self):
        self.put(f"{GROUP}/prioritylevelconfigurations", level(queues=64, length=20))
        self.put(f"{GROUP}/flowschemas", schema("eves", "eve"))
        harness.wait_until(lambda: self.level_of("eve") == "narrow", "eve's requests to be in the level")
        with concurrent.futures.ThreadPoolExecutor(max_workers=40) as pool:
            flood = [pool.submit(self.get) for _ in range(400)]
            answers = [self.get(EVE).status for _ in range(20)]
            self.assertEqual(set(answers), {404}, "never turned away")
            self.assertLessEqual({f.result().status for f in flood}, {404, 429})


class SwitchedOffTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--enable-priority-and-fairness=false")

    def test_answers_tell_nothing_of_it(self):
        answer = self.server.get(CONFIG_MAPS)
        self.assertEqual(answer.status, 200)
        self.assertIsNone(answer.headers["X-Kubernetes-PF-FlowSchema-UID"])
        self.assertEqual(self.server.get(f"{DUMPS}/dump_queues").status, 404)


if __name__ == "__main__":
    unittest.main()
