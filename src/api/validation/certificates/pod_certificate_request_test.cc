#include "api/validation/certificates/pod_certificate_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::certificates {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;
using Request = certificates_v1beta1::PodCertificateRequestView;

constexpr int64_t kNow = 1'800'000'000;

Doc Asking(const std::string& key, const std::string& status = "{}") {
  return DocFromJson<Request>(R"({"spec":{"signerName":"kubernetes.io/s","podName":"p","podUID":"u",
    "serviceAccountName":"a","serviceAccountUID":"s","nodeName":"n","nodeUID":"m","maxExpirationSeconds":86400)" +
                              key + R"(},"status":)" + status + "}");
}
Doc Answered(const std::string& condition, const std::string& more = "") {
  return Asking(
      R"(,"stubPKCS10Request":"YQ==")",
      R"({"conditions":[{"type":")" + condition +
          R"(","status":"True","reason":"R","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}])" +
          more + "}");
}

TEST(PodCertificateRequestTest, AKeyComesInARequestOrWithAProof) {
  const auto check = [](const std::string& key, KeyFault::Kind kind, std::string shown = "") {
    const Doc doc = Asking(key);
    return Texts(ValidatePodCertificateRequest(Request(doc), {kind, std::move(shown)}));
  };
  using enum KeyFault::Kind;
  const std::string request = R"(,"stubPKCS10Request":"YQ==")",
                    key = R"(,"pkixPublicKey":"YQ==","proofOfPossession":"Yg==")";
  EXPECT_THAT(check(request, kNone), IsEmpty());
  EXPECT_THAT(check(key, kNone), IsEmpty());
  EXPECT_THAT(check(request + key, kNone),
              ElementsAre("spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, "
                          "proofOfPossession) must be set"));
  EXPECT_THAT(check(request, kSignature),
              ElementsAre("spec.stubPKCS10Request: Invalid value: invalid signature"));
  EXPECT_THAT(check(request, kModulus, "2048-bit modulus"),
              ElementsAre("spec.stubPKCS10Request: Invalid value: \"2048-bit modulus\": RSA keys must have "
                          "modulus size 3072 or 4096"));
  EXPECT_THAT(
      check(key, kUnreadable),
      ElementsAre("spec.pkixPublicKey: Invalid value: \"YQ==\": must be a valid PKIX-serialized public "
                  "key"));
  EXPECT_THAT(check(key, kSignature),
              ElementsAre("spec.proofOfPossession: Invalid value: could not verify proof-of-possession "
                          "signature"));
}

TEST(PodCertificateRequestTest, TheSignerDecidesOnce) {
  const Doc none = Asking(R"(,"stubPKCS10Request":"YQ==")"), denied = Answered("Denied"),
            failed = Answered("Failed"), approved = Answered("Approved"),
            with_chain = Answered("Denied", R"(,"certificateChain":"x")");
  const auto check = [](const Doc& now, const Doc& was) {
    return Texts(ValidatePodCertificateRequestStatus(Request(now), Request(was), {}, kNow));
  };
  EXPECT_THAT(check(denied, none), IsEmpty());
  EXPECT_THAT(check(denied, denied), IsEmpty());
  EXPECT_THAT(
      check(failed, denied),
      ElementsAre("status: Invalid value: immutable after PodCertificateRequest is issued, denied, or "
                  "failed"));
  EXPECT_THAT(check(with_chain, none),
              ElementsAre("status: Invalid value: non-condition status fields must be empty when denying or "
                          "failing the PodCertificateRequest"));
  EXPECT_THAT(check(approved, none),
              ElementsAre("status.conditions.[0].type: Unsupported value: \"Approved\": supported values: "
                          "\"Issued\", \"Denied\", \"Failed\""));
}

TEST(PodCertificateRequestTest, WhatIsIssuedIsForTheKeyAndTheTimesThatItTells) {
  const Doc none = Asking(R"(,"stubPKCS10Request":"YQ==")");
  const Doc issued = Answered("Issued", R"(,"certificateChain":"x","notBefore":"2027-01-15T08:00:00Z",
    "beginRefreshAt":"2027-01-15T08:30:00Z","notAfter":"2027-01-15T09:00:00Z")");
  const auto check = [&](const IssuedChain& chain, int64_t now = kNow) {
    return Texts(ValidatePodCertificateRequestStatus(Request(issued), Request(none), chain, now));
  };
  IssuedChain chain{.is_for_key = true, .not_before = kNow, .not_after = kNow + 3600};
  EXPECT_THAT(check(chain), IsEmpty());
  EXPECT_THAT(
      check(chain, kNow + 300),
      ElementsAre("status.notBefore: Invalid value: \"2027-01-15T08:00:00Z\": must be set to within 5 "
                  "minutes of kube-apiserver's current time"));
  chain.not_after += 1;
  EXPECT_THAT(
      check(chain),
      ElementsAre("status.notAfter: Invalid value: \"2027-01-15T09:00:00Z\": must be set to the NotAfter "
                  "time encoded in the leaf certificate"));
  chain.is_for_key = false;
  chain.dns_names = {"a..b"};
  EXPECT_THAT(
      check(chain),
      ElementsAre("status.certificateChain: Invalid value: \"a..b\": leaf certificate's DNSName should "
                  "not contain '..'",
                  "status.certificateChain: Invalid value: \"x\": leaf certificate was not issued to the "
                  "requested public key"));
  EXPECT_THAT(check({.leaf = IssuedChain::Fault::kUnreadable}),
              ElementsAre("status.certificateChain: Invalid value: \"x\": leaf certificate does not parse as "
                          "valid X.509"));
}

}  // namespace
}  // namespace keelson::api::certificates
