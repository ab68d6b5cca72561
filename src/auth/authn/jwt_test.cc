#include "auth/authn/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include "auth/pki/certificate.h"
#include "base/openssl.h"

namespace keelson::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const pki::TokenKey& RsaKey() {
  static const pki::TokenKey key = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  return key;
}

pki::TokenKey EcKey(const char* curve) {
  const base::openssl::KeyPtr key(EVP_EC_gen(curve));
  const base::openssl::BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return pki::TokenKey::Parse({text, static_cast<size_t>(size)})->front();
}

std::string Header(std::string_view algorithm, std::string_view key_id = "k1") {
  return R"({"alg":")" + std::string(algorithm) + R"(","kid":")" + std::string(key_id) + "\"}";
}

std::string Token(const pki::TokenKey& key, std::string_view algorithm, std::string_view payload = "{}") {
  return *SignJwt(key, Header(algorithm), payload, algorithm);
}

std::string Unsigned(std::string_view header, std::string_view payload, std::string_view signature = "") {
  return pki::Base64Url(header) + "." + pki::Base64Url(payload) + "." + pki::Base64Url(signature);
}

// As a provider publishes it: the public half, by way of its JSON.
std::vector<WebKey> Published(const pki::TokenKey& key, std::string_view id = "k1") {
  auto keys = *ParseWebKeySet(R"({"keys":[)" + key.Jwk() + "]}");
  for (WebKey& k : keys) {
    k.id = id;
    k.algorithm.clear();  // so that the key's type alone decides
  }
  return keys;
}

