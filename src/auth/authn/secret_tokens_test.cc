// Tokens that secrets hold: bootstrap tokens, and those of service accounts that older releases made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authn/authenticators.h"
#include "auth/authn/service_account_token.h"
#include "auth/pki/certificate.h"
#include "base/sync_wait.h"
#include "client/testing/fake_client.h"

namespace keelson::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoredSecretsFake final : public TokenSecrets {
 public:
  base::Task<base::Result<std::optional<TokenSecret>, std::string>> Find(std::string ns,
                                                                         std::string name) override {
    if (!error.empty()) co_return base::Err(error);
    const auto found = secrets.find(ns + "/" + name);
    if (found == secrets.end()) co_return std::nullopt;
    co_return found->second;
  }
  base::Task<bool> IsListed(std::string, std::string, std::string secret) override {
    co_return secret == listed;
  }
  base::Task<void> SetLabel(std::string ns, std::string name, std::string uid, std::string_view key,
                            std::string value) override {
    labelled.push_back(ns + "/" + name + " " + uid + " " + std::string(key) + "=" + value);
    secrets[ns + "/" + name].labels[std::string(key)] = value;
    co_return;
  }

  std::map<std::string, TokenSecret> secrets;
  std::string error, listed;
  std::vector<std::string> labelled;
};

// The service account demo/robot, or none.
class AccountsFake final : public client::FakeClient {
 public:
  AccountsFake() { Put("u1"); }
  // `deletion_time`: 0: it is not being deleted.
  void Put(std::string_view uid, int64_t deletion_time = 0) {
    client::FakeResource& accounts = At("", "serviceaccounts");
    api::Doc doc(*accounts.desc.type);
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_name("robot");
    metadata.set_uid(uid);
    if (deletion_time != 0) {
      metadata.set_deletion_timestamp(deletion_time);
      metadata.add_finalizers("example.com/hold");
    }
    accounts.Put("demo", std::move(doc));
  }
  void Remove() { At("", "serviceaccounts").Remove("demo", "robot"); }
};

class BootstrapTokensTest : public ::testing::Test {
 protected:
  BootstrapTokensTest() {
    secret_.type = "bootstrap.kubernetes.io/token";
    secret_.data = {{"token-id", "abcdef"},
                    {"token-secret", "0123456789abcdef"},
                    {"usage-bootstrap-authentication", "true"}};
  }
  TokenAuthenticator::Outcome Ask(std::string_view token = "abcdef.0123456789abcdef",
                                  std::vector<std::string> audiences = {"api"}) {
    return base::SyncWait(tokens_->AuthenticateToken(token, audiences, remarks_));
  }
  bool Accepted() { return Ask()->user != nullptr; }

  base::FakeClock clock_;  // starts at 2023-11-14T22:13:20Z
  StoredSecretsFake stored_;
  TokenSecret& secret_ = stored_.secrets["kube-system/bootstrap-token-abcdef"];
  std::unique_ptr<TokenAuthenticator> tokens_ = BootstrapTokens(stored_, {"api"}, clock_);
  Remarks remarks_;
};

TEST_F(BootstrapTokensTest, TheIdNamesTheUser) {
  const auto known = Ask().value();
  ASSERT_TRUE(known.user);
  EXPECT_EQ(known.user->name, "system:bootstrap:abcdef");
  EXPECT_THAT(known.user->groups, ElementsAre("system:bootstrappers", "system:authenticated"));
  EXPECT_THAT(known.audiences, ElementsAre("api"));
}

TEST_F(BootstrapTokensTest, ExtraGroupsAreSortedAndMustBeOfBootstrappers) {
  secret_.data["auth-extra-groups"] = "system:bootstrappers:b,system:bootstrappers:a:1";
  EXPECT_THAT(Ask()->user->groups, ElementsAre("system:bootstrappers", "system:bootstrappers:a:1",
                                               "system:bootstrappers:b", "system:authenticated"));
  for (const char* groups :
       {"system:masters", "system:bootstrappers:", "system:bootstrappers:a,", "system:bootstrappers:A",
        "system:bootstrappers:a-", ",system:bootstrappers:a"}) {
    secret_.data["auth-extra-groups"] = groups;
    EXPECT_FALSE(Accepted()) << groups;
  }
}

TEST_F(BootstrapTokensTest, OnlyTheVerySecretIsAccepted) {
  for (const char* token : {"abcdef.0123456789abcdeg", "abcdef.0123456789abcde", "abcdef.0123456789abcdef0",
                            "abcdeg.0123456789abcdef", "ABCDEF.0123456789abcdef", "abcdef-0123456789abcdef",
                            "abcdef.", "", "abcdef.0123456789abcde\n"})
    EXPECT_FALSE(Ask(token)->user) << token;
}

