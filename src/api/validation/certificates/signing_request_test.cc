#include "api/validation/certificates/signing_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::certificates {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::Texts;
using View = certificates_v1::CertificateSigningRequestView;

Doc WithStatus(std::string status) {
  return DocFromJson<View>(R"({"spec":{"signerName":"x.y/z","usages":["client auth"]},"status":)" + status +
                           "}");
}

TEST(SigningRequestValidationTest, WhatIsAskedForIsKnown) {
  const Doc doc = DocFromJson<View>(
      R"({"spec":{"request":"YWJj","signerName":"kubernetes.io/legacy-unknown","expirationSeconds":5}})");
  EXPECT_THAT(Texts(ValidateSigningRequest(View(doc), {.request = "no good"})),
              ElementsAre("spec.request: Invalid value: \"YWJj\": no good", "spec.usages: Required value",
                          StartsWith("spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\""),
                          StartsWith("spec.expirationSeconds: Invalid value: 5")));
}

TEST(SigningRequestValidationTest, ARequestIsApprovedOrDeniedAndForGood) {
  const Doc none = WithStatus("{}"),
            approved = WithStatus(R"({"conditions":[{"type":"Approved","status":"True"}]})"),
            both = WithStatus(R"({"conditions":[{"type":"Approved","status":"True"},
                                                 {"type":"Denied","status":"True"}]})");
  EXPECT_THAT(Texts(ValidateSigningRequestUpdate(View(approved), View(none), Change::kApproval, {})),
              IsEmpty());
  EXPECT_THAT(
      Texts(ValidateSigningRequestUpdate(View(approved), View(none), Change::kStatus, {})),
      ElementsAre("status.conditions: Forbidden: updates may not add a condition of type \"Approved\""));
  EXPECT_THAT(
      Texts(ValidateSigningRequestUpdate(View(none), View(approved), Change::kApproval, {})),
      ElementsAre("status.conditions: Forbidden: updates may not remove a condition of type \"Approved\""));
  EXPECT_THAT(Texts(ValidateSigningRequestUpdate(View(both), View(none), Change::kApproval, {})),
              ElementsAre("status.conditions: Invalid value: \"Denied\": Approved and Denied conditions are "
                          "mutually exclusive"));
}

TEST(SigningRequestValidationTest, ACertificateIsIssuedOnceThroughStatus) {
  const Doc none = WithStatus("{}"), one = WithStatus(R"({"certificate":"YQ=="})"),
            other = WithStatus(R"({"certificate":"Yg=="})");
  EXPECT_THAT(Texts(ValidateSigningRequestUpdate(View(one), View(none), Change::kStatus, {})), IsEmpty());
  EXPECT_THAT(Texts(ValidateSigningRequestUpdate(View(one), View(none), Change::kApproval, {})),
              ElementsAre("status.certificate: Forbidden: updates may not set certificate content"));
  EXPECT_THAT(
      Texts(ValidateSigningRequestUpdate(View(other), View(one), Change::kStatus, {})),
      ElementsAre("status.certificate: Forbidden: updates may not modify existing certificate content"));
}

TEST(SignerNameTest, IsADomainAndAPath) {
  const auto check = [](std::string_view name) { return Texts(ValidateSignerName(name, field::Path("n"))); };
  EXPECT_THAT(check("example.com/a.b"), IsEmpty());
  EXPECT_THAT(check("example.com"), ElementsAre(HasSubstr("of the form 'example.com/signer-name'")));
  EXPECT_THAT(check("localhost/a"), ElementsAre(HasSubstr("at least two segments")));
  EXPECT_THAT(check("a..b/c"), ElementsAre(HasSubstr("validating label \"\"")));
}

}  // namespace
}  // namespace keelson::api::certificates
