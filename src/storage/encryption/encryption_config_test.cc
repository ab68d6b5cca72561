#include "storage/encryption/encryption_config.h"

#include <gmock/gmock.h>

#include "storage/encryption/encryption.h"

namespace keelson::storage::encryption {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHead =
    "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n";
constexpr std::string_view kKey16 = "c2VjcmV0IGlzIHNlY3VyZQ==";

std::string Rule(std::string_view resources, std::string_view providers) {
  return "- resources: " + std::string(resources) + "\n  providers: " + std::string(providers) + "\n";
}
std::string Aes(std::string_view name = "k") {
  return "[{aescbc: {keys: [{name: " + std::string(name) + ", secret: " + std::string(kKey16) + "}]}}]";
}
std::string ErrorOf(std::string_view rules) {
  const auto config = ParseEncryptionConfig(std::string(kHead) + std::string(rules));
  return config ? "" : config.error();
}

std::string Kms(std::string_view members) {
  return Rule("[secrets]", "[{kms: {" + std::string(members) + "}}]");
}

TEST(EncryptionConfigTest, AKeyServiceIsNamedAsUpstreamDoes) {
  const auto config = ParseEncryptionConfig(
      std::string(kHead) + Kms("apiVersion: v2, name: a, endpoint: 'unix:///run/kms.sock', timeout: 1500ms"));
  ASSERT_TRUE(config) << config.error();
  const KmsConfig wanted{.name = "a", .socket = "/run/kms.sock", .timeout = std::chrono::milliseconds(1500)};
  EXPECT_THAT(config->KeyServices(), testing::ElementsAre(wanted));
  EXPECT_EQ(ErrorOf(Kms("apiVersion: v2, name: a, endpoint: 'unix:///@abstract'")), "");
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v2, name: 'a:b', endpoint: 'unix:///s'")),
              HasSubstr("must not contain ':'"));
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v2, name: a, endpoint: 'http:///s'")),
              HasSubstr("unsupported scheme \"http\" for KMS provider, only unix is supported"));
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v2, name: a")), HasSubstr("endpoint is a mandatory field for a kms"));
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v2, name: a, endpoint: 'unix:///s', timeout: 0s")),
              HasSubstr("timeout should be a positive value"));
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v2, name: a, endpoint: 'unix:///s', cachesize: 5")),
              HasSubstr("kms.cachesize: Invalid value: 5: cachesize is not supported in v2"));
  EXPECT_THAT(ErrorOf(Kms("apiVersion: v3, name: a, endpoint: 'unix:///s'")),
              HasSubstr("only v1 and v2 are supported"));
  EXPECT_THAT(ErrorOf(Kms("name: a, endpoint: 'unix:///s'")), HasSubstr("KMSv1 is deprecated"));
  const std::string twice = "apiVersion: v2, name: a, endpoint: 'unix:///s'";
  EXPECT_THAT(ErrorOf(Kms(twice) + Rule("[configmaps]", "[{kms: {" + twice + "}}]")),
              HasSubstr("duplicate KMS provider name a, names must be unique"));
}

class EncryptionTest : public testing::Test {
 protected:
  base::Result<std::unique_ptr<const Encryption>, std::string> Make(const std::string& rules) {
    auto config = ParseEncryptionConfig(std::string(kHead) + rules);
    EXPECT_TRUE(config) << config.error();
    return Encryption::Make(*config, "/registry", seal_ids_);
  }
  SealIds seal_ids_;
};

TEST(EncryptionConfigTest, WhatIsGeneratedEncryptsSecretsAndReadsPlainOnes) {
  const auto text = GenerateEncryptionConfig();
  ASSERT_TRUE(text);
  const auto config = ParseEncryptionConfig(*text);
  ASSERT_TRUE(config) << config.error();
  ASSERT_EQ(config->rules.size(), 1U);
  EXPECT_THAT(config->rules[0].resources, testing::ElementsAre("secrets"));
  EXPECT_EQ(config->rules[0].providers[0].kind, ProviderConfig::Kind::kSecretbox);
  EXPECT_EQ(config->rules[0].providers[0].keys[0].secret.size(), 32U);
  EXPECT_EQ(config->rules[0].providers[1].kind, ProviderConfig::Kind::kIdentity);
  EXPECT_NE(*text, *GenerateEncryptionConfig());
}

