#include "auth/pki/client_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include "auth/pki/bootstrap.h"
#include "base/openssl.h"
#include "base/testing/temp_dir.h"

namespace keelson::auth::pki {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

class ClientCertificateTest : public ::testing::Test {
 protected:
  std::string Error(ClientIdentity identity) const {
    if (identity.lifetime.count() == 0) identity.lifetime = hours(1);
    const auto made = IssueClientCertificate(authority_, identity, clock_);
    return made ? "" : made.error();
  }

  base::testing::TempDir temp_;
  base::FakeClock clock_{std::chrono::system_clock::now()};
  const KeyPair authority_ = LoadOrCreate(temp_.path() / "pki", ServingNames("", {}), clock_)->ca;
};

// The subject in the order of the certificate.
std::string SubjectOf(const KeyPair& pair) {
  const auto bio = base::openssl::MemoryBio(pair.certificate_pem);
  const base::openssl::X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  const base::openssl::BioPtr out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate.get()), 0,
                     XN_FLAG_SEP_COMMA_PLUS | ASN1_STRFLGS_UTF8_CONVERT);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

TEST_F(ClientCertificateTest, NamesTheUserAndEachGroupOnce) {
  const auto made = IssueClientCertificate(
      authority_, {.user = "ann", .groups = {"dev", "ops", "dev"}, .lifetime = hours(2)}, clock_);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(SubjectOf(made->pair), "O=dev,O=ops,CN=ann");
  EXPECT_TRUE(CheckIssued(made->pair, authority_.certificate_pem));
}

TEST_F(ClientCertificateTest, EndsWhenItSaid) {
  const auto made =
      IssueClientCertificate(authority_, {.user = "ann", .groups = {}, .lifetime = hours(2)}, clock_);
  const auto end = std::chrono::floor<std::chrono::seconds>(clock_.Now()) + hours(2);
  EXPECT_EQ(made->expires, end);
  EXPECT_EQ(ExpiryOf(made->pair.certificate_pem).value(), end);
}

TEST_F(ClientCertificateTest, NeverOutlivesItsAuthority) {
  const hours rest = std::chrono::floor<hours>(ExpiryOf(authority_.certificate_pem).value() - clock_.Now());
  EXPECT_EQ(Error({.user = "ann", .groups = {}, .lifetime = rest}), "");
  EXPECT_THAT(Error({.user = "ann", .groups = {}, .lifetime = rest + hours(2)}),
              HasSubstr("the certificate authority itself ends at 20"));
}

TEST_F(ClientCertificateTest, AnyPrintableNameOfSixtyFourCharactersFits) {
  EXPECT_EQ(Error({.user = "system:node:worker-1", .groups = {"system:nodes"}}), "");
  EXPECT_EQ(Error({.user = "Änne O'Neill <a@b>, \"q\" \\ =+#;", .groups = {}}), "");
  EXPECT_EQ(Error({.user = std::string(64, 'a'), .groups = {}}), "");
}

TEST_F(ClientCertificateTest, NamesThatCannotBeHeldAreRefused) {
  EXPECT_EQ(Error({.user = "", .groups = {}}), "the user must not be empty");
  EXPECT_EQ(Error({.user = "ann", .groups = {""}}), "the group must not be empty");
  EXPECT_EQ(Error({.user = std::string("a\0b", 3), .groups = {}}),
            "user \"a\\x00b\": it has a character that cannot be printed");
  EXPECT_EQ(Error({.user = "a\nb", .groups = {}}),
            "user \"a\\nb\": it has a character that cannot be printed");
  EXPECT_EQ(Error({.user = "\xff", .groups = {}}), "user \"\\xff\": it is no UTF-8");
  EXPECT_EQ(Error({.user = "ann ", .groups = {}}), "user \"ann \": it begins or ends with a space");
  EXPECT_THAT(Error({.user = "ann", .groups = {std::string(65, 'g')}}),
              HasSubstr("it has 65 characters, a certificate holds 64"));
}

TEST_F(ClientCertificateTest, NobodyPosesAsAServiceAccountOrAsAnonymous) {
  EXPECT_THAT(Error({.user = "system:serviceaccount:ci:deployer", .groups = {}}), HasSubstr("with tokens"));
  EXPECT_THAT(Error({.user = "system:anonymous", .groups = {}}), HasSubstr("has no credentials"));
}

TEST_F(ClientCertificateTest, ALifetimeThatIsNoneIsRefused) {
  for (const auto lifetime : {std::chrono::seconds(0), std::chrono::seconds(-1)})
    EXPECT_FALSE(
        IssueClientCertificate(authority_, {.user = "a", .groups = {}, .lifetime = lifetime}, clock_));
}

}  // namespace
}  // namespace keelson::auth::pki
