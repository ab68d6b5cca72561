#include "auth/authz/authorization_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "auth/authz/authorizer_chain.h"
#include "auth/authz/authorizers.h"
#include "auth/testing/fake_remote.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

using ::testing::HasSubstr;

constexpr const char* kConfigHead =
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n";

class AuthorizationConfigTest : public ::testing::Test {
 protected:
  AuthorizationConfigTest() {
    static int count = 0;
    kubeconfig_ = std::filesystem::temp_directory_path() /
                  ("keelson-authz-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    std::ofstream(kubeconfig_) << R"({"current-context":"c","clusters":[{"name":"w","cluster":{)"
                                  R"("server":"https://hook.example/authz"}}],)"
                                  R"("contexts":[{"name":"c","context":{"cluster":"w","user":""}}]})";
  }
  ~AuthorizationConfigTest() override { std::filesystem::remove(kubeconfig_); }

  static AuthorizationConfig Parsed(const std::string& authorizers) {
    auto parsed = ParseAuthorizationConfig(kConfigHead + authorizers);
    if (!parsed) ADD_FAILURE() << parsed.error();
    return parsed ? *parsed : AuthorizationConfig();
  }
  static std::string Wrong(const AuthorizationConfig& config, std::vector<std::string> required = {}) {
    const auto valid = ValidateAuthorizationConfig(config, required);
    return valid ? "" : valid.error();
  }
  static std::string Wrong(const std::string& authorizers) { return Wrong(Parsed(authorizers)); }

  // A webhook without faults.
  AuthorizerConfig Webhook(std::string name = "hook") const {
    return {.type = "Webhook",
            .name = std::move(name),
            .webhook = WebhookAuthorizerConfig{.timeout = std::chrono::seconds(3),
                                               .review_version = "v1",
                                               .failure_policy = "Deny",
                                               .connection_type = "KubeConfigFile",
                                               .kubeconfig_file = kubeconfig_.string()}};
  }
  template <class Change>
  std::string WrongWebhook(const Change& change) const {
    AuthorizerConfig hook = Webhook();
    change(*hook.webhook);
    return Wrong(AuthorizationConfig{{hook}});
  }

  std::filesystem::path kubeconfig_;
};

TEST_F(AuthorizationConfigTest, AFileIsReadWithItsDefaults) {
  const AuthorizationConfig config = Parsed(R"(
authorizers:
- type: Webhook
  name: first.example
  webhook:
    authorizedTTL: 1m30s
    cacheAuthorizedRequests: false
    unauthorizedTTL: 0s
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: /etc/hook}
    matchConditions:
    - expression: has(request.resourceAttributes)
- {type: RBAC, name: rbac}
)");
  ASSERT_EQ(config.authorizers.size(), 2u);
  const AuthorizerConfig& first = config.authorizers[0];
  EXPECT_EQ(first.name, "first.example");
  EXPECT_EQ(first.webhook->authorized_ttl, std::chrono::seconds(90));
  EXPECT_FALSE(first.webhook->cache_authorized);
  EXPECT_EQ(first.webhook->unauthorized_ttl, std::chrono::seconds(30));
  EXPECT_TRUE(first.webhook->cache_unauthorized);
  EXPECT_EQ(first.webhook->timeout, std::chrono::seconds(3));
  EXPECT_EQ(first.webhook->kubeconfig_file, "/etc/hook");
  EXPECT_EQ(first.webhook->match_conditions.size(), 1u);
  EXPECT_EQ(config.authorizers[1].type, "RBAC");
  EXPECT_FALSE(config.authorizers[1].webhook);
}

TEST_F(AuthorizationConfigTest, AllVersionsAreReadAndOthersAreNot) {
  for (const char* version : {"v1", "v1beta1", "v1alpha1"})
    EXPECT_TRUE(ParseAuthorizationConfig(std::string("apiVersion: apiserver.config.k8s.io/") + version +
                                         "\nkind: AuthorizationConfiguration"));
  EXPECT_THAT(ParseAuthorizationConfig("apiVersion: v1\nkind: Pod").error(),
              HasSubstr(R"(no kind "Pod" is registered for version "v1")"));
  EXPECT_EQ(ParseAuthorizationConfig(std::string(kConfigHead) + "authorizers: [{typ: RBAC}]").error(),
            R"(strict decoding error: unknown field "authorizers[0].typ")");
  EXPECT_THAT(ParseAuthorizationConfig(std::string(kConfigHead) + "authorizers: [{webhook: {timeout: soon}}]")
                  .error(),
              HasSubstr(R"(authorizers[0].webhook.timeout: time: invalid duration "soon")"));
}

TEST_F(AuthorizationConfigTest, TypesAndNamesAreChecked) {
  EXPECT_EQ(Wrong(AuthorizationConfig()),
            "authorizers: Required value: at least one authorization mode must be defined");
  EXPECT_EQ(Wrong("authorizers: [{name: a}]"), "authorizers[0].type: Required value");
  EXPECT_EQ(Wrong("authorizers: [{type: Foo, name: foo}]"),
            R"(authorizers[0].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", )"
            R"("AlwaysDeny", "Node", "RBAC", "Webhook")");
  EXPECT_EQ(Wrong("authorizers: [{type: RBAC, name: rbac}, {type: RBAC, name: rbac}]"),
            R"(authorizers[1].type: Duplicate value: "RBAC")");
  EXPECT_EQ(Wrong("authorizers: [{type: RBAC}]"), "authorizers[0].name: Required value");
  EXPECT_EQ(Wrong("authorizers: [{type: RBAC, name: a}, {type: Node, name: a}]"),
            R"(authorizers[1].name: Duplicate value: "a")");
  EXPECT_THAT(
      Wrong("authorizers: [{type: RBAC, name: A}]"),
      HasSubstr(R"(authorizers[0].name: Invalid value: "A": authorizer name is invalid: a lowercase)"));
  EXPECT_EQ(Wrong("authorizers: [{type: RBAC, name: rbac, webhook: {}}]"),
            R"(authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook)");
  EXPECT_EQ(Wrong("authorizers: [{type: Webhook, name: a}]"),
            "authorizers[0].webhook: Required value: required when type=Webhook");
  EXPECT_EQ(Wrong("authorizers: [{type: RBAC, name: a}, {type: AlwaysDeny, name: b}]"),
            "[expected name rbac for authorizer RBAC instead of a, expected name alwaysdeny for authorizer "
            "AlwaysDeny instead of b]");
  EXPECT_EQ(Wrong(Parsed("authorizers: [{type: RBAC, name: rbac}]"), {"RBAC", "Node", "ABAC"}),
            "missing required types: [ABAC Node]");
}

TEST_F(AuthorizationConfigTest, WebhooksAreCheckedUnderTheAuthorizersPath) {
  EXPECT_EQ(Wrong(AuthorizationConfig{{Webhook("a"), Webhook("b")}}), "");
  EXPECT_EQ(
      Wrong("authorizers: [{type: Webhook, name: a, webhook: {}}]"),
      "[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: Required "
      "value, authorizers[0].failurePolicy: Required value, authorizers[0].connectionInfo.type: Required "
      "value]");
  using Hook = WebhookAuthorizerConfig;
  EXPECT_EQ(WrongWebhook([](Hook& w) { w.timeout = std::chrono::seconds(31); }),
            R"(authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s)");
  EXPECT_EQ(WrongWebhook([](Hook& w) { w.authorized_ttl = std::chrono::minutes(-1); }),
            R"(authorizers[0].authorizedTTL: Invalid value: "-1m0s": must be > 0s)");
  EXPECT_EQ(WrongWebhook([](Hook& w) { w.review_version = "v2"; }),
            R"(authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", )"
            R"("v1beta1")");
  EXPECT_EQ(WrongWebhook([](Hook& w) { w.condition_version = "v1beta1"; }),
            R"(authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": )"
            R"(supported values: "v1")");
  EXPECT_EQ(WrongWebhook([](Hook& w) { w.match_conditions = {"true"}; }),
            "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match "
            "conditions are specified");
  EXPECT_EQ(
      WrongWebhook([](Hook& w) { w.failure_policy = "Fail"; }),
      R"(authorizers[0].failurePolicy: Unsupported value: "Fail": supported values: "NoOpinion", "Deny")");
  EXPECT_EQ(WrongWebhook([](Hook& w) {
              w.condition_version = "v1";
              w.match_conditions = {"1"};
            }),
            R"(authorizers[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool but )"
            R"(got int)");
}

TEST_F(AuthorizationConfigTest, ConnectionsAreChecked) {
  using Hook = WebhookAuthorizerConfig;
  const auto wrong = [&](std::string type, std::optional<std::string> file) {
    return WrongWebhook([&](Hook& w) {
      w.connection_type = type;
      w.kubeconfig_file = file;
    });
  };
  EXPECT_EQ(wrong("InClusterConfig", "/a"),
            R"(authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/a": can only be set when )"
            R"(type=KubeConfigFile)");
  EXPECT_EQ(wrong("KubeConfigFile", std::nullopt),
            "authorizers[0].connectionInfo.kubeConfigFile: Required value");
  EXPECT_EQ(wrong("KubeConfigFile", "a"),
            R"(authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path)");
  EXPECT_EQ(wrong("KubeConfigFile", "/no/such"),
            R"(authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/no/such": error loading file: )"
            R"(stat /no/such: no such file or directory)");
  EXPECT_EQ(wrong("KubeConfigFile", "/"),
            R"(authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/": must be a regular file)");
  EXPECT_EQ(
      wrong("Other", std::nullopt),
      R"(authorizers[0].connectionInfo.type: Unsupported value: {"Type":"Other","KubeConfigFile":null}: )"
      R"(supported values: "InClusterConfig", "KubeConfigFile")");
}

