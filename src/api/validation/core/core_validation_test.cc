// Expected errors are what kube-apiserver v1.36 answers to the same objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/core/config_map.h"
#include "api/validation/core/endpoints.h"
#include "api/validation/core/event.h"
#include "api/validation/core/limit_range.h"
#include "api/validation/core/namespace.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/core/resource_quota.h"
#include "api/validation/core/secret.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::core {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::Texts;

using Strings = std::vector<std::string>;

struct Case {
  const char* name;
  std::string_view object;
  Strings errors;
};

struct UpdateCase {
  const char* name;
  std::string_view was, now;
  Strings errors;
};

template <class View>
void ExpectErrors(field::ErrorList (*validate)(View), std::span<const Case> cases) {
  for (const Case& c : cases) {
    const Doc doc = DocFromJson<View>(c.object);
    EXPECT_THAT(Texts(validate(View(doc))), ElementsAreArray(c.errors)) << c.name;
  }
}

template <class View>
void ExpectErrors(field::ErrorList (*validate)(View, View), std::span<const UpdateCase> cases) {
  for (const UpdateCase& c : cases) {
    const Doc now = DocFromJson<View>(c.now), was = DocFromJson<View>(c.was);
    EXPECT_THAT(Texts(validate(View(now), View(was))), ElementsAreArray(c.errors)) << c.name;
  }
}

constexpr std::string_view kConfigKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
    "'KEY_NAME',  "
    "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

TEST(ConfigMapValidationTest, KeysAndSizes) {
  const std::string big =
      R"({"data":{"a":")" + std::string(kMaxSecretSize - 1, 'x') + R"("},"binaryData":{"b":"eHg="}})";
  const Case cases[] = {
      {"empty", "{}", {}},
      {"fine", R"({"data":{"a":"b"},"binaryData":{"c":"eA=="}})", {}},
      {"bad key",
       R"({"data":{"a b":"c"}})",
       {R"(data[a b]: Invalid value: "a b": )" + std::string(kConfigKeyRule)}},
      {"bad binary key",
       R"({"binaryData":{"..":""}})",
       {R"(binaryData[..]: Invalid value: "..": must not be '..')"}},
      {"a key in both",
       R"({"data":{"a":"b"},"binaryData":{"a":"eA=="}})",
       {R"(data[a]: Invalid value: "a": duplicate of key present in binaryData)"}},
      {"too much in all", big, {"[]: Too long: may not be more than 1048576 bytes"}},
  };
  ExpectErrors(ValidateConfigMap, cases);
}

TEST(ConfigMapValidationTest, WhatIsImmutableStays) {
  constexpr std::string_view kWas = R"({"immutable":true,"data":{"a":"b"},"binaryData":{"c":"eA=="}})";
  const UpdateCase cases[] = {
      {"the same", kWas, kWas, {}},
      {"mutable changes", R"({"data":{"a":"b"}})", R"({"immutable":true,"data":{"a":"c"}})", {}},
      {"everything changes",
       kWas,
       R"({"immutable":false,"data":{"a":"c"}})",
       {"immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set",
        "binaryData: Forbidden: field is immutable when `immutable` is set"}},
  };
  ExpectErrors(ValidateConfigMapUpdate, cases);
}

TEST(SecretValidationTest, EachTypeHoldsWhatItNeeds) {
  const Case cases[] = {
      {"any type of one's own", R"({"type":"example.com/mine"})", {}},
      {"bad key",
       R"({"data":{"a/b":""}})",
       {R"(data[a/b]: Invalid value: "a/b": )" + std::string(kConfigKeyRule)}},
      {"service account token without its account",
       R"({"type":"kubernetes.io/service-account-token"})",
       {"metadata.annotations[kubernetes.io/service-account.name]: Required value"}},
      {"service account token",
       R"({"type":"kubernetes.io/service-account-token","metadata":{"annotations":{"kubernetes.io/service-account.name":"a"}}})",
       {}},
      {"dockercfg without its key",
       R"({"type":"kubernetes.io/dockercfg"})",
       {"data[.dockercfg]: Required value"}},
      {"dockerconfigjson without its key",
       R"({"type":"kubernetes.io/dockerconfigjson"})",
       {"data[.dockerconfigjson]: Required value"}},
      {"dockercfg that is a list",
       R"({"type":"kubernetes.io/dockercfg","data":{".dockercfg":"WzFd"}})",
       {R"(data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {})"}},
      {"dockercfg that is null",
       R"({"type":"kubernetes.io/dockercfg","data":{".dockercfg":"bnVsbA=="}})",
       {}},
      {"dockerconfigjson",
       R"({"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"e30="}})",
       {}},
      {"basic auth without either",
       R"({"type":"kubernetes.io/basic-auth"})",
       {"data[username]: Required value", "data[password]: Required value"}},
      {"basic auth with an empty password",
       R"({"type":"kubernetes.io/basic-auth","data":{"password":""}})",
       {}},
      {"ssh with an empty key",
       R"({"type":"kubernetes.io/ssh-auth","data":{"ssh-privatekey":""}})",
       {"data[ssh-privatekey]: Required value"}},
      {"tls without its parts",
       R"({"type":"kubernetes.io/tls"})",
       {"data[tls.crt]: Required value", "data[tls.key]: Required value"}},
      {"tls with empty parts", R"({"type":"kubernetes.io/tls","data":{"tls.crt":"","tls.key":""}})", {}},
  };
  ExpectErrors(ValidateSecret, cases);
}

