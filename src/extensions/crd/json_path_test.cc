#include "extensions/crd/json_path.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

constexpr std::string_view kObject =
    R"({"spec":{"a.b":1,"list":[{"type":"x","v":1},{"type":"Ready","v":2}]},"status":{"n":3}})";

std::string Find(std::string_view path) {
  api::Arena arena;
  const auto tree = api::json::DecodeAny(kObject, arena);
  const auto parsed = JsonPath::Parse(path);
  if (!parsed) return "no path";
  std::string found;
  for (const api::Value* value : parsed->Find(*tree)) found += TreeJson(*value) + ";";
  return found;
}

TEST(JsonPathTest, FindsWhatColumnsShow) {
  EXPECT_EQ(Find(".status.n"), "3;");
  EXPECT_EQ(Find(".status.nope"), "");
  EXPECT_EQ(Find(".spec['a.b']"), "1;");
  EXPECT_EQ(Find(".spec.a\\.b"), "1;");
  EXPECT_EQ(Find(".spec.list[0].v"), "1;");
  EXPECT_EQ(Find(".spec.list[-1].v"), "2;");
  EXPECT_EQ(Find(".spec.list[*].v"), "1;2;");
  EXPECT_EQ(Find(R"(.spec.list[?(@.type=="Ready")].v)"), "2;");
  EXPECT_EQ(Find(R"(.spec.list[?(@.v > 1)].type)"), "\"Ready\";");
  EXPECT_EQ(Find("..v"), "1;2;");
}

TEST(JsonPathTest, RefusesWhatIsNone) {
  EXPECT_EQ(Find(".spec.list[x]"), "no path");
  EXPECT_EQ(Find(".spec.list[0"), "no path");
  EXPECT_EQ(Find(".spec."), "no path");
}

}  // namespace
}  // namespace keelson::extensions
