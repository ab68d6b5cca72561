"""What is read by those who watch over the server: metrics, health, its pages for debugging, its profiles."""

import gzip
import pathlib
import re
import unittest

import harness

MAPS = "/api/v1/namespaces/default/configmaps"
A_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "watched"}, "data": {"a": "b"}}
FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1"


def series(text):
    """All series: (name, labels)."""
    for line in text.splitlines():
        if found := re.match(r"(\w+)(?:\{(.*)\})? (\S+)$", line):
            yield found[1], dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""))


def wanted_series():
    """The lines of monitoring.txt: (line, name, labels); None for any value of a label."""
    for line in (pathlib.Path(__file__).parent / "monitoring.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, labels = line.rstrip("}").partition("{")
        pairs = [label.partition("=") for label in labels.split(",") if label]
        wanted = {label: value if equals else None for label, equals, value in pairs}
        yield line, name + ("_bucket" if "le" in wanted else ""), wanted


def has(found, name, wanted):
    return any(one == name and all(label in labels and value in (None, labels[label]) for label, value in wanted.items())
               for one, labels in found)


class Monitoring(harness.ServerTestCase):
    server_args = ()  # with a store on the disk

    def traffic(self):
        self.server.post(MAPS, A_MAP)
        self.server.get(MAPS)
        self.server.get("/api/v1/configmaps")
        self.server.get(MAPS + "/watched")
        self.server.get(MAPS + "/none")
        self.server.put(MAPS + "/watched", A_MAP)
        self.server.patch(MAPS + "/watched", {"data": {"c": "d"}})
        self.server.delete(MAPS + "/watched")
        self.server.get("/version")

    def refuse_one(self):
        """Whose priority level has one seat, and holds it, is answered 429."""
        self.server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": "refused"}, "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "refused"}]})
        self.server.post(FLOW_CONTROL + "/prioritylevelconfigurations", {
            "metadata": {"name": "nothing"}, "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": 0, "lendablePercent": 0, "borrowingLimitPercent": 0,
                "limitResponse": {"type": "Reject"}}}})
        self.server.post(FLOW_CONTROL + "/flowschemas", {
            "metadata": {"name": "refused"}, "spec": {
                "matchingPrecedence": 10, "priorityLevelConfiguration": {"name": "nothing"},
                "rules": [{"subjects": [{"kind": "User", "user": {"name": "refused"}}],
                           "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                                              "clusterScope": True, "namespaces": ["*"]}]}]}})
        headers = {"Impersonate-User": "refused"}
        uids = {o["metadata"]["name"]: o["metadata"]["uid"] for o in
                self.server.get(FLOW_CONTROL + "/prioritylevelconfigurations").json()["items"]}
        harness.wait_until(lambda: self.server.get(MAPS, headers=headers).headers["X-Kubernetes-PF-PriorityLevel-UID"] ==
                           uids["nothing"], "the level to count")
        holder = self.server.connect()
        holder.putrequest("POST", MAPS)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": "1000"}.items():
            holder.putheader(name, value)
        holder.endheaders()  # and no body
        harness.wait_until(lambda: self.server.get(MAPS, headers=headers).status == 429, "the refusal")
        holder.close()

    def aggregate_nothing(self):
        """An API whose server does not exist becomes unavailable, and once more after somebody has said otherwise."""
        created = self.server.post("/apis/apiregistration.k8s.io/v1/apiservices", {
            "metadata": {"name": "v1.nowhere.example.com"}, "spec": {
                "group": "nowhere.example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 10,
                "service": {"namespace": "default", "name": "nowhere"}}})
        self.assertEqual(created.status, 201, created)
        path = "/apis/apiregistration.k8s.io/v1/apiservices/v1.nowhere.example.com"
        harness.wait_until(lambda: self.server.get(path).json().get("status"), "the verdict")
        said = {"type": "Available", "status": "True", "reason": "Claimed", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        patched = self.server.patch(path + "/status", {"status": {"conditions": [said]}})
        self.assertEqual(patched.status, 200, patched)

    def test_every_series_that_kubernetes_mixin_reads_is_there(self):
        self.traffic()
        self.refuse_one()
        self.aggregate_nothing()

        def missing():
            found = list(series(self.server.get("/metrics").text))
            return [line for line, name, labels in wanted_series() if not has(found, name, labels)]
        try:
            harness.wait_until(lambda: not missing(), "the series")
        except AssertionError:
            self.assertEqual(missing(), [])

    def test_a_deprecated_version_is_noted_with_the_release_that_has_it_no_more(self):
        self.server.get("/api/v1/componentstatuses")
        self.assertIn('apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",'
                      'subresource="",version="v1"} 1\n', self.server.get("/metrics").text)

    def test_the_store_and_the_cache_are_told_of_by_resource(self):
        def values(text):
            return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if "{" in line}
        before = values(self.server.get("/metrics").text)
        self.traffic()
        after = values(self.server.get("/metrics").text)
        labels = 'group="",resource="configmaps"'
        for name in ("apiserver_watch_cache_events_received_total{" + labels + "}",
                     "apiserver_watch_cache_events_dispatched_total{" + labels + "}",
                     'apiserver_cache_list_total{group="",index="",resource="configmaps"}',
                     'etcd_requests_total{group="",operation="create",resource="configmaps"}',
                     'etcd_requests_total{group="",operation="update",resource="configmaps"}',
                     'etcd_requests_total{group="",operation="delete",resource="configmaps"}',
                     'authorization_attempts_total{result="allowed"}',
                     "apiserver_watch_cache_resource_version{" + labels + "}"):
            self.assertGreater(after[name], before.get(name, 0), name)
        self.assertGreater(after['apiserver_storage_size_bytes{storage_cluster_id="etcd-0"}'], 0)
        self.assertIn("apiserver_resource_objects{" + labels + "}", after)
        self.assertEqual(after['kubernetes_feature_enabled{name="ComponentStatusz",stage="BETA"}'], 1)

    def test_what_is_told_of_a_custom_resource_goes_with_it(self):
        """Nobody asks for its objects, which would be counted, too, and like upstream for ever."""
        definitions, name = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "gears.gone.example.com"
        self.server.post(definitions, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
            "spec": {"group": "gone.example.com", "scope": "Cluster", "names": {"plural": "gears", "kind": "Gear"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": {"type": "object"}}}]}})

        def told():
            return [name for name, labels in series(self.server.get("/metrics").text)
                    if labels.get("group") == "gone.example.com"]
        harness.wait_until(lambda: "apiserver_watch_cache_initializations_total" in told(), "its cache among the metrics")
        self.server.delete(f"{definitions}/{name}")
        harness.wait_until(lambda: not told(), "no metric of the resource that is gone")

    def test_watches_are_told_of(self):
        self.server.post(MAPS, dict(A_MAP, metadata={"name": "seen"}))
        watch = self.server.watch(MAPS + "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
                                         "&resourceVersionMatch=NotOlderThan")
        while watch.next()["type"] != "BOOKMARK":
            pass
        watch.close()
        text = self.server.get("/metrics").text
        labels = 'group="",resource="configmaps",version="v1"}'
        self.assertIn("apiserver_watch_events_total{" + labels, text)
        self.assertIn("apiserver_watch_events_sizes_count{" + labels, text)
        self.assertIn('apiserver_watch_list_duration_seconds_count{group="",resource="configmaps",scope="namespace",'
                      'version="v1"}', text)


class Slis(harness.ServerTestCase):
    def test_what_the_pages_of_health_found_is_counted(self):
        self.server.get("/livez")
        text = self.server.get("/metrics/slis").text
        self.assertIn('kubernetes_healthcheck{name="ping",type="livez"} 1\n', text)
        self.assertRegex(text, r'kubernetes_healthchecks_total\{name="etcd",status="success",type="livez"\} [1-9]')
        self.assertRegex(text, r"process_start_time_seconds \d")
        self.assertEqual(self.server.get("/metrics/slis", client="anonymous").status, 403)

    def test_checks_have_upstreams_names(self):
        lines = self.server.get("/readyz?verbose").text.splitlines()
        self.assertEqual(lines[:5], [f"[+]{name} ok" for name in ("ping", "log", "etcd", "etcd-readiness", "informer-sync")])
        for name in ("poststarthook/rbac/bootstrap-roles", "poststarthook/bootstrap-controller", "autoregister-completion",
                     "poststarthook/start-apiextensions-controllers", "poststarthook/crd-informer-synced"):
            self.assertIn(f"[+]{name} ok", lines)
            self.assertEqual(self.server.get(f"/livez/{name}").text, "ok")
        self.assertEqual(lines[-2:], ["[+]shutdown ok", "readyz check passed"])


class PagesForDebugging(harness.ServerTestCase):
    def test_statusz(self):
        self.assertIn("\napiserver statusz\n", self.server.get("/statusz").text)
        accept = {"Accept": "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}
        status = self.server.get("/statusz", headers=accept).json()
        self.assertEqual((status["kind"], status["metadata"]["name"]), ("Statusz", "apiserver"))
        self.assertLessEqual({"/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/flagz", "/version"}, set(status["paths"]))
        self.assertEqual(self.server.get("/statusz", headers={"Accept": "application/json"}).status, 406)
        self.assertEqual(self.server.get("/statusz", client="anonymous").status, 403)

    def test_flagz(self):
        accept = {"Accept": "application/json;v=v1beta1;g=config.k8s.io;as=Flagz"}
        flags = self.server.get("/flagz", headers=accept).json()["flags"]
        self.assertEqual(flags["bind-address"], "127.0.0.1")
        self.assertEqual(flags["profiling"], "true")
        self.assertEqual(flags["goaway-chance"], "0")

    def test_the_log_level_is_changed_while_it_runs(self):
        self.server.get("/version?before")
        self.assertNotIn("HTTP verb=", self.server.log())
        answer = self.server.request("PUT", "/debug/flags/v", "4")
        self.assertEqual((answer.status, answer.text), (200, "successfully set klog.logging.verbosity to 4\n"))
        self.server.get("/version")
        harness.wait_until(lambda: "URI=/version " in self.server.log(), "a line of the request")
        self.assertEqual(self.server.request("PUT", "/debug/flags/v", "0").status, 200)
        self.assertEqual(self.server.request("PUT", "/debug/flags/v", "loud").status, 400)


class Profiles(harness.ServerTestCase):
    def test_the_profiles_of_processor_and_heap_are_those_of_pprof(self):
        cpu = self.server.get("/debug/pprof/profile?seconds=1", timeout=60)
        self.assertEqual((cpu.status, cpu.headers["Content-Type"]), (200, "application/octet-stream"))
        self.assertIn(b"nanoseconds", gzip.decompress(cpu.body))
        heap = self.server.get("/debug/pprof/heap")
        self.assertIn(b"inuse_space", gzip.decompress(heap.body))
        self.assertEqual(self.server.get("/debug/pprof/nothing").status, 404)
        self.assertEqual(self.server.get("/debug/pprof").headers["Location"], "/debug/pprof/")
        self.assertIn("keelson", self.server.get("/debug/pprof/cmdline").text)
        self.assertEqual(self.server.get("/debug/pprof/heap", client="anonymous").status, 403)


class WithoutProfiling(unittest.TestCase):
    def test_nothing_is_profiled(self):
        with harness.Server("--storage-backend=memory", "--profiling=false", "--feature-gates=ComponentFlagz=false") as server:
            for path in ("/debug/pprof/", "/debug/pprof/heap", "/debug/flags/v", "/flagz"):
                self.assertEqual(server.get(path).status, 404, path)
            self.assertEqual(server.get("/statusz").status, 200)


if __name__ == "__main__":
    unittest.main()
