#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "auth/pki/bootstrap.h"
#include "auth/pki/kubeconfig.h"
#include "base/file.h"
#include "base/openssl.h"
#include "base/testing/temp_dir.h"

namespace keelson::auth::pki {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::hours kDay{24};

unsigned Mode(const fs::path& file) {
  struct stat st{};
  return ::stat(file.c_str(), &st) == 0 ? st.st_mode & 0777 : 0;
}

class PkiTest : public ::testing::Test {
 protected:
  Pki Start(const AlternativeNames& names) {
    auto pki = LoadOrCreate(dir_, names, clock_);
    EXPECT_TRUE(pki) << pki.error();
    return pki ? std::move(*pki) : Pki{};
  }
  base::testing::TempDir temp_;
  const fs::path dir_ = temp_.path() / "data" / "pki";
  base::FakeClock clock_{std::chrono::system_clock::now()};
  const AlternativeNames names_ = ServingNames("myhost", {"10.0.0.1", "127.0.0.1"});
};

TEST_F(PkiTest, TheFirstStartMakesEverythingWithItsMode) {
  const Pki pki = Start(names_);
  for (const char* key : {"ca.key", "apiserver.key", "admin.key", "sa.key"})
    EXPECT_EQ(Mode(dir_ / key), 0600u) << key;
  for (const char* open : {"ca.crt", "apiserver.crt", "admin.crt", "sa.pub"})
    EXPECT_EQ(Mode(dir_ / open), 0644u) << open;
  EXPECT_EQ(Mode(dir_), 0700u);
  EXPECT_EQ(WhyUnusable(pki.server, pki.ca.certificate_pem, names_, clock_.Now()), "");
  EXPECT_EQ(WhyUnusable(pki.admin, pki.ca.certificate_pem, {}, clock_.Now()), "");
  EXPECT_EQ(base::ReadFile(dir_ / "sa.pub").value(), PublicKeyPem(pki.service_account_key_pem).value());
}

TEST_F(PkiTest, TheSecondStartChangesNothing) {
  const Pki first = Start(names_);
  const Pki second = Start(names_);
  EXPECT_EQ(first.ca.key_pem, second.ca.key_pem);
  EXPECT_EQ(first.server.certificate_pem, second.server.certificate_pem);
  EXPECT_EQ(first.admin.certificate_pem, second.admin.certificate_pem);
  EXPECT_EQ(first.service_account_key_pem, second.service_account_key_pem);
}

TEST_F(PkiTest, AServingCertificateThatLacksAnAddressIsMadeAnew) {
  const Pki first = Start(names_);
  const AlternativeNames more = ServingNames("myhost", {"10.0.0.1", "192.0.2.7", "2001:db8::1"});
  EXPECT_EQ(WhyUnusable(first.server, first.ca.certificate_pem, more, clock_.Now()),
            "it does not cover 192.0.2.7");
  const Pki second = Start(more);
  EXPECT_NE(first.server.certificate_pem, second.server.certificate_pem);
  EXPECT_EQ(first.admin.certificate_pem, second.admin.certificate_pem);
  EXPECT_EQ(WhyUnusable(second.server, second.ca.certificate_pem, more, clock_.Now()), "");
}

TEST_F(PkiTest, CertificatesAboutToExpireAreMadeAnewByTheSameAuthority) {
  const Pki first = Start(names_);
  clock_.Advance(600 * kDay);
  const Pki second = Start(names_);
  EXPECT_EQ(first.ca.certificate_pem, second.ca.certificate_pem);
  EXPECT_NE(first.server.certificate_pem, second.server.certificate_pem);
  EXPECT_NE(first.admin.certificate_pem, second.admin.certificate_pem);
}

// The contents of the files in a directory, by file name.
std::map<std::string, std::string> Contents(const fs::path& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(dir))
    files[entry.path().filename()] = base::ReadFile(entry.path()).value();
  return files;
}

