#include "auth/certificate_text.h"

#include <gtest/gtest.h>

#include "auth/pki/certificate.h"
#include "auth/testing/certificate_requests.h"

namespace keelson::auth {
namespace {

using Organizations = std::vector<std::string>;

TEST(CertificateTextTest, ARequestNamesItsSubject) {
  const auto node = SubjectOfCertificateRequest(kRequestOfNode1);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->common_name, "system:node:n1");
  EXPECT_EQ(node->organizations, Organizations{"system:nodes"});
  const auto master = SubjectOfCertificateRequest(kRequestOfMaster);
  ASSERT_TRUE(master);
  EXPECT_EQ(master->organizations, (Organizations{"devs", "system:masters"}));
}

TEST(CertificateTextTest, AllPartsOfARelativeNameCount) {
  const auto subject = SubjectOfCertificateRequest(kRequestOfHiddenMaster);
  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->common_name, "root");
  EXPECT_EQ(subject->organizations, (Organizations{"devs", "system:masters"}));
}

TEST(CertificateTextTest, WhatIsNoRequestHasNoSubject) {
  const std::string type = "PEM block type must be CERTIFICATE REQUEST";
  for (const std::string_view text :
       {"", "text", "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"}) {
    const auto subject = SubjectOfCertificateRequest(text);
    ASSERT_FALSE(subject);
    EXPECT_EQ(subject.error(), type);
    EXPECT_EQ(WhyBadCertificateRequest(text), type);
  }
  EXPECT_FALSE(SubjectOfCertificateRequest(
      "-----BEGIN CERTIFICATE REQUEST-----\nYQ==\n-----END CERTIFICATE REQUEST-----\n"));
}

TEST(CertificateTextTest, TheSignatureIsCheckedWhereItMatters) {
  EXPECT_EQ(WhyBadCertificateRequest(kRequestOfJane), "");
  std::string forged(kRequestOfJane);
  // The last letters are the signature's.
  const size_t at = forged.rfind("\n-----END") - 3;
  forged[at] = forged[at] == 'A' ? 'B' : 'A';
  EXPECT_NE(WhyBadCertificateRequest(forged), "");
}

TEST(CertificateTextTest, TrustAnchorsAreCertificatesOfAuthorities) {
  const auto now = std::chrono::system_clock::now();
  const auto make = [&](pki::Usage usage) {
    return pki::Issue({.usage = usage,
                       .common_name = "x",
                       .not_before = now,
                       .not_after = now + std::chrono::hours(1)},
                      nullptr)
        ->certificate_pem;
  };
  using Faults = std::vector<std::string>;
  const std::string authority = make(pki::Usage::kAuthority), server = make(pki::Usage::kServer);
  EXPECT_EQ(FaultsOfTrustAnchors(authority), Faults());
  EXPECT_EQ(FaultsOfTrustAnchors("text"), Faults{"at least one trust anchor must be provided"});
  EXPECT_EQ(FaultsOfTrustAnchors(authority + server + authority),
            Faults{"entry 1 does not have the CA bit set"});
  EXPECT_EQ(FaultsOfTrustAnchors(authority + authority), Faults{"duplicate trust anchor (indices [0 1])"});
  EXPECT_EQ(FaultsOfTrustAnchors("-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"
                                 "-----BEGIN KEY-----\nYQ==\n-----END KEY-----\n"),
            (Faults{"entry 0 does not parse as X.509", "entry 1 has bad block type: KEY"}));
}

}  // namespace
}  // namespace keelson::auth
