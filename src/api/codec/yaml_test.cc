#include "api/codec/yaml.h"

#include <gtest/gtest.h>

namespace keelson::api::yaml {
namespace {

std::string Json(std::string_view text) {
  auto json = ToJson(text);
  return json ? *json : json.error().message;
}

TEST(YamlTest, ReadsManifests) {
  EXPECT_EQ(Json("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: 'y'}\ndata:\n  k: |\n "
                 "   one\n    two\n"
                 "list:\n- 1\n- b: c\n"),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"y"}},)"
            R"("data":{"k":"one\ntwo\n"},"list":[1,{"b":"c"}]})");
  EXPECT_EQ(Json(R"({"a": [1, "2", null]})"), R"({"a":[1,"2",null]})");
  EXPECT_EQ(Json(""), "null");
  EXPECT_EQ(Json("a: 1\n---\nb: 2\n"), R"({"a":1})");
}

TEST(YamlTest, ResolvesScalarsAsVersion11) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"yes", "true"},
      {"Off", "false"},
      {"y", "true"},
      {"~", "null"},
      {"", "null"},
      {"017", "15"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"0b11", "3"},
      {"1_000", "1000"},
      {"08", "8"},
      {"1e3", "1000"},
      {".5", "0.5"},
      {"-1.50", "-1.5"},
      {"1.2.3", "\"1.2.3\""},
      {"12:30", "\"12:30\""},
      {"2020-01-01", "\"2020-01-01\""},
      {"18446744073709551615", "18446744073709551615"},
      {"yEs", "\"yEs\""},
      {"'yes'", "\"yes\""},
      {"\"1\"", "\"1\""},
      {"!!str 1", "\"1\""},
      {"!!float 1", "1"},
      {"!!binary aGk=", "\"hi\""},
      {"!custom x", "\"x\""},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(Json("a: " + std::string(text)), "{\"a\":" + std::string(want) + "}");
}

TEST(YamlTest, KeysBecomeStrings) {
  EXPECT_EQ(Json("1: a\n2.5: b\ntrue: c\nx: d"), R"({"1":"a","2.5":"b","true":"c","x":"d"})");
  EXPECT_EQ(Json("~: a"), "yaml: line 1: unsupported map key");
  EXPECT_EQ(Json("? [a]\n: b"), "yaml: line 1: invalid map key");
}

TEST(YamlTest, DuplicateKeysAreKept) { EXPECT_EQ(Json("a: 1\na: 2"), R"({"a":1,"a":2})"); }

TEST(YamlTest, DuplicateKeysAreNamedWithTheirLineWhenAskedFor) {
  std::vector<std::string> duplicates;
  const auto json = ToJson("a: {x: 1}\nb:\n  c: 1\n  c: 2\na: {x: 2}\n", &duplicates);
  ASSERT_TRUE(json);
  EXPECT_EQ(*json, R"({"b":{"c":2},"a":{"x":2}})");
  EXPECT_EQ(duplicates, (std::vector<std::string>{"line 5: key \"a\" already set in map",
                                                  "line 4: key \"c\" already set in map"}));
}

TEST(YamlTest, AliasesAndMergesAreSpelledOut) {
  EXPECT_EQ(Json("a: &x {b: 1}\nc: *x"), R"({"a":{"b":1},"c":{"b":1}})");
  EXPECT_EQ(Json("x: &x {a: 1, b: 2}\nw: {<<: *x, c: 3}"), R"({"x":{"a":1,"b":2},"w":{"a":1,"b":2,"c":3}})");
  EXPECT_EQ(Json("x: &x {a: 1}\nz: &z {a: 2}\nw: {<<: [*x, *z]}"),
            R"({"x":{"a":1},"z":{"a":2},"w":{"a":2,"a":1}})");
  EXPECT_EQ(Json("a: {<<: 1}"), "yaml: map merge requires map or sequence of maps as the value");
}

TEST(YamlTest, BadDocumentsAreRefusedWithTheirLine) {
  EXPECT_EQ(Json("a: 1\nb: [1, 2"), "yaml: line 2: did not find expected ',' or ']'");
  EXPECT_EQ(Json("a: *nope"), "yaml: unknown anchor 'nope' referenced");
  EXPECT_EQ(Json("a: &a [*a]"), "yaml: anchor 'a' value contains itself");
  EXPECT_EQ(Json("a: 1\n\tb: 2"), "yaml: line 2: found a tab character that violates indentation");
  EXPECT_EQ(Json("a: .inf"), "yaml: line 1: unsupported value: .inf");
  EXPECT_EQ(Json("a: \xff"), "yaml: invalid leading UTF-8 octet");
}