TEST_F(AuthorizationConfigTest, AChainIsMadeOfWhatWasThereAtTheStartAndOfWebhooks) {
  base::Metrics metrics;
  testing::FakeRemote remote;
  remote.Set("https://hook.example/authz?timeout=3s", R"({"status":{"allowed":true}})");
  ChainDependencies dependencies{
      .made_once = {{"RBAC", AlwaysDeny()}}, .make_client = remote.Maker(), .metrics = metrics};
  const User ann{.name = "ann"};
  const AuthorizerConfig rbac{.type = "RBAC", .name = "rbac"};

  ReplaceableAuthorizer chain(*MakeAuthorizerChain({{rbac}}, dependencies));
  EXPECT_NE(chain.AuthorizeNow({.user = &ann})->decision, Decision::kAllow);
  chain.Replace(*MakeAuthorizerChain({{rbac, Webhook()}}, dependencies));
  EXPECT_FALSE(chain.AuthorizeNow({.user = &ann}));
  EXPECT_EQ(base::SyncWait(chain.Authorize({.user = &ann})).decision, Decision::kAllow);
  EXPECT_THAT(
      metrics.Render(),
      HasSubstr(
          R"(apiserver_authorization_decisions_total{type="Webhook",name="hook",decision="allowed"} 1)"));
  EXPECT_TRUE(base::SyncWait(chain.RulesFor(ann, "demo")).incomplete);

  EXPECT_EQ(MakeAuthorizerChain({{{.type = "Node", .name = "node"}}}, dependencies).error(),
            "authorizer type Node is not allowed if it was not enabled at initial server startup");
  AuthorizerConfig in_cluster = Webhook();
  in_cluster.webhook->connection_type = "InClusterConfig";
  EXPECT_EQ(MakeAuthorizerChain({{in_cluster}}, dependencies).error(),
            "authorizer \"hook\": connectionInfo.type InClusterConfig would make this server ask itself: use "
            "KubeConfigFile");
}

}  // namespace
}  // namespace keelson::auth
