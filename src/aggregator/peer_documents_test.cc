#include "aggregator/peer_documents.h"

#include <gtest/gtest.h>

namespace keelson::aggregator {
namespace {

using Names = std::vector<std::string>;

std::string Resource(std::string_view name, std::string_view verbs = R"("get")", std::string_view subs = "") {
  std::string json = R"({"resource":")" + std::string(name) +
                     R"(","scope":"Cluster","singularResource":"",)" + R"("verbs":[)" + std::string(verbs) +
                     "]";
  if (!subs.empty()) json += R"(,"subresources":[)" + std::string(subs) + "]";
  return json + "}";
}

std::string Group(std::string_view name, std::string_view versions) {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"versions":[)" + std::string(versions) + "]}";
}

std::string Version(std::string_view name, std::string_view resources) {
  return R"({"version":")" + std::string(name) + R"(","resources":[)" + std::string(resources) +
         R"(],"freshness":"Current"})";
}

std::string Document(std::string_view groups) {
  return R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[)" +
         std::string(groups) + "]}";
}

ServedGroups Read(std::string_view groups) {
  auto read = ReadServedGroups(Document(groups));
  EXPECT_TRUE(read) << read.error();
  return read ? *std::move(read) : ServedGroups();
}

std::string Merged(const ServedGroups& a, const ServedGroups& b, size_t own = 0) {
  const auto merged = MergeServedGroups({&a, &b}, own);
  return merged ? std::string(merged->view()) : "the same";
}

TEST(PeerDocumentsTest, OrdersAreMergedAsUpstreamDoes) {
  EXPECT_EQ(MergeOrders({{"a", "b", "c"}, {"b", "c"}}), (Names{"a", "b", "c"}));
  EXPECT_EQ(MergeOrders({{"a", "c"}, {"b", "c"}}), (Names{"a", "b", "c"}));
  EXPECT_EQ(MergeOrders({{"z", "m"}, {"m", "a", "b"}}), (Names{"z", "m", "a", "b"}));
  EXPECT_EQ(MergeOrders({{"b", "a"}, {"a", "b", "c"}}), (Names{"a", "b", "c"})) << "one has all";
  EXPECT_EQ(MergeOrders({{"b", "a", "x"}, {"a", "b", "y"}}), (Names{"a", "b", "x", "y"}))
      << "a contradiction";
  EXPECT_EQ(MergeOrders({}), Names());
}

TEST(PeerDocumentsTest, ServersThatServeTheSameAreNotMerged) {
  const auto one = Read(Group("apps", Version("v1", Resource("deployments"))));
  EXPECT_EQ(Merged(one, one), "the same");
  EXPECT_EQ(Merged(one, ServedGroups()), "the same");
}

TEST(PeerDocumentsTest, VersionsAndGroupsOfAPeerAreAdded) {
  const auto own = Read(Group("apps", Version("v1", Resource("deployments"))) + "," +
                        Group("batch", Version("v1", Resource("jobs"))));
  const auto peer = Read(
      Group("apps", Version("v1", Resource("deployments")) + "," + Version("v1beta1", Resource("things"))) +
      "," + Group("new", Version("v1", Resource("others"))) + "," +
      Group("batch", Version("v1", Resource("jobs"))));
  const std::string expected = Document(Group("apps", Version("v1", Resource("deployments")) + "," +
                                                          Version("v1beta1", Resource("things"))) +
                                        "," + Group("new", Version("v1", Resource("others"))) + "," +
                                        Group("batch", Version("v1", Resource("jobs")))) +
                               "\n";
  EXPECT_EQ(Merged(own, peer), expected);
  EXPECT_EQ(Merged(own, peer, 1), "the same") << "the peer has all";
}

TEST(PeerDocumentsTest, AResourceHasTheVerbsAndSubresourcesOfAll) {
  const auto own = Read(Group("g", Version("v1", Resource("things", R"("list","get")",
                                                          R"({"subresource":"status","verbs":["get"]})"))));
  const auto peer = Read(Group("g", Version("v1", Resource("things", R"("get","watch")",
                                                           R"({"subresource":"scale","verbs":["get"]})"))));
  EXPECT_EQ(Merged(own, peer),
            Document(Group("g", Version("v1", Resource("things", R"("get","list","watch")",
                                                       R"({"subresource":"scale","verbs":["get"]},)"
                                                       R"({"subresource":"status","verbs":["get"]})")))) +
                "\n");
}

TEST(PeerDocumentsTest, WhatIsNoSuchDocumentIsAnError) {
  for (const std::string_view bad : {"", "{", "[]", R"({"kind":"APIGroupList"})", R"({"items":3})"})
    EXPECT_FALSE(ReadServedGroups(bad)) << bad;
}

}  // namespace
}  // namespace keelson::aggregator