TEST(YamlTest, PlainJsonNeedsNoReading) {
  for (const std::string_view json : {R"({})", R"({"a":1,"b":[true,false,null,-12,"x y"],"c":{"d":[]}})",
                                      "{ \"a\" : \"1\\n\\\"\" ,\r\n \"b\" : [ 1 , 2 ] }\n"}) {
    EXPECT_TRUE(IsPlainJsonObject(json)) << json;
    EXPECT_NE(Json(json), "") << json;
  }
  for (const std::string_view other : {"",
                                       "null",
                                       "[1]",
                                       "a: 1",
                                       R"({"a":1)",
                                       R"({"a":1} x)",
                                       R"({"a":01})",
                                       R"({"a":-0})",
                                       R"({"a":1.5})",
                                       R"({"a":1e3})",
                                       R"({"a":1234567890123456789})",
                                       R"({"a":"\u0041"})",
                                       R"({"a":"\/"})",
                                       R"({"<<":{}})",
                                       R"({"a":"\xc3\xa4"})",
                                       "{\"a\":\t1}",
                                       R"({"a":yes})",
                                       R"({a:1})",
                                       R"({"a":1,})",
                                       R"({"a" 1})",
                                       R"({"a":"x)"})
    EXPECT_FALSE(IsPlainJsonObject(other)) << other;
  EXPECT_FALSE(IsPlainJsonObject("{\"a\":\"\xc3\xa4\"}"));
  EXPECT_FALSE(IsPlainJsonObject("{\"a\":" + std::string(600, '[') + std::string(600, ']') + "}"));
}

TEST(YamlTest, NothingAtAllIsNull) { EXPECT_EQ(ToJson(std::string_view()), "null"); }

TEST(YamlTest, AliasBombsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string was = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += was + (k < 9 ? ", " : "]\n");
  }
  EXPECT_EQ(Json(bomb), "yaml: document contains excessive aliasing");
}

// `levels` mappings that each merge the one before ten times, over `leaf`.
std::string MergeBomb(std::string_view leaf, int levels) {
  std::string bomb = "a0: &a0 " + std::string(leaf) + "\n";
  for (int i = 1; i < levels; ++i) {
    const std::string was = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [";
    for (int k = 0; k < 10; ++k) bomb += was + (k < 9 ? ", " : "]}\n");
  }
  return bomb;
}

TEST(YamlTest, MergesThatWriteNothingAreBoundedToo) {
  constexpr std::string_view kTooMuch = "yaml: document contains excessive aliasing";
  EXPECT_EQ(Json(MergeBomb("{}", 30)), kTooMuch);
  // Merges of nothing, which visit no node.
  std::string nothing = "{";
  for (int i = 0; i < 1000; ++i) nothing += "<<: [], ";
  EXPECT_EQ(Json(MergeBomb(nothing + "}", 30)), kTooMuch);
  // Values that take long to read and are short to write.
  EXPECT_EQ(Json(MergeBomb("{a: 0." + std::string(100'000, '0') + "1}", 7)), kTooMuch);
  // Keys that are dropped because they come again.
  std::vector<std::string> duplicates;
  const std::string key(100'000, 'k');
  const auto dropped = ToJson(MergeBomb("{? " + key + " : , ? " + key + " : }", 7), &duplicates);
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().message, kTooMuch);
}

TEST(YamlTest, MergesInProportionAreSpelledOut) {
  std::string text = "x: &x {a: 1}\nlist:\n";
  for (int i = 0; i < 50'000; ++i) text += "- {<<: *x}\n";
  EXPECT_TRUE(ToJson(text));
}

TEST(YamlTest, TagDirectivesAreCountedBeforeTheyAreCompared) {
  const auto tags = [](int count) {
    std::string text = "# head\n%YAML 1.1\n";
    for (int i = 0; i < count; ++i) text += "%TAG !t" + std::to_string(i) + "! tag:x,2000:\n";
    return text + "---\na: 1\nb: '%TAG'\n";
  };
  EXPECT_EQ(Json(tags(100)), R"({"a":1,"b":"%TAG"})");
  EXPECT_EQ(Json(tags(101)), "yaml: document has more than 100 %TAG directives");
  EXPECT_EQ(Json(tags(100'000)), "yaml: document has more than 100 %TAG directives");
}

TEST(YamlTest, DeepNestingIsRefused) {
  const auto nested = [](size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(Json(nested(500)), nested(500));
  EXPECT_EQ(Json(nested(501)), "yaml: line 1: exceeded max depth");
  EXPECT_FALSE(ToJson(nested(1'000'000)));
}

TEST(YamlTest, WritesSortedBlocksAndQuotesWhatWouldBeReadOtherwise) {
  EXPECT_EQ(
      FromJson(
          R"({"b":{"z":[],"y":{}},"a10":1,"a9":[1,{"x":null,"w":1.5}],"s":["yes","1","a: b","x\ny\n","","2020-01-01","12:30"]})"),
      "a9:\n- 1\n- w: 1.5\n  x: null\na10: 1\nb:\n  \"y\": {}\n  z: []\ns:\n- \"yes\"\n- \"1\"\n- 'a: b'\n- "
      "|\n  x\n  y\n"
      "- \"\"\n- \"2020-01-01\"\n- \"12:30\"\n");
  EXPECT_EQ(FromJson(R"({"f":1000000.5,"t":true})"), "f: 1.0000005e+06\nt: true\n");
}

TEST(YamlTest, WhatWasWrittenReadsBackTheSame) {
  for (std::string_view json :
       {R"({"a":"x\n\ny\n\n","b":" lead","c":"tail ","d":"#no","e":"é\ttab","f":"- x","g":"null"})",
        R"([[[]],{"":""},"a\\b\"c'd","\u003c\u003c"])"})
    EXPECT_EQ(Json(FromJson(json)), json);
}

}  // namespace
}  // namespace keelson::api::yaml