TEST(JwtTest, EveryAlgorithmOfAKeysTypeIsVerified) {
  for (const char* algorithm : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
    EXPECT_TRUE(IsSignedBy(*ParseJwt(Token(RsaKey(), algorithm)), Published(RsaKey()))) << algorithm;
  const std::pair<const char*, const char*> curves[] = {
      {"P-256", "ES256"}, {"P-384", "ES384"}, {"P-521", "ES512"}};
  for (const auto& [curve, algorithm] : curves) {
    const pki::TokenKey key = EcKey(curve);
    EXPECT_TRUE(IsSignedBy(*ParseJwt(Token(key, algorithm)), Published(key))) << algorithm;
  }
}

TEST(JwtTest, ASignatureHoldsForItsTextAndAlgorithmAlone) {
  const std::string token = Token(RsaKey(), "RS256", R"({"sub":"ann"})");
  const auto keys = Published(RsaKey());
  EXPECT_TRUE(IsSignedBy(*ParseJwt(token), keys));
  const std::string signature = token.substr(token.rfind('.'));
  EXPECT_FALSE(IsSignedBy(
      *ParseJwt(pki::Base64Url(Header("RS256")) + "." + pki::Base64Url(R"({"sub":"bob"})") + signature),
      keys));
  for (const char* algorithm : {"RS384", "RS512", "PS256", "ES256"})
    EXPECT_FALSE(IsSignedBy(
        *ParseJwt(pki::Base64Url(Header(algorithm)) + "." + pki::Base64Url(R"({"sub":"ann"})") + signature),
        keys))
        << algorithm;
}

TEST(JwtTest, NoneAndSymmetricAlgorithmsAreNeverBelieved) {
  const auto keys = Published(RsaKey());
  for (const char* algorithm : {"none", "None", "NONE", "HS256", "HS384", "HS512", "rs256", "EdDSA", ""}) {
    const auto token = ParseJwt(Unsigned(Header(algorithm), "{}", ""));
    EXPECT_FALSE(token && IsSignedBy(*token, keys)) << algorithm;
    EXPECT_FALSE(pki::IsTokenAlgorithm(algorithm)) << algorithm;
  }
}

// The key of an RSA provider is public: as the secret of an HMAC everybody could sign with it.
TEST(JwtTest, AKeyIsOnlyUsedForAlgorithmsOfItsType) {
  const pki::TokenKey ec = EcKey("P-256");
  EXPECT_FALSE(ec.Sign("text", "RS256"));
  EXPECT_FALSE(ec.Sign("text", "ES384"));
  EXPECT_FALSE(RsaKey().Sign("text", "ES256"));
  EXPECT_FALSE(RsaKey().Sign("text", "HS256"));
  EXPECT_FALSE(ec.Verify("RS256", "text", *ec.Sign("text")));
  EXPECT_FALSE(ec.Verify("ES384", "text", *ec.Sign("text")));
  EXPECT_FALSE(ec.Verify("", "text", *ec.Sign("text")));
  EXPECT_TRUE(ec.Verify("ES256", "text", *ec.Sign("text")));
}

TEST(JwtTest, APublishedAlgorithmBindsItsKey) {
  auto keys = Published(RsaKey());
  keys.front().algorithm = "RS512";
  EXPECT_FALSE(IsSignedBy(*ParseJwt(Token(RsaKey(), "RS256")), keys));
  EXPECT_TRUE(IsSignedBy(*ParseJwt(Token(RsaKey(), "RS512")), keys));
}

TEST(JwtTest, AKeyIdThatIsNamedMustBeTheKeys) {
  const auto token = Token(RsaKey(), "RS256");
  EXPECT_FALSE(IsSignedBy(*ParseJwt(token), Published(RsaKey(), "k2")));
  EXPECT_FALSE(IsSignedBy(*ParseJwt(token), Published(RsaKey(), "")));
  const auto nameless = *SignJwt(RsaKey(), R"({"alg":"RS256"})", "{}");
  EXPECT_TRUE(IsSignedBy(*ParseJwt(nameless), Published(RsaKey(), "k2")));
}

// CVE-2022-21449: a signature of zeros satisfies the equation of ECDSA if nobody looks.
TEST(JwtTest, EcdsaSignaturesHaveTheLengthOfTheCurveAndNumbersThatAreNotZero) {
  const pki::TokenKey key = EcKey("P-256");
  const auto keys = Published(key);
  for (const size_t size : {0u, 1u, 63u, 64u, 65u, 96u})
    EXPECT_FALSE(IsSignedBy(*ParseJwt(Unsigned(Header("ES256"), "{}", std::string(size, '\0'))), keys))
        << size;
}

TEST(JwtTest, WhatIsNoTokenIsRefused) {
  const auto error = [](std::string_view text) { return ParseJwt(text).error(); };
  for (const char* text : {"", ".", "a", "a.b", "e30.e30", "e30.e30.e30.e30", "e30.e30.e30.e30.e30"})
    EXPECT_THAT(error(text), HasSubstr("three parts")) << text;
  EXPECT_THAT(error("{}.e30.e30"), HasSubstr("base64"));
  EXPECT_THAT(error("e30=.e30.e30"), HasSubstr("base64"));
  EXPECT_THAT(error("e30.e 0.e30"), HasSubstr("base64"));
  EXPECT_THAT(error("e30.e30.e30\n"), HasSubstr("base64"));
  EXPECT_THAT(error(Unsigned("[]", "{}")), HasSubstr("header"));
  EXPECT_THAT(error(Unsigned(R"({"alg":1})", "{}")), HasSubstr("header"));
  EXPECT_THAT(error(Unsigned(R"({"alg":"RS256"} x)", "{}")), HasSubstr("header"));
  EXPECT_THAT(error(Unsigned(R"({"alg":"none","alg":"RS256"})", "{}")), HasSubstr("header"));
}

TEST(JwtTest, NoKeyHasSignedATokenThatNeedsAnExtension) {
  const auto keys = Published(RsaKey());
  for (const char* header :
       {R"({"alg":"RS256","kid":"k1","crit":["exp"]})", R"({"alg":"RS256","kid":"k1","b64":false})",
        R"({"kid":"k1"})", R"({"alg":"","kid":"k1"})"}) {
    const std::string token = *SignJwt(RsaKey(), header, "{}", "RS256");
    const auto parsed = ParseJwt(token);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_FALSE(IsSignedBy(*parsed, keys)) << header;
  }
}

TEST(JwtTest, TimesMayBeFarAway) {
  const auto expiry = [](std::string_view number) {
    const auto claims = ReadStandardClaims(R"({"exp":)" + std::string(number) + "}");
    return claims ? claims->expiry : std::nullopt;
  };
  EXPECT_EQ(expiry("9007199254740992"), int64_t{1} << 53);
  EXPECT_EQ(expiry("-5"), -5);
  EXPECT_EQ(expiry("1e30"), std::nullopt);
  EXPECT_EQ(expiry("-1e30"), std::nullopt);
}

// CVE-2025-27144: a token of very many dots or bytes costs next to nothing.
TEST(JwtTest, OversizedTokensAreRefusedBeforeTheyAreDecoded) {
  EXPECT_THAT(ParseJwt(std::string(kMaxTokenBytes + 1, '.')).error(), HasSubstr("too long"));
  EXPECT_THAT(ParseJwt(std::string(kMaxTokenBytes, '.')).error(), HasSubstr("three parts"));
}

TEST(JwtTest, ErrorsRepeatNothingOfTheToken) {
  EXPECT_THAT(ParseJwt("c2VjcmV0.c2VjcmV0.sec ret").error(), ::testing::Not(HasSubstr("c2Vj")));
}

TEST(StandardClaimsTest, TimesMayHaveFractionsAndOneAudienceNoList) {
  const auto claims = *ReadStandardClaims(R"({"iss":"i","aud":"a","exp":12.75,"nbf":1e1,"other":{"x":[1]}})");
  EXPECT_EQ(claims.issuer, "i");
  EXPECT_THAT(claims.audiences, ElementsAre("a"));
  EXPECT_EQ(claims.expiry, 12);
  EXPECT_EQ(claims.not_before, 10);
  EXPECT_THAT(ReadStandardClaims(R"({"aud":["a","b"]})")->audiences, ElementsAre("a", "b"));
  EXPECT_FALSE(ReadStandardClaims("{}")->expiry);
}

TEST(StandardClaimsTest, OtherTypesDuplicatesAndTrailingTextAreRefused) {
  for (const char* text : {"", "[]", "1", R"({"iss":1})", R"({"aud":[1]})", R"({"aud":{}})", R"({"exp":"1"})",
                           R"({"exp":1e300})", R"({"iss":"a","iss":"a"})", R"({"x":1,"x":2})",
                           R"({"iss":"a"}x)", R"({"iss":"a"}{"iss":"b"})", R"({"i\u0073s":"a","iss":"b"})"})
    EXPECT_FALSE(ReadStandardClaims(text)) << text;
}

TEST(WebKeySetTest, KeysThatCannotCheckSignaturesAreLeftOut) {
  const std::string good = RsaKey().Jwk();
  EXPECT_THAT(*ParseWebKeySet(R"({"keys":[)" + good + R"(,{"kty":"oct","k":"AAAA"},{"kty":"OKP"},{}]})"),
              SizeIs(1));
  EXPECT_THAT(*ParseWebKeySet(R"({"keys":[{"kty":"RSA","use":"enc","n":"AQAB","e":"AQAB"}]})"), IsEmpty());
  EXPECT_THAT(*ParseWebKeySet(R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]})"), IsEmpty());
  EXPECT_THAT(*ParseWebKeySet(R"({"keys":[]})"), IsEmpty());
}