TEST(EncryptionConfigTest, RefusesInUpstreamsWords) {
  EXPECT_EQ(ErrorOf("  []"), "resources: Required value: at least one resources is required");
  EXPECT_THAT(ErrorOf(Rule("[]", Aes())),
              HasSubstr("resources[0].resources: Required value: at least one resources[0].resources"));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[]")), HasSubstr("resources[0].providers: Required value"));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[{}]")), HasSubstr("does not contain any of the expected"));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[{identity: {}, aesgcm: {keys: []}}]")),
              HasSubstr("more than one provider specified"));
  EXPECT_THAT(
      ErrorOf(Rule("[secrets]", "[{aesgcm: {keys: [{name: a, secret: c2hvcnQ=}]}}]")),
      HasSubstr("resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: \"REDACTED\": secret is "
                "not of the expected length, got 5, expected one of [16 24 32]"));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[{secretbox: {keys: [{name: a, secret: '%%'}]}}]")),
              HasSubstr("secrets must be base64 encoded"));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[{secretbox: {keys: [{secret: a}]}}]")),
              HasSubstr("name is a mandatory field for a key"));
  EXPECT_THAT(ErrorOf(Rule("['*']", Aes())), HasSubstr("use '*.' to encrypt all"));
  EXPECT_THAT(ErrorOf(Rule("[Secrets]", Aes())), HasSubstr("should not contain capital letters"));
  EXPECT_THAT(ErrorOf(Rule("[secrets, secrets]", Aes())), HasSubstr("cannot be specified multiple times"));
  EXPECT_THAT(ErrorOf(Rule("[secrets, '*.']", Aes())), HasSubstr("overlapping resources"));
  EXPECT_THAT(ErrorOf(Rule("['*.*', pods]", Aes())), HasSubstr("overlapping resources"));
  EXPECT_THAT(ErrorOf(Rule("[events.events.k8s.io]", Aes())), HasSubstr("Use 'events' instead"));
  EXPECT_THAT(ErrorOf(Rule("['secrets.*']", Aes())), HasSubstr("across groups is not supported"));
  EXPECT_THAT(ErrorOf(Rule("[serviceipallocations]", Aes())), HasSubstr("do not have REST API/s"));
}

TEST(EncryptionConfigTest, RefusesWhatItDoesNotKnowAndShowsNoSecret) {
  EXPECT_THAT(ErrorOf("- resourses: []\n"), HasSubstr("unknown field \"resources[0].resourses\""));
  EXPECT_THAT(ErrorOf(Rule("[secrets]", "[{aesgcm: {keys: [{name: a, secret: dG9wc2VjcmV0}]}}]")),
              Not(HasSubstr("dG9wc2VjcmV0")));
  EXPECT_FALSE(ParseEncryptionConfig("apiVersion: v1\nkind: Secret\n"));
  EXPECT_FALSE(ParseEncryptionConfig("{"));
}

TEST_F(EncryptionTest, TheNarrowestRuleDecides) {
  const auto made = Make(Rule("[events]", "[{identity: {}}]") + Rule("[secrets]", Aes("one")) +
                         Rule("['*.apps']", Aes("two")) + Rule("['*.*']", Aes("three")));
  ASSERT_TRUE(made) << made.error();
  const Encryption& encryption = **made;
  const auto seal = [&](std::string_view key) { return encryption.For(key).seal(); };
  EXPECT_TRUE(encryption.For("/registry/events/ns/e").plain());
  const SealId secrets = seal("/registry/secrets/ns/s");
  const SealId apps = seal("/registry/deployments/ns/d");
  const SealId all = seal("/registry/pods/ns/p");
  EXPECT_NE(secrets, kUnsealed);
  EXPECT_NE(apps, secrets);
  EXPECT_NE(all, apps);
  EXPECT_EQ(seal("/registry/controllerrevisions/ns/c"), apps);
  EXPECT_EQ(seal("/registry/services/specs/ns/s"), all);
  EXPECT_EQ(seal("/registry/apiregistration.k8s.io/apiservices/a"), all);
  EXPECT_EQ(seal("/registry/example.com/pandas/ns/p"), all);
  // What has no API is kept as it is.
  EXPECT_EQ(seal("/registry/ranges/servicenodeports"), kUnsealed);
  EXPECT_EQ(seal("/registry/masterleases/10.0.0.1"), kUnsealed);
  EXPECT_EQ(seal("compact_rev_key"), kUnsealed);
  EXPECT_TRUE(encryption.PlainBelow("/registry/events/"));
  EXPECT_FALSE(encryption.PlainBelow("/registry/pods/"));
  EXPECT_FALSE(encryption.PlainBelow("/registry/"));
}

TEST_F(EncryptionTest, ACustomResourceIsFoundByItsGroup) {
  const auto made = Make(Rule("[pandas.example.com]", Aes("one")) + Rule("['*.']", Aes("two")));
  ASSERT_TRUE(made) << made.error();
  EXPECT_FALSE((*made)->For("/registry/example.com/pandas/ns/p").plain());
  EXPECT_TRUE((*made)->For("/registry/example.com/lions/ns/p").plain());
  EXPECT_FALSE((*made)->For("/registry/pods/ns/p").plain());
  EXPECT_TRUE((*made)->For("/registry/deployments/ns/p").plain());
}

TEST_F(EncryptionTest, AHiddenRuleIsRefused) {
  EXPECT_EQ(Make(Rule("['*.*']", Aes()) + Rule("[secrets]", Aes())).error(),
            "resource \"secrets\" is masked by earlier rule \"*.*\"");
  EXPECT_EQ(Make(Rule("['*.']", Aes()) + Rule("[secrets]", Aes())).error(),
            "resource \"secrets\" is masked by earlier rule \"*.\"");
}

}  // namespace
}  // namespace keelson::storage::encryption
