// Rules of networking.k8s.io, discovery.k8s.io and coordination.k8s.io.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/coordination/lease.h"
#include "api/validation/discovery/endpoint_slice.h"
#include "api/validation/networking/ingress.h"
#include "api/validation/networking/ingress_class.h"
#include "api/validation/networking/network_policy.h"
#include "api/validation/networking/service_cidr.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api {
namespace {

using namespace networking_v1;
using ::testing::ElementsAre;
using testing::Errors;
using ::testing::IsEmpty;
using testing::UpdateErrors;

TEST(IngressTest, NeedsABackendOrRules) {
  EXPECT_THAT(Errors<IngressView>(networking::ValidateIngress, R"({"spec":{}})"),
              ElementsAre("spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"));
}

TEST(IngressTest, PathsMustBeAbsoluteAndPlain) {
  EXPECT_THAT(
      Errors<IngressView>(networking::ValidateIngress,
                          R"({"spec":{"rules":[{"host":"1.2.3.4","http":{"paths":[
                              {"path":"a//b/..","pathType":"Exact","backend":{"service":{"name":"s","port":{"number":80}}}},
                              {"path":"/a","backend":{}},
                              {"path":"/a","pathType":"X","backend":{}}]}}]}})"),
      ElementsAre(
          "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
          "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must be an absolute path",
          "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must not contain '//'",
          "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": cannot end with '/..'",
          "spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified",
          "spec.rules[0].http.paths[2].pathType: Unsupported value: \"X\": supported values: \"Exact\", "
          "\"ImplementationSpecific\", \"Prefix\"",
          "spec.rules[0].http.paths[2].backend: Invalid value: \"\": resource or service backend is "
          "required"));
}

TEST(IngressTest, WhatWasStoredBeforeItWasCheckedMayStay) {
  constexpr std::string_view kOld =
      R"({"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"secretName":"A"}]}})";
  EXPECT_EQ(Errors<IngressView>(networking::ValidateIngress, kOld).size(), 1);
  EXPECT_THAT(UpdateErrors<IngressView>(networking::ValidateIngressUpdate, kOld, kOld), IsEmpty());
}

TEST(IngressClassTest, TheControllerIsADomainWithAPathAndStays) {
  EXPECT_THAT(Errors<IngressClassView>(networking::ValidateIngressClass, R"({"spec":{"controller":"x"}})"),
              ElementsAre("spec.controller: Invalid value: \"x\": must be a domain-prefixed path (such as "
                          "\"acme.io/foo\")"));
  EXPECT_THAT(UpdateErrors<IngressClassView>(networking::ValidateIngressClassUpdate,
                                             R"({"spec":{"controller":"a.b/c"}})",
                                             R"({"spec":{"controller":"a.b/d"}})"),
              ElementsAre("spec.controller: Invalid value: \"a.b/d\": field is immutable"));
}

TEST(NetworkPolicyTest, PeersAndBlocksAreChecked) {
  EXPECT_THAT(
      Errors<NetworkPolicyView>(
          networking::ValidateNetworkPolicy,
          R"({"spec":{"podSelector":{},"ingress":[{"ports":[{"endPort":5},{"port":10,"endPort":5}],
              "from":[{},{"podSelector":{},"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16","10.0.0.0/8","11.0.0.0/16"]}}]}],
              "policyTypes":["x"]}})"),
      ElementsAre(
          "spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not "
          "specified",
          "spec.ingress[0].ports[1].endPort: Invalid value: 10: must be greater than or equal to `port`",
          "spec.ingress[0].from[0]: Required value: must specify a peer",
          "spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: \"10.0.0.0/8\": must be a strict subset "
          "of `cidr`",
          "spec.ingress[0].from[1].ipBlock.except[2]: Invalid value: \"11.0.0.0/16\": must be a strict "
          "subset of `cidr`",
          "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
          "spec.policyTypes[0]: Unsupported value: \"x\": supported values: \"Ingress\", \"Egress\""));
}

TEST(ServiceCidrTest, ASecondFamilyMayBeAddedAndNothingElse) {
  const auto update = networking::ValidateServiceCidrUpdate;
  constexpr std::string_view kOne = R"({"spec":{"cidrs":["10.0.0.0/24"]}})";
  EXPECT_THAT(
      UpdateErrors<ServiceCIDRView>(update, kOne, R"({"spec":{"cidrs":["10.0.0.0/24","2001:db8::/64"]}})"),
      IsEmpty());
  EXPECT_THAT(UpdateErrors<ServiceCIDRView>(update, kOne, R"({"spec":{"cidrs":["10.0.1.0/24"]}})"),
              ElementsAre("spec.cidrs[0]: Invalid value: \"10.0.1.0/24\": field is immutable"));
  EXPECT_THAT(
      Errors<ServiceCIDRView>(networking::ValidateServiceCidr,
                              R"({"spec":{"cidrs":["10.0.0.1/24","10.1.0.0/24"]}})"),
      ElementsAre(
          "spec.cidrs[0]: Invalid value: \"10.0.0.1/24\": must not have bits set beyond the prefix length",
          "spec.cidrs: Invalid value: [\"10.0.0.1/24\",\"10.1.0.0/24\"]: may specify no more than one IP "
          "for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"));
}

TEST(IpAddressTest, IsNamedInCanonicalForm) {
  EXPECT_THAT(networking::NameIsIpAddress("10.0.0.1"), IsEmpty());
  EXPECT_THAT(networking::NameIsIpAddress("2001:DB8::1"),
              ElementsAre("must be in canonical form (\"2001:db8::1\")"));
  EXPECT_THAT(
      UpdateErrors<IPAddressView>(networking::ValidateIpAddressUpdate,
                                  R"({"spec":{"parentRef":{"resource":"services","name":"a"}}})",
                                  R"({"spec":{"parentRef":{"resource":"services","name":"b"}}})"),
      ElementsAre("spec.parentRef: Invalid value: "
                  R"({"Group":"","Resource":"services","Namespace":"","Name":"b"}: field is immutable)"));
}

TEST(EndpointSliceTest, AddressesAreOfTheSlicesFamily) {
  EXPECT_THAT(
      Errors<discovery_v1::EndpointSliceView>(
          discovery::ValidateEndpointSlice,
          R"({"addressType":"IPv4","endpoints":[{"addresses":["2001:db8::1"]},{"addresses":[]}],
                      "ports":[{"name":"a","protocol":"TCP"},{"name":"a","protocol":"X"}]})"),
      ElementsAre("ports[1].name: Duplicate value: \"a\"",
                  "ports[1].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                  "endpoints[0].addresses: Invalid value: \"2001:db8::1\": must be an IPv4 address",
                  "endpoints[1].addresses: Required value: must contain at least 1 address"));
}

TEST(LeaseTest, NumbersAreChecked) {
  EXPECT_THAT(
      Errors<coordination_v1::LeaseView>(coordination::ValidateLease,
                                         R"({"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}})"),
      ElementsAre("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                  "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"));
}

}  // namespace
}  // namespace keelson::api