TEST(WebKeySetTest, WeakAndAbsurdRsaKeysAreLeftOut) {
  const auto keys = [](std::string_view modulus, std::string_view exponent) {
    return ParseWebKeySet(R"({"keys":[{"kty":"RSA","n":")" + pki::Base64Url(modulus) + R"(","e":")" +
                          pki::Base64Url(exponent) + R"("}]})")
        ->size();
  };
  EXPECT_EQ(keys(std::string(256, '\xff'), {"\x01\x00\x01", 3}), 1u);
  EXPECT_EQ(keys(std::string(64, '\xff'), {"\x01\x00\x01", 3}), 0u);    // 512 bits
  EXPECT_EQ(keys(std::string(4096, '\xff'), {"\x01\x00\x01", 3}), 0u);  // 32768 bits
  EXPECT_EQ(keys(std::string(256, '\xfe'), {"\x01\x00\x01", 3}), 0u);   // even
  EXPECT_EQ(keys(std::string(256, '\xff'), "\x01"), 0u);                // everything is its own signature
  EXPECT_EQ(keys(std::string(256, '\xff'), "\x02"), 0u);
  EXPECT_EQ(keys(std::string(256, '\xff'), ""), 0u);
  EXPECT_EQ(keys(std::string(256, '\xff'), std::string(256, '\xff')), 0u);
}

// A point off its curve would give away what is computed with it.
TEST(WebKeySetTest, PointsOffTheCurveAreLeftOut) {
  const auto keys = [](std::string_view curve, std::string_view x, std::string_view y) {
    return ParseWebKeySet(R"({"keys":[{"kty":"EC","crv":")" + std::string(curve) + R"(","x":")" +
                          pki::Base64Url(x) + R"(","y":")" + pki::Base64Url(y) + R"("}]})")
        ->size();
  };
  EXPECT_EQ(keys("P-256", std::string(32, '\0'), std::string(32, '\0')), 0u);
  EXPECT_EQ(keys("P-256", std::string(32, '\1'), std::string(32, '\1')), 0u);
  EXPECT_EQ(keys("P-256", std::string(31, '\1'), std::string(32, '\1')), 0u);
  EXPECT_EQ(keys("secp256k1", std::string(32, '\1'), std::string(32, '\1')), 0u);
  EXPECT_EQ(keys("", "", ""), 0u);
  EXPECT_THAT(Published(EcKey("P-384")), SizeIs(1));
}

TEST(WebKeySetTest, WhatIsNoKeySetIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[1]})", R"({"keys":[],"keys":[]})",
        R"({"keys":[{"kid":"a","kid":"b"}]})", R"({"keys":[{"kid":1}]})", R"({"keys":[]}x)"})
    EXPECT_FALSE(ParseWebKeySet(text)) << text;
}

}  // namespace
}  // namespace keelson::auth