// Each of the 256 sets of files that may be left.
TEST_F(PkiTest, WhatIsLeftIsKeptAndHalfOfSomethingIsAnErrorThatSaysWhatToDo) {
  Start(names_);
  const auto whole = Contents(dir_);
  const std::vector<std::string> names = {"ca.crt",    "ca.key",    "apiserver.crt", "apiserver.key",
                                          "admin.crt", "admin.key", "sa.pub",        "sa.key"};
  ASSERT_EQ(whole.size(), names.size());
  for (unsigned set = 0; set < 256; ++set) {
    fs::remove_all(dir_);
    fs::create_directory(dir_);
    std::string described = "left:";
    for (unsigned i = 0; i < names.size(); ++i) {
      if (!(set >> i & 1)) continue;
      described += " " + names[i];
      std::ofstream(dir_ / names[i]) << whole.at(names[i]);
    }
    const auto has = [set](unsigned i) { return (set >> i & 1) != 0; };
    const bool authority = has(0) && has(1), leaves = (set & 0b111100) != 0;
    const bool half = has(0) != has(1) || (!authority && leaves) || has(2) != has(3) || has(4) != has(5) ||
                      (has(6) && !has(7));
    const auto before = Contents(dir_);
    const auto loaded = LoadOrCreate(dir_, names_, clock_);
    const auto after = Contents(dir_);
    ASSERT_EQ(loaded.has_value(), !half) << described;
    if (half) {
      EXPECT_EQ(after, before) << described;
      EXPECT_THAT(loaded.error(),
                  AllOf(HasSubstr(dir_.string()), HasSubstr("back from a backup, or remove ")))
          << described;
      continue;
    }
    EXPECT_EQ(after.size(), names.size()) << described;
    for (const auto& [name, bytes] : before) EXPECT_EQ(after.at(name), bytes) << described << ": " << name;
    EXPECT_TRUE(CheckIssued(loaded->server, loaded->ca.certificate_pem)) << described;
    EXPECT_TRUE(CheckIssued(loaded->admin, loaded->ca.certificate_pem)) << described;
    EXPECT_EQ(after.at("sa.pub"), PublicKeyPem(loaded->service_account_key_pem).value()) << described;
  }
}

TEST_F(PkiTest, TheErrorNamesWhatIsLostAndWhatToRemove) {
  Start(names_);
  const auto error = [this] { return LoadOrCreate(dir_, names_, clock_).error(); };
  fs::remove(dir_ / "sa.key");
  EXPECT_EQ(error(), dir_.string() +
                         " holds sa.pub but not sa.key: bring sa.key back from a backup, or remove sa.pub to "
                         "have new ones made; tokens issued before are then not believed any more");
  fs::remove(dir_ / "ca.crt");
  EXPECT_EQ(error(),
            dir_.string() +
                " holds ca.key, apiserver.crt, apiserver.key, admin.crt and admin.key but not ca.crt: "
                "bring ca.crt back from a backup, or remove ca.key, apiserver.crt, apiserver.key, "
                "admin.crt and admin.key to have new ones made; clients then have to be told to trust "
                "the new ca.crt");
}

TEST_F(PkiTest, AnAuthorityIsNeverReplacedSilently) {
  Start(names_);
  const KeyPair other = Issue({.usage = Usage::kAuthority,
                               .common_name = "x",
                               .not_before = clock_.Now(),
                               .not_after = clock_.Now() + kDay},
                              nullptr)
                            .value();
  ASSERT_TRUE(base::WriteFileAtomically(dir_ / "ca.key", other.key_pem, 0600));
  EXPECT_THAT(LoadOrCreate(dir_, names_, clock_).error(), HasSubstr("the private key does not belong"));
  // A whole pair, of another authority than the leaves.
  ASSERT_TRUE(base::WriteFileAtomically(dir_ / "ca.crt", other.certificate_pem, 0600));
  const auto before = Contents(dir_);
  EXPECT_THAT(LoadOrCreate(dir_, names_, clock_).error(),
              AllOf(HasSubstr("apiserver.crt: it is not signed by the certificate authority"),
                    HasSubstr("remove apiserver.crt and apiserver.key")));
  EXPECT_EQ(Contents(dir_), before);
}

