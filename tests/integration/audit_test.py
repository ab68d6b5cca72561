"""Audit: what is recorded of which request, where, and what happens when that is not possible."""

import base64
import fcntl
import http.server
import json
import os
import pathlib
import re
import select
import stat
import tempfile
import threading
import time
import unittest

import admission_webhooks
import harness
import identity

NAMESPACES = "/api/v1/namespaces"
MAPS = "/api/v1/namespaces/default/configmaps"


def policy_file(folder, *rules, **more):
    path = pathlib.Path(folder) / "policy.yaml"
    path.write_text(json.dumps({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": list(rules), **more}))
    return path


class AuditTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-audit-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log_path = self.folder / "logs" / "audit.log"

    def start(self, *rules, flags=(), log=True, **more):
        args = [f"--audit-policy-file={policy_file(self.folder, *rules, **more)}", *flags]
        if log:
            args.append(f"--audit-log-path={self.log_path}")
        server = harness.Server(*args)
        self.addCleanup(server.close)
        return server.start()

    def events(self, audit_id=None, stage=None):
        found = [json.loads(line) for line in self.log_path.read_text().splitlines()]
        return [e for e in found if audit_id in (None, e["auditID"]) and stage in (None, e["stage"])]

    def stages(self, audit_id):
        return [e["stage"] for e in self.events(audit_id)]

    @staticmethod
    def metric(server, line):
        return re.search(rf"^{re.escape(line)} (\d+)$", server.get("/metrics").text, re.M)

    def test_an_event_tells_who_did_what_from_where(self):
        server = self.start({"level": "Metadata"})
        headers = {"Audit-ID": "one", "User-Agent": "x" * 1030, "X-Forwarded-For": "192.0.2.7, nonsense",
                   "X-Real-Ip": "192.0.2.8"}
        made = server.post(MAPS + "?dryRun=All", {"metadata": {"name": "a"}, "data": {"secret": "1"}},
                           headers=headers)
        self.assertEqual((made.status, made.headers["Audit-ID"]), (201, "one"))
        self.assertEqual(self.stages("one"), ["RequestReceived", "ResponseComplete"])
        received, complete = self.events("one")
        self.assertNotIn("responseStatus", received)
        self.assertEqual(received["requestReceivedTimestamp"], received["stageTimestamp"])
        for volatile in ("requestReceivedTimestamp", "stageTimestamp"):
            self.assertRegex(complete.pop(volatile), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual(complete["user"]["username"], "kubernetes-admin")
        self.assertIn("system:masters", complete.pop("user")["groups"])
        self.assertEqual(complete, {
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "one",
            "stage": "ResponseComplete", "requestURI": MAPS + "?dryRun=All", "verb": "create",
            "sourceIPs": ["192.0.2.7", "192.0.2.8", "127.0.0.1"], "userAgent": "x" * 1024 + "...TRUNCATED",
            "objectRef": {"resource": "configmaps", "namespace": "default", "name": "a", "apiVersion": "v1"},
            "responseStatus": {"metadata": {}, "code": 201},
            "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}})

    def test_levels_decide_how_much_is_kept(self):
        server = self.start(
            {"level": "None", "nonResourceURLs": ["/healthz*"]},
            {"level": "Request", "verbs": ["update", "patch"]},
            {"level": "RequestResponse", "resources": [{"group": "", "resources": ["configmaps"]}],
             "omitManagedFields": True},
            {"level": "Metadata"}, omitStages=["RequestReceived"])
        ask = lambda method, path, audit_id, body=None, **kw: server.request(
            method, path, body, headers={"Audit-ID": audit_id, **kw.pop("headers", {})}, **kw)
        ask("GET", "/healthz", "none")
        ask("POST", MAPS, "create", {"metadata": {"name": "a"}, "data": {"k": "v"}})
        ask("PATCH", MAPS + "/a", "patch", '{\n "data": {"k": "w"}\n}',
            headers={"Content-Type": "application/merge-patch+json"})
        ask("PATCH", MAPS + "/a?fieldManager=me&force=true", "apply",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
            headers={"Content-Type": "application/apply-patch+yaml"})
        ask("GET", MAPS, "list", headers={"Accept": "application/vnd.kubernetes.protobuf"})
        ask("DELETE", MAPS + "/a", "delete", {"propagationPolicy": "Background"})
        ask("GET", NAMESPACES, "metadata")
        ask("GET", MAPS + "/gone", "missing")
        server.stop()
        self.assertEqual(self.events("none"), [])
        (created,), (patched,), (applied,) = (self.events(e) for e in ("create", "patch", "apply"))
        self.assertEqual(created["requestObject"],
                         {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {"k": "v"}})
        self.assertEqual(created["responseObject"]["data"], {"k": "v"})
        self.assertEqual(created["responseObject"]["metadata"]["namespace"], "default")
        self.assertNotIn("managedFields", created["responseObject"]["metadata"])
        self.assertEqual(patched["requestObject"], {"data": {"k": "w"}})
        self.assertNotIn("responseObject", patched)
        self.assertEqual(applied["requestObject"]["metadata"], {"name": "a"})
        (listed,), (deleted,), (missing,) = (self.events(e) for e in ("list", "delete", "missing"))
        self.assertEqual(listed["responseObject"]["kind"], "ConfigMapList")
        self.assertNotIn("managedFields", json.dumps(listed))
        self.assertEqual(deleted["requestObject"]["propagationPolicy"], "Background")
        self.assertEqual(deleted["responseObject"]["status"], "Success")
        self.assertEqual(deleted["responseStatus"]["code"], 200)
        self.assertEqual(missing["responseStatus"],
                         {"metadata": {}, "status": "Failure", "message": 'configmaps "gone" not found',
                          "reason": "NotFound", "details": {"name": "gone", "kind": "configmaps"}, "code": 404})
        self.assertEqual(missing["responseObject"]["kind"], "Status")
        (metadata,) = self.events("metadata")
        self.assertNotIn("responseObject", metadata)

    def test_a_watch_is_told_of_when_it_begins_and_when_it_ends(self):
        server = self.start({"level": "Metadata"})
        connection = server.connect(timeout=None)
        connection.request("GET", MAPS + "?watch=true", headers={"Audit-ID": "watch"})
        stream = harness.Stream(connection, connection.getresponse())
        self.assertEqual(self.stages("watch"), ["RequestReceived", "ResponseStarted"])
        stream.close()
        harness.wait_until(lambda: len(self.stages("watch")) == 3, "the end of the watch")
        self.assertEqual(self.events("watch")[2]["stage"], "ResponseComplete")
        self.assertEqual(self.events("watch")[2]["verb"], "watch")

    def test_who_cannot_be_authenticated_is_told_of_too(self):
        server = self.start({"level": "Metadata"})
        answer = server.get(NAMESPACES, client="anonymous",
                            headers={"Audit-ID": "bad", "Authorization": "Bearer nonsense"})
        self.assertEqual(answer.status, 401)
        (event,) = self.events("bad")
        self.assertEqual((event["stage"], event["user"]), ("ResponseStarted", {}))
        self.assertEqual(event["responseStatus"]["code"], 401)
        self.assertNotIn("nonsense", self.log_path.read_text())
        server.get(NAMESPACES, client="anonymous", headers={"Audit-ID": "nobody"})
        forbidden = self.events("nobody")[-1]
        self.assertEqual(forbidden["user"]["username"], "system:anonymous")
        self.assertEqual(forbidden["annotations"]["authorization.k8s.io/decision"], "forbid")
        server.get(NAMESPACES + "?timeout=x", headers={"Audit-ID": "timeout"})
        self.assertEqual([e["responseStatus"]["code"] for e in self.events("timeout")], [400])

    def test_the_user_is_the_one_who_asked_and_the_other_stands_beside(self):
        server = self.start({"level": "Metadata"})
        server.get(NAMESPACES, headers={"Audit-ID": "as", "Impersonate-User": "bob", "Impersonate-Group": "dev"})
        event = self.events("as")[-1]
        self.assertEqual(event["user"]["username"], "kubernetes-admin")
        self.assertEqual(event["impersonatedUser"],
                         {"username": "bob", "groups": ["dev", "system:authenticated"]})
        self.assertEqual(event["responseStatus"]["code"], 403)

    def test_what_is_deprecated_is_marked(self):
        server = self.start({"level": "Metadata"})
        server.get("/api/v1/endpoints", headers={"Audit-ID": "old"})
        # A list is complete when its last byte is sent.
        (complete,) = harness.wait_until(lambda: self.events("old", "ResponseComplete"), "the end of the list")
        self.assertEqual(complete["annotations"]["k8s.io/deprecated"], "true")
        self.assertNotIn("annotations", self.events("old")[0])

    def test_a_slow_request_tells_what_took_its_time(self):
        server = self.start({"level": "Metadata"}, omitStages=["RequestReceived"])
        body = json.dumps({"metadata": {"name": "slow"}}).encode()
        connection = server.connect()
        self.addCleanup(connection.close)
        connection.putrequest("POST", MAPS)
        for key, value in {"Audit-ID": "slow", "Content-Type": "application/json", "Content-Length": len(body)}.items():
            connection.putheader(key, str(value))
        begun = time.monotonic()
        connection.endheaders(body[:5])
        harness.wait_until(lambda: time.monotonic() > begun + 0.6, "the time from which on latencies are told")
        connection.send(body[5:])
        self.assertEqual(connection.getresponse().status, 201)
        annotations = self.events("slow")[0]["annotations"]
        prefix = "apiserver.latency.k8s.io/"
        told = {key.removeprefix(prefix): value for key, value in annotations.items() if key.startswith(prefix)}
        self.assertEqual(set(told), {"authentication", "authorization", "etcd", "serialize-response-object", "total"})
        for part, latency in told.items():
            self.assertRegex(latency, r"^[0-9.]+(ns|µs|ms|s)$", part)

    def test_tokens_in_secrets_are_remarked_on(self):
        key = identity.SigningKey("")
        server = self.start({"level": "Metadata"}, omitStages=["RequestReceived"],
                            flags=(f"--service-account-key-file={key.file}",
                                   f"--service-account-signing-key-file={key.file}"))
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        account = server.post(accounts, {"metadata": {"name": "robot"}}).json()
        prefix = "kubernetes.io/serviceaccount/"
        token = key.token({"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:robot",
                           prefix + "namespace": "default", prefix + "secret.name": "robot-token",
                           prefix + "service-account.name": "robot",
                           prefix + "service-account.uid": account["metadata"]["uid"]}, {"alg": "RS256"})
        secret = {"metadata": {"name": "robot-token", "annotations": {"kubernetes.io/service-account.name": "robot"}},
                  "type": "kubernetes.io/service-account-token", "stringData": {"token": token}}
        self.assertEqual(server.post("/api/v1/namespaces/default/secrets", secret).status, 201)

        def ask(audit_id):
            answer = server.get("/api", client="anonymous",
                                headers={"Audit-ID": audit_id, "Authorization": f"Bearer {token}"})
            remarks = {k: v for k, v in self.events(audit_id)[0].get("annotations", {}).items()
                       if k.startswith("authentication.k8s.io/")}
            return answer.status, answer.headers.get("Warning"), remarks

        legacy = {"authentication.k8s.io/legacy-token": "system:serviceaccount:default:robot"}
        self.assertEqual(ask("manual"), (200, None, {
            **legacy, "authentication.k8s.io/legacy-token-manual-secret": "robot-token"}))
        server.patch(f"{accounts}/robot", {"secrets": [{"name": "robot-token"}]})
        self.assertEqual(ask("automatic"), (
            200, '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of '
            'auto-generated secret-based tokens."',
            {**legacy, "authentication.k8s.io/legacy-token-autogenerated-secret": "robot-token"}))
        review = server.post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": token}},
                             headers={"Audit-ID": "review"})
        self.assertIn("auto-generated", review.headers["Warning"])
        self.assertIn("authentication.k8s.io/legacy-token", self.events("review")[0]["annotations"])
        server.patch("/api/v1/namespaces/default/secrets/robot-token",
                     {"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": "2020-01-01"}}})
        self.assertEqual(ask("invalid"), (401, None, {
            **legacy, "authentication.k8s.io/legacy-token-invalidated": "robot-token/default"}))
        spaced = server.get("/api", client="anonymous", headers={"Authorization": f"Bearer  {token}"})
        self.assertEqual(spaced.headers["Warning"], '299 - "the provided Authorization header contains extra space '
                         'before the bearer token, and is ignored"')

    def test_tokens_and_pod_security_leave_annotations(self):
        server = self.start({"level": "Metadata"}, omitStages=["RequestReceived"])
        server.post("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "ci"}})
        server.post("/api/v1/namespaces/default/serviceaccounts/ci/token", {}, headers={"Audit-ID": "token"})
        self.assertRegex(self.events("token")[0]["annotations"]["authentication.kubernetes.io/issued-credential-id"],
                         r"^JTI=[0-9a-f-]{36}$")
        server.post(NAMESPACES, {"metadata": {"name": "strict",
                                              "labels": {"pod-security.kubernetes.io/audit": "restricted"}}})
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        server.post("/api/v1/namespaces/strict/pods?dryRun=All", pod, headers={"Audit-ID": "pod"})
        annotations = self.events("pod")[0]["annotations"]
        self.assertEqual(annotations["pod-security.kubernetes.io/enforce-policy"], "privileged:latest")
        self.assertTrue(annotations["pod-security.kubernetes.io/audit-violations"].startswith(
            'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false'))

    def test_certificates_of_webhooks_that_are_trusted_no_more_leave_annotations(self):
        server = self.start({"level": "Metadata"}, omitStages=["RequestReceived"])
        authority = identity.Authority("hook-ca")
        self.addCleanup(authority.close)
        bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
        for what, certificate, message, why in (
                ("missing_san", authority.issue("/CN=localhost", "serverAuth"),
                 "x509: certificate relies on legacy Common Name field, use SANs instead",
                 "relies on a legacy Common Name field instead of the SAN extension for subject validation"),
                ("insecure_sha1", authority.issue("/CN=other", "serverAuth", "DNS:localhost", digest="sha1"),
                 'x509: certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure '
                 'algorithm ECDSA-SHA1" while trying to verify candidate authority certificate "hook-ca")',
                 "uses an insecure SHA-1 signature")):
            with self.subTest(what):
                hook = admission_webhooks.AdmissionServer(authority, certificate=certificate)
                self.addCleanup(hook.close)
                path, body = admission_webhooks.configuration("validating", what.replace("_", "-"), admission_webhooks.webhook(
                    "a.example.com", {"url": f"https://localhost:{hook.port}", "caBundle": bundle},
                    [admission_webhooks.rule("configmaps")]))
                self.assertEqual(server.post(path, body).status, 201)
                failed = server.post(MAPS, {"metadata": {"name": "m"}}, headers={"Audit-ID": what})
                self.assertEqual(failed.status, 500, failed)
                self.assertTrue(failed.json()["message"].endswith("tls: failed to verify certificate: " + message), failed)
                self.assertEqual(self.events(what)[0]["annotations"].get(
                    what.replace("_", "-") + ".invalid-cert.kubernetes.io/localhost"), why)
                self.assertEqual(self.metric(server, f"apiserver_webhooks_x509_{what}_total").group(1), "1")
                self.assertEqual(server.delete(f"{path}/{body['metadata']['name']}").status, 200)

    def test_policies_that_audit_do_not_refuse(self):
        server = self.start({"level": "Metadata"}, omitStages=["RequestReceived"])
        group = "/apis/admissionregistration.k8s.io/v1"
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
        server.post(group + "/validatingadmissionpolicies", {
            "metadata": {"name": "named.example.com"},
            "spec": {"matchConstraints": {"resourceRules": [rule]},
                     "validations": [{"expression": "object.metadata.name == 'good'", "message": "not good"}],
                     "auditAnnotations": [{"key": "name", "valueExpression": "string(object.metadata.name)"}]}})
        server.post(group + "/validatingadmissionpolicybindings", {
            "metadata": {"name": "b"},
            "spec": {"policyName": "named.example.com", "validationActions": ["Audit"]}})

        def annotated():
            made = server.post(MAPS + "?dryRun=All", {"metadata": {"name": "bad"}}, headers={"Audit-ID": "policy"})
            self.assertEqual(made.status, 201)
            annotations = self.events("policy")[-1]["annotations"]
            return annotations if "named.example.com/name" in annotations else None
        annotations = harness.wait_until(annotated, "the policy counts")
        self.assertEqual(annotations["named.example.com/name"], "bad")
        self.assertEqual(json.loads(annotations["validation.policy.admission.k8s.io/validation_failure"]),
                         [{"message": "not good", "policy": "named.example.com", "binding": "b",
                           "expressionIndex": 0, "validationActions": ["Audit"]}])

    def test_the_log_is_its_owners_and_is_put_aside_when_it_is_full(self):
        server = self.start({"level": "Request"}, flags=["--audit-log-maxsize=1", "--audit-log-mode=batch",
                                                         "--audit-log-maxbackup=1", "--audit-log-compress"])
        self.assertEqual(stat.S_IMODE(os.stat(self.log_path).st_mode), 0o600)
        for i in range(8):
            server.post(MAPS + "?dryRun=All", {"metadata": {"name": f"m{i}"}, "data": {"k": "v" * 500_000}})
        server.stop()
        names = sorted(p.name for p in self.log_path.parent.iterdir())
        self.assertEqual(names[-1], "audit.log")
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log\.gz$")

    def test_a_request_whose_event_is_lost_fails_where_that_is_wanted(self):
        for mode, status in (("blocking", 200), ("blocking-strict", 500)):
            with self.subTest(mode):
                server = self.start({"level": "None", "nonResourceURLs": ["/readyz*", "/metrics"]},
                                    {"level": "Metadata"}, log=False,
                                    flags=["--audit-log-path=/dev/full", f"--audit-log-mode={mode}"])
                answer = server.get(NAMESPACES)
                self.assertEqual(answer.status, status)
                if status == 500:
                    self.assertEqual(answer.text, f'Internal Server Error: "{NAMESPACES}": failed to store audit '
                                                  "event\n")
                    self.assertTrue(self.metric(server, "apiserver_audit_requests_rejected_total"))
                self.assertTrue(self.metric(server, 'apiserver_audit_error_total{plugin="log"}'))
                self.assertIn("audit events are lost", server.log())

    def written(self):
        """All that stands in the log and in the files put aside, none of which was put aside while they were read."""
        def files():
            return sorted((path, path.stat().st_ino) for path in self.log_path.parent.iterdir())
        while True:
            try:
                before = files()
                text = "".join(path.read_text() for path, _ in before)
                if files() == before:
                    return text
            except FileNotFoundError:
                pass  # renamed meanwhile

    def test_an_answer_comes_after_its_line(self):
        server = self.start({"level": "Metadata"}, flags=["--audit-log-maxsize=1"])
        missing = []

        def client(number):
            connection = server.connect()
            for i in range(40):
                audit_id = f"c{number}-{i}"
                # Long enough that the log is put aside meanwhile.
                connection.request("GET", f"{NAMESPACES}/default?{'x' * 4000}", headers={"Audit-ID": audit_id})
                connection.getresponse().read()
                if self.written().count(f'"auditID":"{audit_id}"') != 2:
                    missing.append(audit_id)
            connection.close()
        clients = [threading.Thread(target=client, args=(i,)) for i in range(6)]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        self.assertEqual(missing, [])
        self.assertGreater(len(list(self.log_path.parent.iterdir())), 1)

    def test_a_pipe_that_nobody_reads_holds_up_only_what_it_should_tell(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        server = self.start({"level": "None", "nonResourceURLs": ["/readyz*", "/livez*"]}, {"level": "Metadata"},
                            log=False, flags=[f"--audit-log-path={pipe}"])
        answered = []
        ask = lambda: answered.append(server.get(NAMESPACES + "/default?" + "x" * 3000).status)
        held = [threading.Thread(target=ask) for _ in range(8)]
        for thread in held:
            thread.start()
        for _ in range(20):
            self.assertEqual([server.get(path).status for path in ("/readyz", "/livez")], [200, 200])
        self.assertLess(len(answered), len(held))
        os.set_blocking(reader, False)
        while len(answered) < len(held):
            if select.select([reader], [], [], 0.1)[0]:
                os.read(reader, 4096)
        self.assertEqual(answered, [200] * len(held))

    def test_events_go_to_a_webhook_in_lists(self):
        lists, failures = [], [1]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = 500 if failures and failures.pop() else 200
                if status == 200:
                    lists.append(body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        webhook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(webhook.server_close)
        self.addCleanup(webhook.shutdown)
        threading.Thread(target=webhook.serve_forever, daemon=True).start()
        kubeconfig = self.folder / "webhook.kubeconfig"
        kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{webhook.server_port}/events"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        server = self.start({"level": "Metadata"}, log=False, omitStages=["RequestReceived"],
                            flags=[f"--audit-webhook-config-file={kubeconfig}", "--audit-webhook-batch-max-wait=50ms",
                                   "--audit-webhook-initial-backoff=10ms"])
        ids = {f"hook-{i}" for i in range(20)}
        for audit_id in ids:
            server.get(NAMESPACES, headers={"Audit-ID": audit_id})
        sent = lambda: {e["auditID"] for received in lists for e in received["items"]}
        harness.wait_until(lambda: ids <= sent(), "all events")
        self.assertEqual((lists[0]["kind"], lists[0]["apiVersion"]), ("EventList", "audit.k8s.io/v1"))
        self.assertNotIn("kind", lists[0]["items"][0])
        server.get(NAMESPACES, headers={"Audit-ID": "last"})
        server.stop()  # sends what waits
        self.assertIn("last", sent())

    def test_a_policy_that_is_wrong_ends_the_start(self):
        path = policy_file(self.folder, {"level": "All"})
        server = harness.Server(f"--audit-policy-file={path}", f"--audit-log-path={self.log_path}")
        self.addCleanup(server.close)
        with self.assertRaises(AssertionError) as failed:
            server.start()
        self.assertIn(f'loading audit policy file: rules[0].level: Unsupported value: "All": supported values: '
                      f'"None", "Metadata", "Request", "RequestResponse": from file {path}', str(failed.exception))

    def test_without_a_policy_nothing_is_recorded(self):
        server = harness.Server(f"--audit-log-path={self.log_path}")
        self.addCleanup(server.close)
        server.start()
        server.get(NAMESPACES)
        self.assertFalse(self.log_path.exists())
        self.assertIn("no audit events are recorded", server.log())


if __name__ == "__main__":
    unittest.main()
