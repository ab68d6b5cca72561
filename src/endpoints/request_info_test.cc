#include "endpoints/request_info.h"

#include <gtest/gtest.h>

namespace keelson::endpoints {
namespace {

struct Case {
  const char* method;
  const char* path;
  const char* query;
  const char* verb;
  const char* group;
  const char* version;
  const char* ns;
  const char* resource;
  const char* subresource;
  const char* name;
};

TEST(RequestInfoTest, ResourcePathsTellVerbAndResource) {
  const Case cases[] = {
      {"GET", "/api/v1/namespaces", "", "list", "", "v1", "", "namespaces", "", ""},
      {"GET", "/api/v1/namespaces/other", "", "get", "", "v1", "other", "namespaces", "", "other"},
      {"PUT", "/api/v1/namespaces/other/finalize", "", "update", "", "v1", "other", "namespaces", "finalize",
       "other"},
      {"GET", "/api/v1/namespaces/other/status", "", "get", "", "v1", "other", "namespaces", "status",
       "other"},
      {"GET", "/api/v1/namespaces/other/pods", "", "list", "", "v1", "other", "pods", "", ""},
      {"GET", "/api/v1/namespaces/other/pods/", "", "list", "", "v1", "other", "pods", "", ""},
      {"HEAD", "/api/v1/namespaces/other/pods/foo", "", "get", "", "v1", "other", "pods", "", "foo"},
      {"GET", "/api/v1/pods", "", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods", "watch=true", "watch", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods", "watch=false", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods", "watch", "watch", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dfoo", "list", "", "v1", "", "pods", "", "foo"},
      {"GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dfoo%2Fbar", "list", "", "v1", "", "pods", "",
       ""},
      {"GET", "/api/v1/pods", "labelSelector=%3D&fieldSelector=metadata.name%3Dfoo", "list", "", "v1", "",
       "pods", "", "foo"},
      {"GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dfoo,x", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods", "limit=x&fieldSelector=metadata.name%3Dfoo", "list", "", "v1", "", "pods", "",
       ""},
      {"POST", "/api/v1/namespaces/other/pods", "", "create", "", "v1", "other", "pods", "", ""},
      {"PUT", "/api/v1/namespaces/other/pods/foo", "", "update", "", "v1", "other", "pods", "", "foo"},
      {"PATCH", "/api/v1/namespaces/other/pods/foo", "", "patch", "", "v1", "other", "pods", "", "foo"},
      {"DELETE", "/api/v1/namespaces/other/pods/foo", "", "delete", "", "v1", "other", "pods", "", "foo"},
      {"DELETE", "/api/v1/namespaces/other/pods", "", "deletecollection", "", "v1", "other", "pods", "", ""},
      {"GET", "/api/v1/watch/namespaces/other/pods", "", "watch", "", "v1", "other", "pods", "", ""},
      {"GET", "/api/v1/watch/pods/foo", "", "watch", "", "v1", "", "pods", "", "foo"},
      {"GET", "/apis/apps/v1/namespaces/n/deployments/d/scale", "", "get", "apps", "v1", "n", "deployments",
       "scale", "d"},
      {"GET", "/apis/apps/v1/deployments", "", "list", "apps", "v1", "", "deployments", "", ""},
      {"POST", "/api/v1/namespaces/other/pods/foo/exec/sub/path", "", "create", "", "v1", "other", "pods",
       "exec", "foo"},
      {"GET", "/api/v1/nodes/a%2Db", "", "get", "", "v1", "", "nodes", "", "a-b"},
      {"OPTIONS", "/api/v1/nodes/a", "", "", "", "v1", "", "nodes", "", "a"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + c.path + "?" + c.query);
    RequestInfo info = ParseRequestInfo(c.method, c.path, c.query);
    EXPECT_TRUE(info.resource_request);
    EXPECT_EQ(info.verb, c.verb);
    EXPECT_EQ(info.group, c.group);
    EXPECT_EQ(info.version, c.version);
    EXPECT_EQ(info.ns, c.ns);
    EXPECT_EQ(info.resource, c.resource);
    EXPECT_EQ(info.subresource, c.subresource);
    EXPECT_EQ(info.name, c.name);
  }
}

TEST(RequestInfoTest, WhatFollowsASubresourceIsNoticed) {
  EXPECT_TRUE(ParseRequestInfo("GET", "/api/v1/namespaces/n/pods/p/proxy/x", "").has_subpath);
  EXPECT_FALSE(ParseRequestInfo("GET", "/api/v1/namespaces/n/pods/p/proxy/", "").has_subpath);
}

TEST(RequestInfoTest, OtherPathsKeepTheMethodAsVerb) {
  for (const char* path :
       {"/", "/healthz", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "//"}) {
    RequestInfo info = ParseRequestInfo("GET", path, "");
    EXPECT_FALSE(info.resource_request) << path;
    EXPECT_EQ(info.verb, "get") << path;
    EXPECT_EQ(info.path, path);
  }
}

}  // namespace
}  // namespace keelson::endpoints