TEST(SecretValidationTest, BrokenJsonInDockerConfigIsRefusedWithoutShowingIt) {
  const Doc doc = DocFromJson<core_v1::SecretView>(
      R"({"type":"kubernetes.io/dockercfg","data":{".dockercfg":"eyJwYXNzd29yZCI6"}})");
  EXPECT_THAT(
      Texts(ValidateSecret(core_v1::SecretView(doc))),
      ElementsAre(
          R"(data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input)"));
}

TEST(SecretValidationTest, SizeIsLimited) {
  Doc doc(core_v1::SecretView::Type());
  core_v1::SecretEditor(doc).put_data("a", std::string(kMaxSecretSize, 'x'));
  EXPECT_TRUE(ValidateSecret(core_v1::SecretView(doc)).empty());
  core_v1::SecretEditor(doc).put_data("b", "x");
  EXPECT_THAT(Texts(ValidateSecret(core_v1::SecretView(doc))),
              ElementsAre("data: Too long: may not be more than 1048576 bytes"));
}

TEST(SecretValidationTest, TypeAndImmutableContentsStay) {
  const UpdateCase cases[] = {
      {"contents change",
       R"({"type":"Opaque","data":{"a":"eA=="}})",
       R"({"type":"Opaque","data":{"a":"eHg="}})",
       {}},
      {"type and immutable contents change",
       R"({"type":"Opaque","immutable":true,"data":{"a":"eA=="}})",
       R"({"type":"x","data":{"a":"eHg="}})",
       {R"(type: Invalid value: "x": field is immutable)",
        "immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set"}},
  };
  ExpectErrors(ValidateSecretUpdate, cases);
}

TEST(NamespaceValidationTest, FinalizersInSpec) {
  const Case cases[] = {
      {"none", "{}", {}},
      {"known and qualified", R"({"spec":{"finalizers":["kubernetes","a/b"]}})", {}},
      {"unknown",
       R"({"spec":{"finalizers":["foo"]}})",
       {R"(spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified)"}},
  };
  ExpectErrors(ValidateNamespace, cases);
  const Case finalize[] = {
      {"unknown, with its place",
       R"({"spec":{"finalizers":["kubernetes","foo"]}})",
       {R"(spec.finalizers[1]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified)"}},
  };
  ExpectErrors(ValidateNamespaceFinalizeUpdate, finalize);
}

TEST(NamespaceValidationTest, PhaseFollowsDeletion) {
  const Case cases[] = {
      {"alive", R"({"status":{"phase":"Active"}})", {}},
      {"alive but terminating",
       R"({"status":{"phase":"Terminating"}})",
       {R"(status.Phase: Invalid value: "Terminating": may only be 'Active' if `deletionTimestamp` is empty)"}},
      {"deleted",
       R"({"metadata":{"deletionTimestamp":"2024-01-02T03:04:05Z"},"status":{"phase":"Terminating"}})",
       {}},
      {"deleted but active",
       R"({"metadata":{"deletionTimestamp":"2024-01-02T03:04:05Z"},"status":{"phase":"Active"}})",
       {R"(status.Phase: Invalid value: "Active": may only be 'Terminating' if `deletionTimestamp` is not empty)"}},
  };
  ExpectErrors(ValidateNamespaceStatusUpdate, cases);
}

