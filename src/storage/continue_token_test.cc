#include "storage/continue_token.h"

#include <gtest/gtest.h>

namespace keelson::storage {
namespace {

// Made by upstream's encoder.
constexpr std::string_view kGolden =
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIzLCJzdGFydCI6ImRlZmF1bHQvYVx1MDAwMCJ9";

std::string Encoded(std::string_view json) {
  // base64url without padding, through a token whose JSON is replaced.
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (unsigned char c : json) {
    bits = bits << 8 | c;
    for (held += 8; held >= 6; held -= 6) out += kAlphabet[bits >> (held - 6) & 63];
  }
  if (held) out += kAlphabet[bits << (6 - held) & 63];
  return out;
}

TEST(ContinueTokenTest, EncodesAsUpstream) {
  EXPECT_EQ(EncodeContinue({.revision = 123, .start_key = std::string("default/a\0", 10)}), kGolden);
}

TEST(ContinueTokenTest, DecodesWhatUpstreamEncodes) {
  auto token = DecodeContinue(kGolden);
  ASSERT_TRUE(token) << token.error();
  EXPECT_EQ(token->revision, 123);
  EXPECT_EQ(token->start_key, std::string("default/a\0", 10));
}

TEST(ContinueTokenTest, RefusesInUpstreamsWords) {
  struct Case {
    std::string token, error;
  };
  const Case cases[] = {
      {"a*", "continue key is not valid: illegal base64 data at input byte 1"},
      {"abc", "continue key is not valid: invalid character 'i' looking for beginning of value"},
      {Encoded(R"({"v":"v2","rv":1,"start":"a"})"),
       "continue key is not valid: server does not recognize this encoded version v2"},
      {Encoded(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})"),
       "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
      {Encoded(R"({"v":"meta.k8s.io/v1","rv":1,"start":""})"),
       "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"},
      {Encoded(R"({"v":"meta.k8s.io/v1","rv":1,"start":"../secrets/a"})"),
       "continue key is not valid: ../secrets/a"},
      {Encoded(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a//b"})"), "continue key is not valid: a//b"},
      {Encoded(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a/./b"})"), "continue key is not valid: a/./b"},
  };
  for (const auto& c : cases) {
    auto token = DecodeContinue(c.token);
    ASSERT_FALSE(token) << c.token;
    EXPECT_EQ(token.error(), c.error);
  }
  EXPECT_TRUE(DecodeContinue("e30x").error().starts_with("continue key is not valid: "));
}

TEST(ContinueTokenTest, ALeadingSlashIsTheSamePlace) {
  EXPECT_EQ(DecodeContinue(Encoded(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"/a"})"))->start_key, "a");
}

}  // namespace
}  // namespace keelson::storage
