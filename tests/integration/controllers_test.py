"""What the server does by itself: namespaces that go, default objects, aggregated roles, who runs all that."""

import concurrent.futures
import unittest

import etcd
import harness

NAMESPACES = "/api/v1/namespaces"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-controllers"


class WithAllControllers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--controllers=*")
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def new_namespace(self, name):
        self.assertEqual(self.server.post(NAMESPACES, {"metadata": {"name": name}}).status, 201)
        return f"{NAMESPACES}/{name}"

    def appears(self, path):
        def there():
            answer = self.server.get(path)
            return answer.status == 200 and answer.json()
        return harness.wait_until(there, f"{path} is there")

    def goes(self, path):
        harness.wait_until(lambda: self.server.get(path).status == 404, f"{path} is gone")

    def conditions(self, ns):
        status = self.server.get(ns).json()["status"]
        return {c["type"]: (c["status"], c["reason"], c["message"]) for c in status.get("conditions", [])}


class Namespaces(WithAllControllers):
    def test_a_namespace_can_be_made_anew_at_once(self):
        ns = self.new_namespace("again")
        for i in range(3):
            uid = self.server.get(ns).json()["metadata"]["uid"]
            self.server.post(ns + "/configmaps", {"metadata": {"name": f"map-{i}"}})
            self.server.delete(ns)
            self.goes(ns)
            self.new_namespace("again")
            self.appears(ns + "/configmaps/kube-root-ca.crt")
            self.assertEqual(self.server.get(f"{ns}/configmaps/map-{i}").status, 404)
            self.assertNotEqual(self.server.get(ns).json()["metadata"]["uid"], uid)

    def test_conditions_say_what_remains_and_it_goes_with_the_last(self):
        ns = self.new_namespace("held")
        for name in ("a", "b"):
            self.server.post(ns + "/configmaps", {"metadata": {"name": name, "finalizers": ["example.com/hold"]}})
        self.server.delete(ns)
        harness.wait_until(lambda: "NamespaceContentRemaining" in self.conditions(ns), "conditions are told")
        told = self.conditions(ns)
        self.assertEqual(told["NamespaceContentRemaining"], (
            "True", "SomeResourcesRemain", "Some resources are remaining: configmaps. has 2 resource instances"))
        self.assertEqual(told["NamespaceFinalizersRemaining"], (
            "True", "SomeFinalizersRemain",
            "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances"))
        self.assertEqual(told["NamespaceDeletionContentFailure"], (
            "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"))
        self.assertEqual(told["NamespaceDeletionDiscoveryFailure"][1], "ResourcesDiscovered")
        self.assertEqual(told["NamespaceDeletionGroupVersionParsingFailure"][1], "ParsedGroupVersions")
        for name in ("a", "b"):
            self.server.patch(f"{ns}/configmaps/{name}", {"metadata": {"finalizers": None}})
        self.goes(ns)

    def test_pods_go_before_the_rest(self):
        ns = self.new_namespace("ordered")
        self.server.post(ns + "/pods", {"metadata": {"name": "p", "finalizers": ["example.com/hold"]}, "spec": {
            "containers": [{"name": "c", "image": "i"}]}})
        self.server.post(ns + "/configmaps", {"metadata": {"name": "used"}})
        self.server.delete(ns)
        harness.wait_until(lambda: self.conditions(ns), "conditions are told")
        self.assertIn("deletionTimestamp", self.server.get(ns + "/pods/p").json()["metadata"])
        self.assertEqual(self.server.get(ns + "/configmaps/used").status, 200)
        self.server.patch(ns + "/pods/p", {"metadata": {"finalizers": None}})
        self.goes(ns)


class DefaultObjects(WithAllControllers):
    def test_every_namespace_has_a_service_account(self):
        self.appears(NAMESPACES + "/kube-system/serviceaccounts/default")
        ns = self.new_namespace("accounts")
        uid = self.appears(ns + "/serviceaccounts/default")["metadata"]["uid"]
        self.server.delete(ns + "/serviceaccounts/default")
        harness.wait_until(lambda: self.appears(ns + "/serviceaccounts/default")["metadata"]["uid"] != uid, "made anew")

    def test_every_namespace_has_the_root_certificate(self):
        path = self.new_namespace("certificates") + "/configmaps/kube-root-ca.crt"
        right = self.appears(path)["data"]
        self.assertEqual(right, {"ca.crt": (self.server.data_dir / "pki" / "ca.crt").read_text()})
        self.server.patch(path, {"data": {"ca.crt": "", "more": "x"}})
        harness.wait_until(lambda: self.server.get(path).json().get("data") == right, "put right")
        self.server.delete(path)
        self.assertEqual(self.appears(path)["data"], right)

    def test_what_kube_controller_manager_publishes_is_left_alone(self):
        path = self.new_namespace("others") + "/configmaps/kube-root-ca.crt"
        self.appears(path)
        self.server.patch(path + "?fieldManager=kube-controller-manager", {"data": {"ca.crt": "theirs"}})
        self.new_namespace("others-2")
        self.appears(NAMESPACES + "/others-2/configmaps/kube-root-ca.crt")
        self.assertEqual(self.server.get(path).json()["data"], {"ca.crt": "theirs"})