TEST(EndpointsValidationTest, Subsets) {
  const Case cases[] = {
      {"none", "{}", {}},
      {"fine",
       R"({"subsets":[{"addresses":[{"ip":"10.0.0.1","hostname":"a","nodeName":"b.c"}],"ports":[{"port":80,"protocol":"TCP"}]}]})",
       {}},
      {"empty subset",
       R"({"subsets":[{}]})",
       {"subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"}},
      {"no address",
       R"({"subsets":[{"addresses":[{"ip":"x"}]}]})",
       {R"(subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff))",
        R"(subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address)"}},
      {"addresses of no use",
       R"({"subsets":[{"notReadyAddresses":[{"ip":"127.0.0.1"},{"ip":"0.0.0.0"},{"ip":"169.254.0.1"},{"ip":"224.0.0.1"}]}]})",
       {R"(subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128))",
        R"(subsets[0].notReadyAddresses[1].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0))",
        R"(subsets[0].notReadyAddresses[2].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10))",
        R"(subsets[0].notReadyAddresses[3].ip: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10))"}},
      {"ports",
       R"({"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":0,"protocol":"X"},{"port":1,"name":"a.b"}]}]})",
       {"subsets[0].ports[0].name: Required value",
        "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        R"(subsets[0].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP")",
        R"(subsets[0].ports[1].name: Invalid value: "a.b": must not contain dots)",
        "subsets[0].ports[1].protocol: Required value"}},
  };
  ExpectErrors(ValidateEndpoints, cases);
}

TEST(EndpointsValidationTest, UnchangedSubsetsAreNotLookedAtAgain) {
  const UpdateCase cases[] = {
      {"unchanged", R"({"subsets":[{}]})", R"({"subsets":[{}]})", {}},
      {"changed",
       "{}",
       R"({"subsets":[{}]})",
       {"subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"}},
  };
  ExpectErrors(ValidateEndpointsUpdate, cases);
}

TEST(EndpointsValidationTest, UnusualNotationIsWarnedOf) {
  const auto warnings = [](std::string_view json) {
    const Doc doc = DocFromJson<core_v1::EndpointsView>(json);
    return WarningsForEndpoints(core_v1::EndpointsView(doc));
  };
  EXPECT_THAT(
      warnings(R"({"subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"2001:DB8::1"}]}]})"),
      ElementsAre(
          R"(subsets[0].addresses[1].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1"))"));
  EXPECT_THAT(warnings(R"({"metadata":{"labels":{"endpoints.kubernetes.io/managed-by":"endpoint-controller"}},
                           "subsets":[{"addresses":[{"ip":"2001:DB8::1"}]}]})"),
              IsEmpty());
}

TEST(EventValidationTest, CoreRules) {
  const std::string long_text(129, 'x');
  const std::string lengths =
      R"({"metadata":{"namespace":"d"},"involvedObject":{"namespace":"x"},"eventTime":"2020-01-01T00:00:00.000000Z",)"
      R"("reportingComponent":"c","reportingInstance":")" +
      long_text + R"(","action":")" + long_text + R"(","reason":")" + long_text + R"(","message":")" +
      std::string(1025, 'x') + R"("})";
  const Case cases[] = {
      {"in its object's namespace",
       R"({"metadata":{"namespace":"d"},"involvedObject":{"namespace":"d"}})",
       {}},
      {"of a cluster-scoped object", R"({"metadata":{"namespace":"default"}})", {}},
      {"of a cluster-scoped object elsewhere",
       R"({"metadata":{"namespace":"d"}})",
       {R"(involvedObject.namespace: Invalid value: "": does not match event.namespace)"}},
      {"in another namespace",
       R"({"metadata":{"namespace":"d"},"involvedObject":{"namespace":"x"}})",
       {R"(involvedObject.namespace: Invalid value: "x": does not match event.namespace)"}},
      {"a report in kube-system",
       R"({"metadata":{"namespace":"kube-system"},"eventTime":"2020-01-01T00:00:00.000000Z",
        "reportingComponent":"c","reportingInstance":"i","action":"a","reason":"r"})",
       {}},
      {"texts too long",
       lengths,
       {R"(reportingInstance: Invalid value: "": can have at most 128 characters)",
        R"(action: Invalid value: "": can have at most 128 characters)",
        R"(reason: Invalid value: "": can have at most 128 characters)",
        R"(message: Invalid value: "": can have at most 1024 characters)"}},
  };
  ExpectErrors<core_v1::EventView>([](core_v1::EventView event) { return ValidateEvent(event); }, cases);
}

