#include "aggregator/discovery_document.h"

#include <gtest/gtest.h>

namespace keelson::aggregator {
namespace {

TEST(DiscoveryDocumentTest, VersionsAreReadWithTheKindsThatAreMissing) {
  const auto read = ReadGroupDiscoveryList(
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1","items":[
        {"metadata":{"name":"g"},"versions":[
          {"version":"v2","resources":[{"resource":"things","scope":"Cluster","singularResource":"thing",
            "verbs":["get"],"unknown":1,"subresources":[{"subresource":"status","verbs":["get"]}]}]},
          {"version":"v1"}]}]})");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at({"g", "v1"}).view(), "[]");
  EXPECT_EQ(
      read->at({"g", "v2"}).view(),
      R"([{"resource":"things","responseKind":{"group":"","version":"","kind":""},"scope":"Cluster","singularResource":"thing","verbs":["get"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":""},"verbs":["get"]}]}])");
}

TEST(DiscoveryDocumentTest, ResourceListsAreNested) {
  const auto read = ReadResourceList(
      R"({"kind":"APIResourceList","groupVersion":"g/v1","resources":[
        {"name":"things/status","namespaced":true,"kind":"Thing","verbs":["get"]},
        {"name":"things","singularName":"thing","namespaced":true,"kind":"Thing","verbs":["list"],"shortNames":["t"]},
        {"name":"lost/scale","kind":"Scale","group":"autoscaling","version":"v1","verbs":["get"]}]})");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(
      read->view(),
      R"([{"resource":"things","responseKind":{"group":"","version":"","kind":"Thing"},"scope":"Namespaced","singularResource":"thing","verbs":["list"],"shortNames":["t"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"Thing"},"verbs":["get"]}]},)"
      R"({"resource":"lost","responseKind":{"group":"","version":"","kind":""},"scope":"Cluster","singularResource":"","verbs":[],"subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get"]}]}])");
}

TEST(DiscoveryDocumentTest, OtherDocumentsAreRefused) {
  for (const char* text :
       {"", "[]", "null", "{}", R"({"kind":"Status"})", R"({"kind":"APIGroupDiscoveryList","items":7})"})
    EXPECT_FALSE(ReadGroupDiscoveryList(text)) << text;
  for (const char* text :
       {"x", R"({"kind":"APIGroupList"})", R"({"kind":"APIResourceList","resources":[1]})"})
    EXPECT_FALSE(ReadResourceList(text)) << text;
}

TEST(DiscoveryDocumentTest, AnIndexOfOpenApiTellsWhereADocumentIs) {
  constexpr const char* kIndex =
      R"({"paths":{"apis/g/v1":{"serverRelativeURL":"/openapi/v3/apis/g/v1?hash=A"},"apis/g/v2":{"serverRelativeURL":"//evil/"},"x":7}})";
  EXPECT_EQ(ReadOpenApiUrl(kIndex, "apis/g/v1"), "/openapi/v3/apis/g/v1?hash=A");
  for (const char* key : {"apis/g/v2", "x", "none", ""}) EXPECT_EQ(ReadOpenApiUrl(kIndex, key), "") << key;
  for (const char* text : {"", "[]", "{}", R"({"paths":[]})"})
    EXPECT_EQ(ReadOpenApiUrl(text, "x"), "") << text;
}

TEST(DiscoveryDocumentTest, ContentTypesNameTheForm) {
  EXPECT_TRUE(IsGroupDiscoveryList("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"));
  EXPECT_TRUE(
      IsGroupDiscoveryList("application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io"));
  EXPECT_FALSE(IsGroupDiscoveryList("application/json"));
  EXPECT_FALSE(IsGroupDiscoveryList("application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList"));
  EXPECT_FALSE(IsGroupDiscoveryList(""));
}

}  // namespace
}  // namespace keelson::aggregator