class AggregatedRoles(WithAllControllers):
    RULE = {"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}

    def rules(self, name):
        return self.server.get(f"{ROLES}/{name}").json().get("rules") or []

    def test_a_role_has_the_rules_of_those_it_selects(self):
        self.server.post(ROLES, {"metadata": {"name": "all"}, "aggregationRule": {
            "clusterRoleSelectors": [{"matchLabels": {"to-all": "true"}}]}})
        self.server.post(ROLES, {"metadata": {"name": "some", "labels": {"to-all": "true"}}, "rules": [self.RULE]})
        harness.wait_until(lambda: self.rules("all") == [self.RULE], "aggregated")
        self.server.delete(ROLES + "/some")
        harness.wait_until(lambda: not self.rules("all"), "and taken away")

    def test_the_default_roles_are_aggregated(self):
        harness.wait_until(lambda: len(self.rules("admin")) > len(self.rules("view")) > 0, "admin can more than view")


class Quotas(WithAllControllers):
    def test_the_status_follows_what_is_used(self):
        ns = self.new_namespace("limited")
        hard = {"pods": "10", "requests.cpu": "2", "limits.memory": "4Gi", "services.nodeports": "3", "configmaps": "9",
                "count/secrets": "5", "requests.storage": "10Gi", "resourcequotas": "2"}
        self.server.post(ns + "/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
        self.appears(ns + "/configmaps/kube-root-ca.crt")

        def used():
            return self.server.get(ns + "/resourcequotas/q").json()["status"].get("used", {})
        none = {**{name: "0" for name in hard}, "configmaps": "1", "resourcequotas": "1"}
        harness.wait_until(lambda: used() == none, f"nothing is used yet: {used()}")
        self.assertEqual(self.server.get(ns + "/resourcequotas/q").json()["status"]["hard"], hard)

        resources = {"requests": {"cpu": "250m"}, "limits": {"cpu": "1", "memory": "1Gi"}}
        self.server.post(ns + "/pods", {"metadata": {"name": "p"}, "spec": {"containers": [
            {"name": "c", "image": "i", "resources": resources}, {"name": "d", "image": "i", "resources": resources}]}})
        self.server.post(ns + "/services", {"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}})
        self.server.post(ns + "/secrets", {"metadata": {"name": "s"}})
        self.server.post(ns + "/persistentvolumeclaims", {"metadata": {"name": "v"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "3Gi"}}}})
        some = {**none, "pods": "1", "requests.cpu": "500m", "limits.memory": "2Gi", "services.nodeports": "1",
                "count/secrets": "1", "requests.storage": "3Gi"}
        harness.wait_until(lambda: used() == some, f"{some} are used: {used()}")
        self.server.patch(ns + "/pods/p/status", {"status": {"phase": "Succeeded"}})
        self.server.delete(ns + "/secrets/s")
        less = {**some, "pods": "0", "requests.cpu": "0", "limits.memory": "0", "count/secrets": "0"}
        harness.wait_until(lambda: used() == less, f"{less} are used: {used()}")


    def test_many_writers_at_once_get_no_more_than_there_is(self):
        ns = self.new_namespace("crowded")
        self.appears(ns + "/configmaps/kube-root-ca.crt")
        self.server.post(ns + "/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "21"}}})

        def used():
            return self.server.get(ns + "/resourcequotas/q").json()["status"].get("used", {}).get("configmaps")
        harness.wait_until(lambda: used() == "1", "counted")

        def write(i):
            return self.server.post(ns + "/configmaps", {"metadata": {"name": f"c{i}"}}).status
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(write, range(100)))
        self.assertEqual((statuses.count(201), statuses.count(403)), (20, 80))
        self.assertEqual(len(self.server.get(ns + "/configmaps").json()["items"]), 21)
        self.assertEqual(used(), "21")
        self.server.delete(ns + "/configmaps/c%d" % statuses.index(201))
        harness.wait_until(lambda: used() == "20", "what was deleted is given back")

    def test_a_pod_in_a_new_namespace_waits_for_its_account(self):
        for i in range(5):
            ns = self.new_namespace(f"fresh-{i}")
            made = self.server.post(ns + "/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
            self.assertEqual(made.status, 201, made.body)
            spec = made.json()["spec"]
            self.assertEqual(spec["serviceAccountName"], "default")
            self.assertEqual(spec["containers"][0]["volumeMounts"][0]["name"], spec["volumes"][0]["name"])


class Events(WithAllControllers):
    def test_an_owner_in_another_namespace_is_reported(self):
        near, far = self.new_namespace("near"), self.new_namespace("far")
        owner = self.server.post(far + "/configmaps", {"metadata": {"name": "owner"}}).json()["metadata"]
        self.server.post(near + "/configmaps", {"metadata": {"name": "child", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}]}})
        self.goes(near + "/configmaps/child")
        events = [e for e in self.server.get(near + "/events").json()["items"] if e["involvedObject"]["name"] == "child"]
        self.assertEqual([(e["type"], e["reason"], e["message"]) for e in events], [
            ("Warning", "OwnerRefInvalidNamespace",
             f'ownerRef [v1/ConfigMap, namespace: near, name: owner, uid: {owner["uid"]}] does not exist in namespace "near"')])


class Election(unittest.TestCase):
    def holder(self, server):
        answer = server.get(LEASE)
        return answer.json()["spec"].get("holderIdentity") if answer.status == 200 else None

    def server_on(self, store, controllers="--controllers=*"):
        server = harness.Server(controllers, "--storage-backend=etcd3", f"--etcd-servers={store.url}")
        self.addCleanup(server.close)
        return server.start()

    def expect_all_at_work(self, server, name):
        """Every controller keeps its promise, whoever runs it."""
        ns = f"{NAMESPACES}/{name}"
        server.post(NAMESPACES, {"metadata": {"name": name}})
        for path in (ns + "/serviceaccounts/default", ns + "/configmaps/kube-root-ca.crt"):
            harness.wait_until(lambda path=path: server.get(path).status == 200, f"{path} is there")
        server.post(ROLES, {"metadata": {"name": name}, "aggregationRule": {
            "clusterRoleSelectors": [{"matchLabels": {"to": name}}]}})
        server.post(ROLES, {"metadata": {"name": name + "-part", "labels": {"to": name}}, "rules": [AggregatedRoles.RULE]})
        harness.wait_until(lambda: server.get(f"{ROLES}/{name}").json().get("rules") == [AggregatedRoles.RULE], "aggregated")
        server.post(ns + "/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "5"}}})

        def used():
            return server.get(ns + "/resourcequotas/q").json().get("status", {}).get("used", {}).get("configmaps")
        harness.wait_until(lambda: used() == "1", "counted")
        owner = server.post(ns + "/configmaps", {"metadata": {"name": "owner"}}).json()["metadata"]
        server.post(ns + "/configmaps", {"metadata": {"name": "child", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}]}})
        server.delete(ns + "/configmaps/owner")
        harness.wait_until(lambda: server.get(ns + "/configmaps/child").status == 404, "collected")
        harness.wait_until(lambda: used() == "1", "given back")
        server.delete(ns)
        harness.wait_until(lambda: server.get(ns).status == 404, "the namespace goes")

    def test_a_leader_that_was_killed_is_replaced(self):
        with etcd.Etcd() as store:
            first = self.server_on(store)
            leader = harness.wait_until(lambda: self.holder(first), "somebody leads")
            second = self.server_on(store)
            self.expect_all_at_work(second, "before")
            self.assertEqual(self.holder(second), leader)
            first.kill()
            harness.wait_until(lambda: self.holder(second) not in (None, "", leader), "the lease ran out", 60)
            self.expect_all_at_work(second, "after")

    def test_a_server_without_controllers_leaves_the_lead_to_others(self):
        definition = {"metadata": {"name": "things.example.com"}, "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True,
                          "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        with etcd.Etcd() as store:
            without = self.server_on(store, "--controllers=-*")
            without.post(definitions, definition)
            harness.wait_until(lambda: without.get("/apis/example.com/v1/things").status == 200, "served")

            def established():
                status = without.get(definitions + "/things.example.com").json()["status"]
                return any(c["type"] == "Established" and c["status"] == "True" for c in status.get("conditions", []))
            harness.wait_until(established, "each server looks after definitions")
            self.assertIsNone(self.holder(without))
            self.server_on(store)
            self.expect_all_at_work(without, "shared")
            self.assertTrue(self.holder(without))

    def test_one_of_two_servers_runs_them_and_the_other_takes_over(self):
        with etcd.Etcd() as store:
            flags = ("--controllers=*", "--storage-backend=etcd3", f"--etcd-servers={store.url}")
            first = harness.Server(*flags)
            self.addCleanup(first.close)
            first.start()
            leader = harness.wait_until(lambda: self.holder(first), "somebody leads")
            second = harness.Server(*flags)
            self.addCleanup(second.close)
            second.start()
            second.post(NAMESPACES, {"metadata": {"name": "a"}})
            harness.wait_until(lambda: second.get(NAMESPACES + "/a/serviceaccounts/default").status == 200, "made by the first")
            self.assertEqual(self.holder(second), leader)

            first.stop()
            next_one = harness.wait_until(lambda: self.holder(second) not in (None, "", leader) and self.holder(second),
                                          "the lease was given back")
            second.post(NAMESPACES, {"metadata": {"name": "b"}})
            harness.wait_until(lambda: second.get(NAMESPACES + "/b/serviceaccounts/default").status == 200, "made by the second")
            self.assertEqual(second.get(LEASE).json()["spec"]["leaseTransitions"], 1, next_one)


if __name__ == "__main__":
    unittest.main()
