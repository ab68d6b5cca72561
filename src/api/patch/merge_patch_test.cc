#include "api/patch/merge_patch.h"

#include <gtest/gtest.h>

#include "api/patch/lazy_json.h"

namespace keelson::api {
namespace {

std::string Merged(std::string_view document, std::string_view patch) {
  Arena arena;
  base::BufferBuilder out;
  LazyJson::Encode(MergePatch(LazyJson::FromText(document), LazyJson::FromText(patch), arena), out);
  return std::string(out.view());
}

TEST(MergePatchTest, TheExamplesOfRfc7386) {
  const struct {
    std::string_view document, patch, want;
  } cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Merged(c.document, c.patch), c.want) << c.document << c.patch;
}

TEST(MergePatchTest, WhatIsNotTouchedKeepsItsOrder) {
  EXPECT_EQ(Merged(R"({"z":{"b":1,"a":2},"y":{"d":1,"c":2}})", R"({"y":{"c":3}})"),
            R"({"y":{"c":3,"d":1},"z":{"b":1,"a":2}})");
}

}  // namespace
}  // namespace keelson::api