TEST_F(PkiTest, ARenewedCertificateKeepsItsKey) {
  const Pki first = Start(names_);
  clock_.Advance(600 * kDay);
  const Pki second = Start(names_);
  EXPECT_EQ(first.server.key_pem, second.server.key_pem);
  EXPECT_EQ(WhyUnusable(second.server, second.ca.certificate_pem, names_, clock_.Now() + 500 * kDay), "");
}

TEST_F(PkiTest, AFirstStartThatBrokeOffIsDoneAgain) {
  const fs::path unfinished = dir_.string() + ".unfinished";
  fs::create_directories(unfinished);
  ASSERT_TRUE(base::WriteFileAtomically(unfinished / "ca.key", "half", 0600));
  Start(names_);
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_EQ(Contents(dir_).size(), 8u);
}

TEST_F(PkiTest, AnUnwritableDirectoryIsAnErrorThatNamesIt) {
  ASSERT_TRUE(base::WriteFileAtomically(temp_.path() / "data", "a file", 0600));
  EXPECT_THAT(LoadOrCreate(dir_, names_, clock_).error(), HasSubstr(dir_.string()));
}

TEST(ServingNamesTest, HaveTheHostTheServiceAndEachAddressOnce) {
  const AlternativeNames names = ServingNames("myhost", {"10.0.0.1", "127.0.0.1"});
  EXPECT_THAT(names.ips, ElementsAre("127.0.0.1", "::1", "10.0.0.1"));
  EXPECT_THAT(names.dns,
              ElementsAre("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                          "kubernetes.default.svc.cluster.local", "myhost"));
}

std::string AsPkcs8(std::string_view pem) {
  const auto in = base::openssl::MemoryBio(pem);
  const base::openssl::KeyPtr key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  const base::openssl::BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

TEST(KeyTest, EllipticKeysAreInTheFormThatEveryClientReads) {
  constexpr std::string_view kSec1 = "-----BEGIN EC PRIVATE KEY-----\n",
                             kPkcs8 = "-----BEGIN PRIVATE KEY-----\n";
  const std::string made = GenerateKey().value();
  EXPECT_TRUE(made.starts_with(kSec1)) << made;
  EXPECT_EQ(TraditionalKeyPem(made).value(), made);
  const std::string old = AsPkcs8(made);  // as earlier releases wrote them
  ASSERT_TRUE(old.starts_with(kPkcs8)) << old;
  const std::string converted = TraditionalKeyPem(old).value();
  EXPECT_TRUE(converted.starts_with(kSec1)) << converted;
  EXPECT_EQ(PublicKeyPem(converted).value(), PublicKeyPem(old).value());
  EXPECT_TRUE(GenerateRsaKey().value().starts_with(kPkcs8));
  EXPECT_FALSE(TraditionalKeyPem("no key"));
}

TEST(KubeconfigTest, IsRewrittenOnlyWhenItChanges) {
  base::testing::TempDir dir;
  const fs::path file = dir.path() / "admin.kubeconfig";
  Kubeconfig config{.server_url = "https://127.0.0.1:6443", .ca_pem = "ca", .client = {"crt", "key"}};
  ASSERT_TRUE(WriteKubeconfig(file, config));
  EXPECT_EQ(Mode(file), 0600u);
  const auto inode = [&] {
    struct stat st{};
    ::stat(file.c_str(), &st);
    return st.st_ino;
  };
  const auto before = inode();
  ASSERT_TRUE(WriteKubeconfig(file, config));
  EXPECT_EQ(inode(), before);
  config.server_url = "https://127.0.0.1:7443";
  ASSERT_TRUE(WriteKubeconfig(file, config));
  const std::string text = base::ReadFile(file).value();
  EXPECT_THAT(text, HasSubstr("    server: https://127.0.0.1:7443\n"));
  EXPECT_THAT(text, HasSubstr("certificate-authority-data: Y2E=\n"));
  EXPECT_THAT(text, HasSubstr("client-key-data: a2V5\n"));
}

}  // namespace
}  // namespace keelson::auth::pki
