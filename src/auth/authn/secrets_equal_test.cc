#include "auth/authn/secrets_equal.h"

#include <gtest/gtest.h>

#include <string>

#include "auth/authn/token_digest.h"

namespace keelson::auth {
namespace {

TEST(SecretsEqualTest, EqualMeansEveryByte) {
  const std::string secret("0123\0005678", 9);
  EXPECT_TRUE(SecretsEqual(secret, std::string(secret)));
  EXPECT_TRUE(SecretsEqual("", ""));
  EXPECT_FALSE(SecretsEqual(secret, "0123"));
  EXPECT_FALSE(SecretsEqual(secret, ""));
  for (size_t i = 0; i < secret.size(); ++i) {
    std::string other = secret;
    other[i] ^= 1;
    EXPECT_FALSE(SecretsEqual(secret, other)) << i;
  }
}

TEST(TokenDigesterTest, ADigestCannotBeForeseen) {
  const TokenDigester one, another;
  EXPECT_EQ(one("token"), one("token"));
  EXPECT_NE(one("token"), one("tokeo"));
  EXPECT_NE(one("token"), another("token")) << "the key is one of this object alone";
}

}  // namespace
}  // namespace keelson::auth
