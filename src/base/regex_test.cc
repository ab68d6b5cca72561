#include "base/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RegexTest, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(Regex::Compile("b+")->Matches("abbc"));
  EXPECT_FALSE(Regex::Compile("^b+$")->Matches("abbc"));
  EXPECT_FALSE(Regex::Compile("b+")->MatchesWhole("abbc"));
  EXPECT_TRUE(Regex::Compile("b|bb|a")->MatchesWhole("bb"));
}

TEST(RegexTest, FindsTheLeftmostAndAll) {
  const auto digits = Regex::Compile("[0-9]+");
  EXPECT_EQ(digits->Find("a12b345"), "12");
  EXPECT_EQ(digits->Find("abc"), "");
  EXPECT_THAT(digits->FindAll("a12b345c6", -1), ElementsAre("12", "345", "6"));
  EXPECT_THAT(digits->FindAll("a12b345c6", 2), ElementsAre("12", "345"));
  EXPECT_THAT(digits->FindAll("a12", 0), IsEmpty());
}

TEST(RegexTest, EmptyMatchesAreBetweenCharacters) {
  EXPECT_THAT(Regex::Compile("x*")->FindAll("axé", -1), ElementsAre("", "x", ""));
}

TEST(RegexTest, ABadPatternIsDescribedAsGoDoes) {
  EXPECT_EQ(Regex::Compile("(a").error(), "error parsing regexp: missing closing ): `(a`");
  EXPECT_EQ(Regex::Compile("a**").error(), "error parsing regexp: invalid nested repetition operator: `**`");
  EXPECT_EQ(Regex::Compile("[a").error(), "error parsing regexp: missing closing ]: `[a`");
}

}  // namespace
}  // namespace keelson::base
