// The three plug-ins for certificate requests.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "admission/plugins/certificate_approval.h"
#include "admission/plugins/certificate_signing.h"
#include "admission/plugins/certificate_subject_restriction.h"
#include "admission/plugins/cluster_trust_bundle_attest.h"
#include "admission/testing/fakes.h"
#include "auth/testing/certificate_requests.h"
#include "base/base64.h"

namespace keelson::admission {
namespace {

// Allows what it is told to, and remembers what it was asked.
class FakeSigners final : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    EXPECT_TRUE(a.resource_request);
    EXPECT_EQ(a.group, "certificates.k8s.io");
    EXPECT_EQ(a.version, "*");
    EXPECT_EQ(a.resource, "signers");
    const std::string question = std::string(a.verb) + " " + std::string(a.name);
    asked.push_back(question);
    co_return auth::Verdict{
        .decision = allowed.contains(question) ? auth::Decision::kAllow : auth::Decision::kNoOpinion,
        .reason = {},
        .error = error};
  }

  std::set<std::string> allowed;
  std::string error;
  std::vector<std::string> asked;
};

std::string SigningRequestJson(std::string_view signer, std::string_view status = "{}") {
  return R"({"metadata":{"name":"r"},"spec":{"request":"","signerName":")" + std::string(signer) +
         R"("},"status":)" + std::string(status) + "}";
}

const auth::User kAnn{.name = "ann", .uid = {}, .groups = {}, .extra = {}};

Verdict AskSubresource(const Plugin& plugin, std::string_view subresource, std::string_view now,
                       std::string_view was) {
  Write write("certificates.k8s.io", "certificatesigningrequests", now, was);
  Attributes request = write.request();
  EXPECT_TRUE(plugin.ConcernWith(*request.resource, subresource).validates);
  request.subresource = subresource;
  request.user = &kAnn;
  return base::SyncWait(plugin.Validate(request));
}

TEST(CertificateApprovalTest, AsksForTheSignerThenForItsDomain) {
  FakeSigners signers;
  const CertificateApproval plugin(&signers);
  const std::string json = SigningRequestJson("example.com/a/b");
  const auto ask = [&] { return Refusal(AskSubresource(plugin, "approval", json, json)); };
  EXPECT_EQ(
      ask(),
      "certificatesigningrequests.certificates.k8s.io \"r\" is forbidden: user not permitted to approve "
      "requests with signerName \"example.com/a/b\"");
  EXPECT_EQ(signers.asked, (std::vector<std::string>{"approve example.com/a/b", "approve example.com/*"}));
  signers.allowed = {"approve example.com/*"};
  EXPECT_EQ(ask(), "");
  signers.allowed = {"approve example.com/a/b"};
  EXPECT_EQ(ask(), "");
  signers.error = "role not found";
  EXPECT_NE(ask(), "") << "an answer with an error allows nothing";
}

TEST(CertificateApprovalTest, TheSignerThatWasAskedForCounts) {
  FakeSigners signers;
  signers.allowed = {"approve example.com/mine"};
  const CertificateApproval plugin(&signers);
  EXPECT_NE(Refusal(AskSubresource(plugin, "approval", SigningRequestJson("example.com/mine"),
                                   SigningRequestJson("example.com/other"))),
            "");
}

TEST(CertificateApprovalTest, WithoutAnAuthorizerNobodyApproves) {
  const std::string json = SigningRequestJson("example.com/a");
  EXPECT_NE(Refusal(AskSubresource(CertificateApproval(nullptr), "approval", json, json)), "");
}

TEST(CertificateApprovalTest, OtherRequestsAreNoConcern) {
  const CertificateApproval plugin(nullptr);
  const auto& resource = Resource("certificates.k8s.io", "certificatesigningrequests");
  EXPECT_FALSE(plugin.ConcernWith(resource, "").validates);
  EXPECT_FALSE(plugin.ConcernWith(resource, "status").validates);
  EXPECT_FALSE(plugin.ConcernWith(Resource("", "pods"), "approval").validates);
  EXPECT_FALSE(plugin.ConcernWith(resource, "approval").mutates);
}