TEST_F(BootstrapTokensTest, TheSecretSaysWhetherItsTokenCounts) {
  const TokenSecret good = secret_;
  const auto refused_with = [&](auto change) {
    secret_ = good;
    change(secret_);
    return !Accepted();
  };
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.type = "Opaque"; }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.being_deleted = true; }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data.erase("usage-bootstrap-authentication"); }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data["usage-bootstrap-authentication"] = "True"; }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data["token-id"] = "abcdeg"; }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data.erase("token-secret"); }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data["expiration"] = "2023-11-14T22:13:20Z"; }));
  EXPECT_TRUE(refused_with([](TokenSecret& s) { s.data["expiration"] = "tomorrow"; }));
  EXPECT_FALSE(refused_with([](TokenSecret& s) { s.data["expiration"] = "2023-11-14T23:13:21+01:00"; }));
}

TEST_F(BootstrapTokensTest, AudiencesAreTheServers) {
  EXPECT_FALSE(Ask("abcdef.0123456789abcdef", {"vault"})->user);
}

TEST_F(BootstrapTokensTest, AStoreThatCannotTellIsAnError) {
  stored_.error = "the store is being loaded";
  EXPECT_EQ(Ask().error(), "the store is being loaded");
  EXPECT_FALSE(Ask("another kind of token")->user);
}

const pki::TokenKey& SecretTokensKey() {
  static const pki::TokenKey key = pki::TokenKey::Parse(*pki::GenerateKey())->front();
  return key;
}

class LegacyTokensTest : public ::testing::Test {
 protected:
  LegacyTokensTest() {
    secret_.uid = "s1";
    secret_.data["token"] = token_;
  }
  static std::string Sign(std::string_view claims) {
    return *SignJwt(SecretTokensKey(), R"({"alg":"ES256"})", claims);
  }
  static constexpr std::string_view kClaims =
      R"({"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"demo",)"
      R"("kubernetes.io/serviceaccount/secret.name":"robot-token",)"
      R"("kubernetes.io/serviceaccount/service-account.name":"robot",)"
      R"("kubernetes.io/serviceaccount/service-account.uid":"u1",)"
      R"("sub":"system:serviceaccount:demo:robot"})";
  TokenAuthenticator::Outcome Ask(bool lookup = true, std::vector<std::string> audiences = {"api"}) {
    return AskFor(token_, lookup, std::move(audiences));
  }
  TokenAuthenticator::Outcome AskFor(const std::string& token, bool lookup = true,
                                     std::vector<std::string> audiences = {"api"}) {
    const auto tokens = LegacyServiceAccountTokens({.keys = {SecretTokensKey()},
                                                    .audiences = {"api"},
                                                    .lookup = lookup,
                                                    .metrics = &counts_,
                                                    .clock = &clock_},
                                                   accounts_, stored_);
    return base::SyncWait(tokens->AuthenticateToken(token, audiences, remarks_));
  }

  base::FakeClock clock_;
  base::Metrics metrics_;
  const ServiceAccountMetrics counts_{metrics_};
  AccountsFake accounts_;
  StoredSecretsFake stored_;
  const std::string token_ = Sign(kClaims);
  TokenSecret& secret_ = stored_.secrets["demo/robot-token"];
  Remarks remarks_;
};

std::vector<std::string> Texts(const Remarks& remarks) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : remarks.annotations) texts.push_back(std::string(key) + ": " + value);
  return texts;
}

