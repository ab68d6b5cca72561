// /statusz, /flagz and /debug/flags.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/sync_wait.h"
#include "base/version.h"
#include "server/routes/debug_flags.h"
#include "server/routes/zpages.h"
#include "server/testing/requests.h"

namespace keelson::server {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class DebugPagesTest : public ::testing::Test {
 protected:
  DebugPagesTest() {
    router_.AddListed("/livez/ping");
    router_.AddListed("/livez");
    router_.AddListed("/apis/apps");
    InstallStatusz(router_);
    InstallFlagz(router_, {{"secure-port", "6443"}, {"v", "0"}});
    InstallDebugFlags(router_);
  }
  struct Reply {
    int status;
    std::string type, warning, body;
  };
  Reply Ask(std::string method, std::string_view path, std::string_view accept = "") {
    net::http::Request request = testing::MakeRequest(std::move(method), path);
    if (!accept.empty()) request.headers.Set("accept", accept);
    IncomingRequestPtr x(new IncomingRequest(request, {}));
    x->info.path = x->request.path;
    net::http::Response response = base::SyncWait(router_.Route(*x));
    return {response.status, std::string(response.headers.Get("content-type").value_or("")),
            std::string(response.headers.Get("warning").value_or("")), testing::ReadBody(response)};
  }
  Router router_;
};

TEST_F(DebugPagesTest, PeopleGetText) {
  for (const char* const accept : {"", "text/plain", "*/*", "text/html, */*;q=0.8",
                                   "application/json;v=v9;g=config.k8s.io;as=Statusz,*/*"}) {
    const Reply reply = Ask("GET", "/statusz", accept);
    EXPECT_EQ(reply.status, 200) << accept;
    EXPECT_EQ(reply.type, "text/plain; charset=utf-8");
    EXPECT_THAT(reply.body,
                StartsWith("\napiserver statusz\nWarning: This endpoint is not meant to be machine "));
    EXPECT_THAT(reply.body, HasSubstr("/flagz /livez /statusz\n"));
    EXPECT_THAT(reply.body, HasSubstr("Binary version"));
  }
  EXPECT_THAT(Ask("GET", "/flagz").body,
              MatchesRegex("\napiserver flagz\nWarning: .*\nsecure-port[:= ]+6443\nv[:= ]+0\n"));
}

TEST_F(DebugPagesTest, ProgramsGetObjectsOfTheVersionTheyAskFor) {
  const Reply json = Ask("GET", "/statusz", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz");
  EXPECT_EQ(json.type, "application/json");
  EXPECT_EQ(json.warning, "");
  EXPECT_THAT(
      json.body,
      StartsWith(
          R"({"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},)"));
  EXPECT_THAT(json.body, HasSubstr(R"("binaryVersion":")" KEELSON_KUBERNETES_VERSION "\""));
  EXPECT_THAT(json.body, HasSubstr(R"("paths":["/flagz","/livez","/statusz"]})"));

  const Reply yaml = Ask("GET", "/flagz", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(yaml.type, "application/yaml");
  EXPECT_EQ(yaml.warning,
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer version.\"");
  EXPECT_THAT(yaml.body, HasSubstr("flags:\n  secure-port: \"6443\"\n"));
}

TEST_F(DebugPagesTest, OtherFormsAreNotAcceptable) {
  for (const char* const accept :
       {"application/xml", "application/json", "application/json;v=v1beta1;g=config.k8s.io",
        "application/json;v=v1beta1;g=config.k8s.io;as=Flagz", "application/vnd.kubernetes.protobuf"}) {
    const Reply reply = Ask("GET", "/statusz", accept);
    EXPECT_EQ(reply.status, 406) << accept;
    EXPECT_THAT(reply.body, HasSubstr("only the following media types are accepted: "));
  }
}

TEST_F(DebugPagesTest, TheLogLevelCanOnlyBePut) {
  const Reply reply = Ask("GET", "/debug/flags/v");
  EXPECT_EQ(reply.status, 406);
  EXPECT_EQ(reply.body, "unsupported http method\n");
  EXPECT_THAT(Ask("GET", "/debug/flags").body, HasSubstr("<tr>v<br>"));
}

}  // namespace
}  // namespace keelson::server
