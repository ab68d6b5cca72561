#include "endpoints/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::endpoints {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Fields(const std::vector<std::string>& warnings) {
  net::http::Headers headers;
  AddWarnings(warnings, headers);
  std::vector<std::string> values;
  for (const auto& field : headers) values.push_back(field.value);
  return values;
}

TEST(WarningsTest, EachTextIsSentOnceAndQuoted) {
  EXPECT_THAT(Fields({"one", "", "say \"two\"", "one"}),
              ElementsAre("299 - \"one\"", "299 - \"say \\\"two\\\"\""));
}

TEST(WarningsTest, ATextThatNoFieldCanHoldIsLeftOut) {
  EXPECT_THAT(Fields({"a\nb", "\xff", "bell\x07", "\u00fc"}), ElementsAre("299 - \"\u00fc\""));
}

TEST(WarningsTest, ALongTextIsWholeWhileTheSumAllowsIt) {
  const std::string text(4096, 'x');
  EXPECT_THAT(Fields({text}), ElementsAre("299 - \"" + text + "\""));
}

TEST(WarningsTest, TooMuchInAllCutsEachOfThem) {
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "\u00fc";
  EXPECT_THAT(Fields({umlauts, std::string(4000, 'x'), "short"}),
              ElementsAre("299 - \"" + umlauts.substr(0, 512) + "\"",
                          "299 - \"" + std::string(256, 'x') + "\"", "299 - \"short\""));
}

TEST(WarningsTest, TheSumIsBoundedHoweverManyThereAre) {
  std::vector<std::string> many;
  for (int i = 0; i < 200'000; ++i) many.push_back("unknown field \"spec.f" + std::to_string(i) + "\"");
  size_t bytes = 0;
  for (const auto& value : Fields(many)) bytes += value.size();
  EXPECT_GT(bytes, 4096u);
  EXPECT_LT(bytes, 8192u);
}

}  // namespace
}  // namespace keelson::endpoints