TEST_F(LegacyTokensTest, ATokenCountsForAsLongAsItsSecretHoldsIt) {
  const auto known = Ask().value();
  ASSERT_TRUE(known.user);
  EXPECT_EQ(known.user->name, "system:serviceaccount:demo:robot");
  EXPECT_EQ(known.user->uid, "u1");
  EXPECT_THAT(known.user->groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:demo", "system:authenticated"));
  EXPECT_THAT(known.user->extra, IsEmpty());
  secret_.data["token"] = Sign(kClaims);  // ECDSA never signs twice alike
  EXPECT_EQ(Ask().error(), "Token does not match server's copy");
  secret_.data["token"] = token_;
  secret_.being_deleted = true;
  EXPECT_EQ(Ask().error(), "Token has been invalidated");
  stored_.secrets.clear();
  EXPECT_EQ(Ask().error(), "Token has been invalidated");
}

TEST_F(LegacyTokensTest, TheAccountMustBeTheVeryOne) {
  accounts_.Put("u2");
  EXPECT_EQ(Ask().error(), "ServiceAccount UID (u2) does not match claim (u1)");
  accounts_.Put("u1", 1'700'000'000);
  EXPECT_EQ(Ask().error(), "ServiceAccount demo/robot has been deleted");
  accounts_.Remove();
  EXPECT_EQ(Ask().error(), "serviceaccounts \"robot\" not found");
}

TEST_F(LegacyTokensTest, WithoutLookupTheSignatureAloneDecides) {
  stored_.secrets.clear();
  accounts_.Remove();
  EXPECT_TRUE(Ask(/*lookup=*/false)->user);
}

TEST_F(LegacyTokensTest, ClaimsMustBeWholeAndAgree) {
  const auto error = [&](std::string_view from, std::string_view to) {
    std::string claims(kClaims);
    claims.replace(claims.find(from), from.size(), to);
    const auto outcome = AskFor(Sign(claims));
    return outcome ? std::string("none") : outcome.error();
  };
  EXPECT_EQ(error(R"("sub":"system:serviceaccount:demo:robot")", R"("x":"")"), "sub claim is missing");
  EXPECT_EQ(
      error(R"("sub":"system:serviceaccount:demo:robot")", R"("sub":"system:serviceaccount:demo:root")"),
      "sub claim is invalid");
  EXPECT_EQ(error(R"(namespace":"demo")", R"(namespace":"")"), "namespace claim is missing");
  EXPECT_EQ(error("secret.name", "secret.nom"), "secretName claim is missing");
  EXPECT_EQ(error("service-account.name", "service-account.nom"), "serviceAccountName claim is missing");
  EXPECT_EQ(error("service-account.uid", "service-account.id"), "serviceAccountUID claim is missing");
  EXPECT_EQ(error("kubernetes/serviceaccount\"", "https://them\""), "none");
}

TEST_F(LegacyTokensTest, ForeignSignaturesAndAudiencesAreErrors) {
  const auto other = pki::TokenKey::Parse(*pki::GenerateKey())->front();
  EXPECT_THAT(AskFor(*SignJwt(other, R"({"alg":"ES256"})", kClaims)).error(),
              HasSubstr("error in cryptographic primitive"));
  EXPECT_EQ(Ask(true, {"vault"}).error(),
            R"(token audiences ["api"] is invalid for the target audiences ["vault"])");
}

TEST_F(LegacyTokensTest, AUseIsRecordedOnceADay) {
  EXPECT_TRUE(Ask()->user);
  EXPECT_TRUE(Ask()->user);
  EXPECT_THAT(stored_.labelled,
              ElementsAre("demo/robot-token s1 kubernetes.io/legacy-token-last-used=2023-11-14"));
  secret_.labels["kubernetes.io/legacy-token-last-used"] = "2023-11-15";  // where it is tomorrow already
  EXPECT_TRUE(Ask()->user);
  EXPECT_EQ(stored_.labelled.size(), 1u);
  clock_.Advance(std::chrono::hours(48));
  EXPECT_TRUE(Ask()->user);
  EXPECT_EQ(stored_.labelled.size(), 2u);
}

TEST_F(LegacyTokensTest, ASecretThatIsMarkedInvalidIsRefusedAndTheUseRecorded) {
  secret_.labels["kubernetes.io/legacy-token-invalid-since"] = "2023-10-01";
  EXPECT_THAT(Ask().error(),
              HasSubstr("the token in secret demo/robot-token for service account demo/robot has "
                        "been marked invalid."));
  EXPECT_EQ(stored_.labelled.size(), 1u);
  EXPECT_EQ(counts_.invalid.value(), 1u);
  EXPECT_THAT(Texts(remarks_),
              ElementsAre("authentication.k8s.io/legacy-token: system:serviceaccount:demo:robot",
                          "authentication.k8s.io/legacy-token-invalidated: robot-token/demo"));
  EXPECT_THAT(remarks_.warnings, IsEmpty());
}

TEST_F(LegacyTokensTest, UsesAreCountedAndRemarkedOnByTheirKind) {
  EXPECT_TRUE(Ask()->user);
  EXPECT_EQ(counts_.manual.value(), 1u);
  EXPECT_THAT(Texts(remarks_),
              ElementsAre("authentication.k8s.io/legacy-token: system:serviceaccount:demo:robot",
                          "authentication.k8s.io/legacy-token-manual-secret: robot-token"));
  EXPECT_THAT(remarks_.warnings, IsEmpty());
  stored_.listed = "robot-token";
  remarks_ = {};
  EXPECT_TRUE(Ask()->user);
  EXPECT_EQ(counts_.automatic.value(), 1u);
  EXPECT_EQ(counts_.legacy.value(), 2u);
  EXPECT_THAT(Texts(remarks_),
              ElementsAre("authentication.k8s.io/legacy-token: system:serviceaccount:demo:robot",
                          "authentication.k8s.io/legacy-token-autogenerated-secret: robot-token"));
  EXPECT_THAT(
      remarks_.warnings,
      ElementsAre("Use tokens from the TokenRequest API or manually created secret-based tokens instead of "
                  "auto-generated secret-based tokens."));
}

}  // namespace
}  // namespace keelson::auth
