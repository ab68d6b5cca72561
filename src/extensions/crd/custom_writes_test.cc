// Writes of custom objects, from the request to the answer.
#include <gtest/gtest.h>

#include <functional>

#include "api/codec/passes.h"
#include "extensions/crd/testing/custom_fixture.h"

namespace keelson::extensions {
namespace {

class CustomWritesTest : public CustomFixture {
 protected:
  // A schema is compiled by the first write that needs it, which is not what the tests below count.
  void UseSchema() {
    EXPECT_EQ(Send("POST", kWidgets, Widget("first", "web:1")).status, 201);
    EXPECT_EQ(Apply(std::string(kWidgets) + "/second", Widget("second", "web:1")).status, 201);
  }
};

std::string At(std::string_view name) { return std::string(kWidgets) + "/" + std::string(name); }

int PassesOf(const std::function<int()>& write, int status) {
  const api::codec::PassCountForTest passes;
  EXPECT_EQ(write(), status);
  return passes.all();
}

TEST_F(CustomWritesTest, ASchemaIsCompiledWhenItIsFirstUsed) {
  const CustomResource& resource = widgets().resource();
  const size_t unused = resource.memory_bytes();
  EXPECT_EQ(Do("GET", At("a"), "").status, 404);
  EXPECT_EQ(Do("GET", kWidgets, "").status, 200);
  EXPECT_EQ(resource.memory_bytes(), unused) << "nobody needs to know what objects look like";
  EXPECT_EQ(Send("POST", kWidgets, Widget("a", "web:1")).status, 201);
  const size_t used = resource.memory_bytes();
  EXPECT_GT(used, unused + 1000);
  EXPECT_EQ(Send("POST", kWidgets, Widget("b", "web:1")).status, 201);
  EXPECT_EQ(resource.memory_bytes(), used) << "once";
}

TEST_F(CustomWritesTest, VersionsWithTheSameSchemaShareIt) {
  const CustomResource& resource = widgets().resource();
  const auto type = [&](std::string_view version) { return resource.Find(version)->type; };
  EXPECT_TRUE(type("v1")->SameContent(*type("v3")));
  EXPECT_FALSE(type("v1")->SameContent(*type("v2")));
}

// The body, the current object, the new envelope, its JSON in the store, the answer.
TEST_F(CustomWritesTest, AnApplyTakesFivePassesThroughACodecAtMost) {
  UseSchema();
  const auto apply = [&](std::string_view image) { return Apply(At("a"), Widget("a", image)).status; };
  EXPECT_LE(PassesOf([&] { return apply("web:1"); }, 201), 4);
  EXPECT_LE(PassesOf([&] { return apply("web:2"); }, 200), 5);
  EXPECT_LE(PassesOf([&] { return apply("web:2"); }, 200), 4) << "of one that changes nothing";
}

TEST_F(CustomWritesTest, ACreateTakesFourPassesThroughACodecAtMost) {
  UseSchema();
  EXPECT_LE(PassesOf([&] { return Send("POST", kWidgets, Widget("a", "web:1")).status; }, 201), 4);
}

// The process that writes an object does not read it back: what it keeps must be what another one reads.
TEST_F(CustomWritesTest, WhatIsInMemoryAfterAWriteIsWhatTheStoreGivesBack) {
  const std::string v2 = "/apis/example.com/v2/namespaces/default/widgets/";
  ASSERT_EQ(Apply(At("a"), Widget("a", "web:1")).status, 201);
  ASSERT_EQ(Apply(At("a"), Widget("a", "web:<2>&"), "other&force=true").status, 200);
  std::string colored = Widget("b", "web:1", "example.com/v2");
  colored.replace(colored.find(R"("replicas":3)"), 12, R"("color":"red")");
  ASSERT_EQ(Apply(v2 + "b", colored).status, 201);
  ASSERT_EQ(
      Send(
          "POST", "/apis/example.com/v3/namespaces/default/widgets",
          R"({"apiVersion":"example.com/v3","kind":"Widget","metadata":{"name":"c","annotations":{"z":"é"}}})")
          .status,
      201);
  ASSERT_EQ(
      Do("PATCH", At("c"), R"({"spec":{"replicas":null,"template":{"containers":[{"name":"\u2028"}]}}})",
         {{"content-type", "application/merge-patch+json"}})
          .status,
      200);
  ASSERT_EQ(
      Do("PATCH", At("c") + "/status", R"({"status":{"whole":1.0,"large":1e30,"none":null,"list":[{}]}})",
         {{"content-type", "application/merge-patch+json"}})
          .status,
      200);

  const auto again = Reopened();
  const auto kept = loop_.Run(widgets().store().List({})), read = loop_.Run(again->store().List({}));
  ASSERT_TRUE(kept && read);
  ASSERT_EQ(kept->items.size(), 3U);
  ASSERT_EQ(read->items.size(), 3U);
  for (size_t i = 0; i < kept->items.size(); ++i)
    EXPECT_EQ(kept->items[i]->bytes(), read->items[i]->bytes()) << kept->items[i]->name();
}

TEST_F(CustomWritesTest, AnApplyThatChangesNothingWritesNothing) {
  ASSERT_EQ(Apply(At("a"), Widget("a", "web:1")).status, 201);
  const std::string first = Do("GET", At("a")).body;
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(Apply(At("a"), Widget("a", "web:1")).body, first);
  EXPECT_NE(Apply(At("a"), Widget("a", "web:2")).body, first);
}

}  // namespace
}  // namespace keelson::extensions