TEST(EventValidationTest, AReportNamesItsReporter) {
  const Doc doc = DocFromJson<core_v1::EventView>(
      R"({"metadata":{"namespace":"d"},"involvedObject":{"namespace":"x"},"eventTime":"2020-01-01T00:00:00.000000Z"})");
  EXPECT_THAT(
      Texts(ValidateEvent(core_v1::EventView(doc))),
      ElementsAre("reportingComponent: Required value",
                  R"(reportingComponent: Invalid value: "": name part must be non-empty)",
                  StartsWith(R"(reportingComponent: Invalid value: "": name part must consist of)"),
                  "reportingInstance: Required value", "action: Required value", "reason: Required value"));
}

TEST(LimitRangeValidationTest, LimitsAgreeWithEachOther) {
  const Case cases[] = {
      {"no spec", "{}", {}},
      {"fine",
       R"({"spec":{"limits":[{"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"1"},"default":{"cpu":"500m"},
        "defaultRequest":{"cpu":"200m"},"maxLimitRequestRatio":{"cpu":"10"}}]}})",
       {}},
      {"min over max",
       R"({"spec":{"limits":[{"type":"Pod","min":{"cpu":"2"},"max":{"cpu":"500m"}}]}})",
       {R"(spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 500m)"}},
      {"defaults out of range",
       R"({"spec":{"limits":[{"type":"Container","min":{"cpu":"2"},"max":{"cpu":"500m"},
        "default":{"cpu":"3"},"defaultRequest":{"cpu":"3"},"maxLimitRequestRatio":{"cpu":"100m"}}]}})",
       {R"(spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 500m)",
        R"(spec.limits[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 500m)",
        R"(spec.limits[0].default[cpu]: Invalid value: "500m": default value 3 is greater than max value 500m)",
        R"(spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "100m": ratio 100m is less than 1)"}},
      {"request over limit",
       R"({"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},"defaultRequest":{"cpu":"2"}}]}})",
       {R"(spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1)"}},
      {"below min",
       R"({"spec":{"limits":[{"type":"Container","min":{"cpu":"3"},"default":{"cpu":"2"},"defaultRequest":{"cpu":"1"}}]}})",
       {R"(spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 3 is greater than default request value 1)",
        R"(spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 2)"}},
      {"ratio out of reach",
       R"({"spec":{"limits":[{"type":"Pod","min":{"cpu":"100m"},"max":{"cpu":"150m"},"maxLimitRequestRatio":{"cpu":"2"}}]}})",
       {R"(spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "2": ratio 2 is greater than max/min = 1.500000)"}},
      {"ratio of nothing",
       R"({"spec":{"limits":[{"type":"Pod","min":{"cpu":"0"},"max":{"cpu":"-1"},"maxLimitRequestRatio":{"cpu":"4"}}]}})",
       {R"(spec.limits[0].min[cpu]: Invalid value: "0": min value 0 is greater than max value -1)",
        R"(spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "4": ratio 4 is greater than max/min = -Inf)"}},
      {"no overcommit",
       R"({"spec":{"limits":[{"type":"Container","default":{"a.b/c":"2"},"defaultRequest":{"a.b/c":"1"}}]}})",
       {R"(spec.limits[0].defaultRequest[a.b/c]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in a.b/c)"}},
  };
  ExpectErrors(ValidateLimitRange, cases);
}

TEST(LimitRangeValidationTest, TypesAndNames) {
  const Case cases[] = {
      {"the same type twice",
       R"({"spec":{"limits":[{"type":"Pod"},{"type":"Pod"}]}})",
       {R"(spec.limits[1].type: Duplicate value: "Pod")"}},
      {"unknown type",
       R"({"spec":{"limits":[{"type":"X"}]}})",
       {R"(spec.limits[0].type: Invalid value: "X": must be a standard limit type or fully qualified)"}},
      {"type of a domain", R"({"spec":{"limits":[{"type":"a.b/c"}]}})", {}},
      {"defaults of pods",
       R"({"spec":{"limits":[{"type":"Pod","default":{"cpu":"1"},"defaultRequest":{"cpu":"1"}}]}})",
       {"spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'"}},
      {"claims without storage",
       R"({"spec":{"limits":[{"type":"PersistentVolumeClaim"}]}})",
       {"spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but "
        "neither was provided"}},
      {"claims with storage",
       R"({"spec":{"limits":[{"type":"PersistentVolumeClaim","max":{"storage":"1Gi"}}]}})",
       {}},
      {"storage of containers",
       R"({"spec":{"limits":[{"type":"Container","max":{"storage":"1"}}]}})",
       {R"(spec.limits[0].max[storage]: Invalid value: "storage": must be a standard resource for containers)"}},
  };
  ExpectErrors(ValidateLimitRange, cases);
}

