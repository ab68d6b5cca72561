"""What becomes of dependents when their owner goes: background, foreground, orphan."""

import unittest

import harness


class GarbageTest(harness.ServerTestCase):
    def setUp(self):
        self.maps = self.new_namespace() + "/configmaps"

    def make(self, name, *owners, blocks=False, finalizers=()):
        references = [{"apiVersion": "v1", "kind": "ConfigMap", "name": o["metadata"]["name"], "uid": o["metadata"]["uid"],
                       **({"blockOwnerDeletion": True} if blocks else {})} for o in owners]
        made = self.server.post(self.maps, {"metadata": {"name": name, "ownerReferences": references,
                                                         "finalizers": list(finalizers)}})
        self.assertEqual(made.status, 201, made)
        return made.json()

    def remove(self, name, policy):
        answer = self.server.delete(f"{self.maps}/{name}", {"propagationPolicy": policy})
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def names(self):
        return sorted(item["metadata"]["name"] for item in self.server.get(self.maps).json()["items"])

    def settles_at(self, *names):
        harness.wait_until(lambda: self.names() == sorted(names), f"{names} are left, not {self.names()}")

    def test_a_cascade_follows_its_owner(self):
        owner = self.make("owner")
        child = self.make("child", owner)
        self.make("grandchild", child)
        self.make("other")
        self.remove("owner", "Background")
        self.settles_at("other")

    def test_without_a_policy_dependents_go_in_the_background(self):
        self.make("child", self.make("owner"))
        self.server.delete(self.maps + "/owner")
        self.settles_at()

    def test_an_owner_that_never_was_takes_the_object_along(self):
        self.make("child", {"metadata": {"name": "nobody", "uid": "00000000-0000-4000-8000-000000000000"}})
        self.settles_at()

    def test_an_owner_made_anew_under_its_name_is_another_one(self):
        old = self.make("owner")
        self.remove("owner", "Background")
        self.make("owner")
        self.make("child", old)
        self.settles_at("owner")

    def test_one_owner_that_stays_is_enough(self):
        goes, stays = self.make("goes"), self.make("stays")
        self.make("child", goes, stays)
        self.remove("goes", "Background")
        harness.wait_until(
            lambda: [r["name"] for r in self.server.get(self.maps + "/child").json()["metadata"]["ownerReferences"]] == ["stays"],
            "the reference to the owner that is gone is dropped")
        self.assertEqual(self.names(), ["child", "stays"])

    def test_in_the_foreground_the_owner_waits_for_those_that_block(self):
        owner = self.make("owner")
        self.make("child", owner, blocks=True)
        self.make("held", owner, blocks=True, finalizers=["example.com/hold"])
        marked = self.remove("owner", "Foreground")
        self.assertEqual(marked["metadata"]["finalizers"], ["foregroundDeletion"])
        self.settles_at("held", "owner")
        harness.wait_until(lambda: "deletionTimestamp" in self.server.get(self.maps + "/held").json()["metadata"],
                           "the dependent is deleted")
        self.assertEqual(self.names(), ["held", "owner"])
        self.server.patch(self.maps + "/held", {"metadata": {"finalizers": None}})
        self.settles_at()

    def test_orphans_stay_and_forget_their_owner(self):
        owner = self.make("owner")
        self.make("first", owner)
        self.make("second", owner)
        self.remove("owner", "Orphan")
        self.settles_at("first", "second")
        for name in ("first", "second"):
            self.assertNotIn("ownerReferences", self.server.get(f"{self.maps}/{name}").json()["metadata"])

    def test_a_ring_of_owners_goes_as_a_whole(self):
        first = self.make("first")
        second = self.make("second", first, blocks=True)
        self.server.patch(self.maps + "/first", {"metadata": {"ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "second", "uid": second["metadata"]["uid"],
             "blockOwnerDeletion": True}]}})
        self.remove("first", "Foreground")
        self.settles_at()

    def test_an_owner_of_an_unknown_kind_is_no_reason_to_delete(self):
        self.server.post(self.maps, {"metadata": {"name": "child", "ownerReferences": [
            {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": "00000000-0000-4000-8000-000000000000"}]}})
        # When a later garbage object is gone, this one has been looked at.
        self.make("garbage", {"metadata": {"name": "nobody", "uid": "00000000-0000-4000-8000-000000000001"}})
        self.settles_at("child")

    def test_a_restart_collects_what_was_left(self):
        with harness.Server("--controllers=*,-garbage-collector-controller") as first:
            first.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "child", "ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
                 "uid": "00000000-0000-4000-8000-000000000000"}]}})
            self.assertEqual(first.get("/api/v1/namespaces/default/configmaps/child").status, 200)
            first.stop()
            with harness.Server(data_dir=first.data_dir) as second:
                harness.wait_until(
                    lambda: second.get("/api/v1/namespaces/default/configmaps/child").status == 404, "collected")


if __name__ == "__main__":
    unittest.main()
