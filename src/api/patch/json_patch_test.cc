#include "api/patch/json_patch.h"

#include <gtest/gtest.h>

#include "api/patch/lazy_json.h"

namespace keelson::api {
namespace {

// The document after the patch, or the reason there is none.
std::string Patched(std::string_view document, std::string_view patch) {
  Arena arena;
  auto parsed = JsonPatch::Parse(patch, arena, nullptr);
  if (!parsed) return "bad patch: " + parsed.error().message;
  auto patched = parsed->Apply(LazyJson::FromText(document), arena);
  if (!patched) return "does not apply: " + patched.error().message;
  base::BufferBuilder out;
  LazyJson::Encode(*patched, out);
  return std::string(out.view());
}

struct Case {
  std::string_view document, patch, want;
};

TEST(JsonPatchTest, EveryOperationChangesWhatItNames) {
  const Case cases[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[1, 2]}])", R"({"a":1,"b":[1,2]})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-1","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1,2]})"},
      {R"({"a":{"b":1}})", R"([{"op":"replace","path":"/a/b","value":null}])", R"({"a":{"b":null}})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/new","value":2}])", R"({"a":1,"new":2})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{"z":1}}])", R"({"z":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])", R"({"a":{"b":1},"c":{"b":1}})"},
      {R"({"a/b":{"~":1}})", R"([{"op":"remove","path":"/a~1b/~0"}])", R"({"a/b":{}})"},
      {R"({"a":1})", "[]", R"({"a":1})"},
      {R"({"a":1})", "null", R"({"a":1})"},
  };
  for (const Case& c : cases) EXPECT_EQ(Patched(c.document, c.patch), c.want) << c.patch;
}

TEST(JsonPatchTest, ATestThatHoldsChangesNothing) {
  for (std::string_view value :
       {R"("/a/b","value":{"y":[1,null],"x":"t"})", R"("/a/n","value":null)", R"("/none","value":null)"}) {
    std::string patch = R"([{"op":"test","path":)" + std::string(value) + "}]";
    EXPECT_EQ(Patched(R"({"a":{"b":{"x":"t","y":[1,null]},"n":null}})", patch),
              R"({"a":{"b":{"x":"t","y":[1,null]},"n":null}})")
        << patch;
  }
}

TEST(JsonPatchTest, WhatDoesNotFitTheDocumentDoesNotApply) {
  for (std::string_view operation :
       {R"({"op":"test","path":"/a","value":2})", R"({"op":"test","path":"/a","value":1.0})",
        R"({"op":"remove","path":"/none"})", R"({"op":"add","path":"/x/y","value":1})",
        R"({"op":"add","path":"","value":1})", R"({"op":"add","path":"/l/3","value":1})",
        R"({"op":"replace","path":"/l/2","value":1})", R"({"op":"remove","path":"/l/x"})",
        R"({"op":"move","from":"/none","path":"/b"})", R"({"op":"copy","from":"/l/9","path":"/b"})",
        R"({"op":"jump","path":"/a"})", R"({"path":"/a"})", R"({"op":"add"})", "null"}) {
    std::string patch = "[" + std::string(operation) + "]";
    EXPECT_TRUE(Patched(R"({"a":1,"l":[1,2]})", patch).starts_with("does not apply")) << patch;
  }
}

TEST(JsonPatchTest, MembersThatNoOperationHasAreReported) {
  Arena arena;
  std::vector<std::string> strict;
  ASSERT_TRUE(JsonPatch::Parse(R"([{"op":"add","path":"/a","op":"add","foo":1}])", arena, &strict));
  EXPECT_EQ(strict, (std::vector<std::string>{"duplicate field \"[0].op\"", "unknown field \"[0].foo\""}));
}

TEST(JsonPatchTest, TextThatIsNoPatchIsRefused) {
  std::vector<std::string> strict;
  auto error = [&](std::string_view text, bool find_strict) {
    Arena arena;
    auto parsed = JsonPatch::Parse(text, arena, find_strict ? &strict : nullptr);
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_EQ(error("{}", true), "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(error("{}", false), "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(error(R"([{"op":1}])", true),
            "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string");
  EXPECT_EQ(error("[", true), "unexpected end of JSON input");
}

TEST(JsonPatchTest, TooManyOperationsAreRefusedAsTooLarge) {
  std::string patch = "[";
  for (size_t i = 0; i <= kMaxJsonPatchOperations; ++i)
    patch += std::string(i ? "," : "") + R"({"op":"test","path":"/a","value":1})";
  Arena arena;
  auto parsed = JsonPatch::Parse(patch + "]", arena, nullptr);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, JsonPatchError::Kind::kTooLarge);
  EXPECT_EQ(parsed.error().message, "The allowed maximum operations in a JSON patch is 10000, got 10001");
}

TEST(JsonPatchTest, CopiesThatDoubleTheDocumentStopAtTheLimit) {
  std::string patch = "[";
  for (int i = 0; i < 64; ++i)
    patch += std::string(i ? "," : "") + R"({"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_EQ(Patched(R"({"a":["some text"]})", patch + "]"),
            "does not apply: unable to complete the copy: too large");
}

}  // namespace
}  // namespace keelson::api
