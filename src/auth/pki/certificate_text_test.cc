#include "auth/certificate_text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace keelson::auth