TEST(CertificateSigningTest, OnlyCertificatesAndConditionsNeedThePermission) {
  constexpr std::string_view kCondition =
      R"({"conditions":[{"type":"Failed","status":"True","reason":"x"}]})";
  struct Case {
    std::string_view now, was;
    bool asks;
  };
  const Case cases[] = {
      {"{}", "{}", false},
      {R"({"certificate":"YQ=="})", "{}", true},
      {R"({"certificate":"YQ=="})", R"({"certificate":"YQ=="})", false},
      {"{}", R"({"certificate":"YQ=="})", true},
      {kCondition, "{}", true},
      {kCondition, kCondition, false},
      {R"({"conditions":[]})", "{}", false},
      {R"({"conditions":[{"type":"Failed","status":"True","reason":"y"}]})", kCondition, true},
  };
  for (const auto& [now, was, asks] : cases) {
    FakeSigners signers;
    const CertificateSigning plugin(&signers);
    const auto refusal = Refusal(AskSubresource(plugin, "status", SigningRequestJson("example.com/a", now),
                                                SigningRequestJson("example.com/a", was)));
    EXPECT_EQ(refusal, asks ? "certificatesigningrequests.certificates.k8s.io \"r\" is forbidden: user not "
                              "permitted to sign requests with signerName \"example.com/a\""
                            : "")
        << now << " over " << was;
    EXPECT_EQ(signers.asked.size(), asks ? 2u : 0u);
    signers.allowed = {"sign example.com/*"};
    EXPECT_EQ(Refusal(AskSubresource(plugin, "status", SigningRequestJson("example.com/a", now),
                                     SigningRequestJson("example.com/a", was))),
              "");
  }
}

TEST(ClusterTrustBundleAttestTest, WhoAttestsForASignerNeedsThePermission) {
  const api::ResourceDesc& bundles =
      *api::FindResource("certificates.k8s.io", "v1beta1", "clustertrustbundles");
  const auto bundle = [&](const std::string& metadata, const std::string& spec) {
    return api::testing::DocFromJson(R"({"metadata":{"name":"b")" + metadata + R"(},"spec":{)" + spec + "}}",
                                     *bundles.type);
  };
  FakeSigners signers;
  const auth::User user{.name = "u"};
  const ClusterTrustBundleAttest plugin(&signers);
  EXPECT_TRUE(plugin.ConcernWith(bundles, "").validates);
  const auto ask = [&](api::Doc now, api::Doc was) {
    return Refusal(base::SyncWait(plugin.Validate({.operation = was ? Operation::kUpdate : Operation::kCreate,
                                                   .resource = &bundles,
                                                   .name = "b",
                                                   .user = &user,
                                                   .object = &now,
                                                   .old_object = was ? &was : nullptr})));
  };
  const std::string spec = R"("signerName":"example.com/a","trustBundle":"x")";
  EXPECT_EQ(ask(bundle("", R"("trustBundle":"x")"), {}), "");
  EXPECT_EQ(ask(bundle(R"(,"finalizers":["a.b/c"])", spec), bundle("", spec)), "") << "collection only";
  EXPECT_TRUE(signers.asked.empty());
  const std::string refusal =
      "clustertrustbundles.certificates.k8s.io \"b\" is forbidden: user not permitted to attest for "
      "signerName \"example.com/a\"";
  EXPECT_EQ(ask(bundle("", spec), {}), refusal);
  EXPECT_EQ(ask(bundle("", spec), bundle("", R"("signerName":"example.com/a","trustBundle":"y")")), refusal);
  signers.allowed = {"attest example.com/a"};
  EXPECT_EQ(ask(bundle("", spec), {}), "");
}

Verdict Create(std::string_view pem, std::string_view signer) {
  const CertificateSubjectRestriction plugin;
  return Write("certificates.k8s.io", "certificatesigningrequests",
               R"({"metadata":{"name":"r"},"spec":{"request":")" + base::Base64(pem) + R"(","signerName":")" +
                   std::string(signer) + R"("}})")
      .Validate(plugin);
}

TEST(CertificateSubjectRestrictionTest, NobodyIsMadeAMasterByTheClientSigner) {
  constexpr std::string_view kClient = "kubernetes.io/kube-apiserver-client";
  const std::string refusal =
      "certificatesigningrequests.certificates.k8s.io \"r\" is forbidden: use of "
      "kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";
  EXPECT_EQ(Refusal(Create(auth::kRequestOfJane, kClient)), "");
  EXPECT_EQ(Refusal(Create(auth::kRequestOfMaster, kClient)), refusal);
  EXPECT_EQ(Refusal(Create(auth::kRequestOfHiddenMaster, kClient)), refusal);
  EXPECT_EQ(Refusal(Create(auth::kRequestOfMaster, "example.com/other")), "");
  EXPECT_EQ(
      Refusal(Create("text", kClient)),
      "certificatesigningrequests.certificates.k8s.io \"r\" is forbidden: failed to parse CSR: PEM block "
      "type must be CERTIFICATE REQUEST");
}

}  // namespace
}  // namespace keelson::admission