TEST(ResourceNamesTest, Kinds) {
  EXPECT_TRUE(IsHugePageResourceName("hugepages-2Mi"));
  EXPECT_TRUE(IsNativeResource("cpu"));
  EXPECT_TRUE(IsNativeResource("x.kubernetes.io/y"));
  EXPECT_FALSE(IsNativeResource("nvidia.com/gpu"));
  EXPECT_TRUE(IsExtendedResourceName("nvidia.com/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("requests.nvidia.com/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("cpu"));
  EXPECT_TRUE(IsOvercommitAllowed("cpu"));
  EXPECT_FALSE(IsOvercommitAllowed("hugepages-2Mi"));
  EXPECT_TRUE(IsIntegerResourceName("pods"));
  EXPECT_FALSE(IsIntegerResourceName("cpu"));
  EXPECT_TRUE(IsStandardQuotaResourceName("requests.hugepages-1Gi"));
  EXPECT_FALSE(IsStandardQuotaResourceName("storage"));
}

TEST(ResourceQuotaValidationTest, ResourcesAndScopes) {
  constexpr std::string_view kSelector =
      R"({"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"In","Values":null},{"ScopeName":"Y","Operator":"Z","Values":["a"]}]})";
  const Case cases[] = {
      {"empty", "{}", {}},
      {"fine",
       R"({"spec":{"hard":{"pods":"10","requests.cpu":"1500m","nvidia.com/gpu":"2"},"scopes":["NotTerminating"]}})",
       {}},
      {"names and amounts",
       R"({"spec":{"hard":{"cpu":"-1","foo":"1","pods":"1.5","storage":"1"}}})",
       {R"(spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0)",
        R"(spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified)",
        R"(spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota)",
        R"(spec.hard[pods]: Invalid value: "1500m": must be an integer)",
        R"(spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota)"}},
      {"scopes",
       R"({"spec":{"hard":{"cpu":"1","secrets":"1"},"scopes":["BestEffort","X"]}})",
       {R"(spec.scopes: Invalid value: ["BestEffort","X"]: unsupported scope applied to resource)",
        R"(spec.scopes: Invalid value: ["BestEffort","X"]: unsupported scope applied to resource)",
        R"(spec.scopes: Invalid value: ["BestEffort","X"]: unsupported scope)"}},
      {"scopes that exclude each other",
       R"({"spec":{"scopes":["Terminating","NotTerminating"]}})",
       {R"(spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes)"}},
      {"selector",
       R"({"spec":{"hard":{"cpu":"1"},"scopeSelector":{"matchExpressions":[
        {"scopeName":"BestEffort","operator":"In"},{"scopeName":"Y","operator":"Z","values":["a"]}]}}})",
       {"spec.scopeSelector.matchExpressions: Invalid value: " + std::string(kSelector) +
            ": unsupported scope applied to resource",
        R"(spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity)",
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when "
        "`operator` is 'In' or 'NotIn' for scope selector",
        R"(spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Y": unsupported scope)",
        R"(spec.scopeSelector.matchExpressions.operator: Invalid value: "Z": not a valid selector operator)"}},
      {"selector with values it does not take",
       R"({"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"BestEffort","operator":"Exists","values":["a"]}]}}})",
       {R"(spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector)"}},
      {"status",
       R"({"status":{"hard":{"foo/bar":"-1"},"used":{"pods":"1500m"}}})",
       {R"(status.hard[foo/bar]: Invalid value: "-1": must be greater than or equal to 0)",
        R"(status.used[pods]: Invalid value: "1500m": must be an integer)"}},
  };
  ExpectErrors(ValidateResourceQuota, cases);
}

TEST(ResourceQuotaValidationTest, ScopesStay) {
  const UpdateCase cases[] = {
      {"the same in another order",
       R"({"spec":{"scopes":["Terminating","BestEffort"]}})",
       R"({"spec":{"scopes":["BestEffort","Terminating"]}})",
       {}},
      {"another",
       R"({"spec":{"scopes":["Terminating"]}})",
       R"({"spec":{"scopes":["BestEffort"]}})",
       {R"(spec.scopes: Invalid value: ["BestEffort"]: field is immutable)"}},
      {"none any more",
       R"({"spec":{"scopes":["Terminating"]}})",
       "{}",
       {"spec.scopes: Invalid value: null: field is immutable"}},
  };
  ExpectErrors(ValidateResourceQuotaUpdate, cases);
}

}  // namespace
}  // namespace keelson::api::core
