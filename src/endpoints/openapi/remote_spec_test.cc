#include "endpoints/openapi/remote_spec.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "endpoints/openapi/document.h"
#include "endpoints/openapi/gnostic.h"

namespace keelson::endpoints::openapi {
namespace {

constexpr std::string_view kRoot = "/apis/g.io/v1/";

constexpr std::string_view kDocument = R"({"swagger":"2.0","info":{"title":"T","version":"1"},
  "parameters":{"pretty-1":{"in":"query","name":"pretty","type":"string"}},
  "paths":{
    "/apis/g.io/v1/things":{"get":{"operationId":"list","parameters":[{"$ref":"#/parameters/pretty-1"}],
      "responses":{"200":{"schema":{"$ref":"#/definitions/ThingList"}}}}},
    "/apis/g.io/v2/things":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/Other"}}}}},
    "/healthz":{"get":{}}},
  "definitions":{
    "ThingList":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/definitions/Thing"}}}},
    "Thing":{"type":"object","description":"A thing.","properties":{"description":{"type":"string"}}},
    "Other":{"type":"object"},
    "Unused":{"type":"string"}}})";

RemoteSpecPtr Read(std::string_view json) {
  auto read = ReadRemoteSpec(json, kRoot);
  EXPECT_TRUE(read) << read.error();
  return read ? std::make_shared<const RemoteSpec>(*std::move(read)) : nullptr;
}

std::vector<std::string> Names(const MergedSpecs& merged) {
  std::vector<std::string> names;
  merged.ForEachDefinition([&](std::string_view name, std::string_view) { names.emplace_back(name); });
  return names;
}

TEST(RemoteSpecTest, OnlyTheVersionAndWhatItUsesIsTaken) {
  const auto spec = Read(kDocument);
  ASSERT_EQ(spec->paths.size(), 1u);
  const std::string& item = spec->paths.begin()->second;
  EXPECT_NE(item.find(R"("name":"pretty")"), item.npos) << "parameters stand where they are used";
  EXPECT_EQ(item.find("#/parameters/"), item.npos);
  std::vector<std::string> names;
  for (const auto& [name, definition] : spec->definitions) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"Thing", "ThingList", "Unused"}));
}

TEST(RemoteSpecTest, WhatCannotBeUsedIsRefused) {
  const std::string deep(200, '[');
  for (const std::string& text :
       {std::string("x"), std::string("[]"), std::string("{}"), std::string(R"({"swagger":"3.0"})"),
        std::string(R"({"swagger":"2.0","paths":{"/apis/g.io/v1/a":7}})"),
        std::string(R"({"swagger":"2.0","paths":{"/apis/g.io/v1/a":{"get":{"$ref":"#/definitions/None"}}}})"),
        std::string(R"({"swagger":"2.0","paths":{"/apis/g.io/v1/a":{"get":{"$ref":"#/responses/None"}}}})"),
        std::string(
            R"({"swagger":"2.0","paths":{"/apis/g.io/v1/a":{"parameters":[{"$ref":"#/parameters/no"}]}}})"),
        R"({"swagger":"2.0","x":)" + deep + std::string(200, ']') + "}"})
    EXPECT_FALSE(ReadRemoteSpec(text, kRoot)) << text.substr(0, 80);
}

TEST(RemoteSpecTest, DefinitionsOfTheSameMeaningAreSharedAndOthersRenamed) {
  const auto spec = Read(kDocument);
  const std::vector<RemoteSpecPtr> specs = {spec};
  // The same but for its prose.
  const auto same = MeaningOf(R"({"properties":{"description":{"type":"string"}},"type":"object"})");
  EXPECT_EQ(Names(MergedSpecs(specs, {{"Thing", same}})), (std::vector<std::string>{"ThingList", "Unused"}));

  const MergedSpecs renamed(specs, {{"Thing", MeaningOf(R"({"type":"string"})")}});
  EXPECT_EQ(Names(renamed), (std::vector<std::string>{"Thing_v2", "ThingList", "Unused"}));
  renamed.ForEachDefinition([](std::string_view name, std::string_view json) {
    if (name == "ThingList") {
      EXPECT_NE(json.find("\"#/definitions/Thing_v2\""), json.npos) << json;
    }
  });
}

TEST(RemoteSpecTest, OfTwoWithOnePathTheFirstHasIt) {
  const auto spec = Read(kDocument);
  const std::vector<RemoteSpecPtr> specs = {spec, spec};
  const MergedSpecs merged(specs, {});
  int paths = 0;
  merged.ForEachPath([](std::string_view) { return false; },
                     [&](std::string_view, std::string_view) { ++paths; });
  EXPECT_EQ(paths, 1);
  EXPECT_EQ(Names(merged).size(), 3u);
  merged.ForEachPath([](std::string_view) { return true; },
                     [](std::string_view path, std::string_view) { ADD_FAILURE() << path; });
}

TEST(RemoteSpecTest, ADocumentHasWhatOthersDescribe) {
  const std::vector<RemoteSpecPtr> specs = {Read(kDocument)};
  const Document document({}, Dialect::kV2, {}, {}, specs);
  const base::Slice json = document.Json();
  EXPECT_TRUE(api::json::IsValid(json.view()));
  EXPECT_NE(json.view().find("\"/apis/g.io/v1/things\":"), std::string_view::npos);
  EXPECT_NE(EncodeGnostic(document).view().find("/apis/g.io/v1/things"), std::string_view::npos);
}

TEST(RemoteSpecTest, MembersOfUnexpectedTypesDoNoHarm) {
  const std::vector<RemoteSpecPtr> specs = {
      Read(R"({"swagger":"2.0","paths":{"/apis/g.io/v1/a":{"get":{"tags":7,"parameters":[1,{"in":3}],
        "responses":[],"consumes":{}},"parameters":"x","put":null}},
        "definitions":{"A":{"properties":[],"items":3,"required":{},"enum":1,"type":["a","b"]}}})")};
  const Document document({}, Dialect::kV2, {}, {}, specs);
  EXPECT_TRUE(api::json::IsValid(document.Json().view()));
  EXPECT_NE(EncodeGnostic(document).view().find("/apis/g.io/v1/a"), std::string_view::npos);
}

}  // namespace
}  // namespace keelson::endpoints::openapi
