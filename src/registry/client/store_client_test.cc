#include "registry/client/store_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "client/object.h"
#include "registry/core/strategies.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry {
namespace {

using client::Fresh;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr client::Resource kMaps{"", "configmaps"}, kSecrets{"", "secrets"};

class StoreClientTest : public StoreFixture {
 protected:
  StoreClientTest() {
    stores_.Add(StoreCatalog::MakeEntry(maps_));
    stores_.Open();
  }
  api::Doc Map(std::string_view name, std::string_view value = "1") {
    return Document("configmaps", R"({"metadata":{"name":")" + std::string(name) +
                                      R"(","namespace":"default"},"data":{"k":")" + std::string(value) +
                                      "\"}}");
  }
  void Create(std::string_view name) { ASSERT_TRUE(loop_.Run(client_.Create(kMaps, "default", Map(name)))); }
  std::optional<api::Doc> Get(const std::string& name, Fresh fresh = Fresh::kNewest) {
    return std::move(loop_.Run(client_.Get(kMaps, "default", name, fresh)).value());
  }
  static bool SetValue(api::Doc& doc, std::string_view value) {
    api::core_v1::ConfigMapEditor(doc).put_data("k", value);
    return true;
  }
  static std::string ValueOf(const api::Doc& doc) {
    return std::string(api::core_v1::ConfigMapView(doc).data().Find("k")->string());
  }

  Store& maps_ = Add("configmaps", core::ConfigMaps());
  StoreCatalog stores_;
  const StoreClient store_client_{stores_, "tester"};
  const client::Client& client_ = store_client_;
};

TEST_F(StoreClientTest, WritesAreMadeInTheNameOfItsManager) {
  Create("a");
  const auto doc = Get("a");
  ASSERT_TRUE(doc);
  ASSERT_EQ(api::MetadataOf(*doc).managed_fields().size(), 1u);
  EXPECT_EQ(api::MetadataOf(*doc).managed_fields()[0].manager(), "tester");
}

TEST_F(StoreClientTest, AnEditIsWrittenUnlessItLeavesTheObjectAsItIs) {
  Create("a");
  const auto written =
      loop_.Run(client_.Update(kMaps, "default", "a", [](api::Doc& doc) { return SetValue(doc, "2"); }));
  ASSERT_TRUE(written);
  EXPECT_EQ(ValueOf(*Get("a")), "2");
  EXPECT_EQ(api::MetadataOf(*Get("a")).resource_version(), written->resource_version);
  const auto left = loop_.Run(client_.Update(kMaps, "default", "a", [](api::Doc& doc) {
    SetValue(doc, "3");
    return false;
  }));
  ASSERT_TRUE(left);
  EXPECT_EQ(ValueOf(*Get("a")), "2");
  const auto other = loop_.Run(
      client_.Update(kMaps, "default", "a", [](api::Doc& doc) { return SetValue(doc, "4"); }, "another-uid"));
  EXPECT_EQ(other.error().code, 409);
}

TEST_F(StoreClientTest, WhatHasChangedSinceItWasReadIsNotReplaced) {
  Create("a");
  api::Doc stale = *Get("a"), fresh = *Get("a");
  SetValue(fresh, "2");
  SetValue(stale, "3");
  EXPECT_TRUE(loop_.Run(client_.Replace(kMaps, std::move(fresh))));
  EXPECT_EQ(loop_.Run(client_.Replace(kMaps, std::move(stale))).error().code, 409);
  EXPECT_EQ(ValueOf(*Get("a")), "2");
}

TEST_F(StoreClientTest, WhatIsAbsentIsNoErrorToAReader) {
  for (const Fresh fresh : {Fresh::kCached, Fresh::kAbsenceIsSure, Fresh::kNewest})
    EXPECT_FALSE(Get("no", fresh));
  EXPECT_EQ(loop_.Run(client_.Delete(kMaps, "default", "no")).error().code, 404);
}

TEST_F(StoreClientTest, AListIsDecodedOnceUntilItChanges) {
  Create("a");
  Create("b");
  const auto first = loop_.Run(client_.List(kMaps, "")).value();
  EXPECT_EQ(first->size(), 2u);
  EXPECT_EQ(loop_.Run(client_.List(kMaps, "")).value(), first);
  Create("c");
  const auto second = loop_.Run(client_.List(kMaps, "")).value();
  EXPECT_NE(second, first);
  EXPECT_EQ(second->size(), 3u);
  EXPECT_TRUE(loop_.Run(client_.Delete(kMaps, "default", "a")));
  EXPECT_EQ(loop_.Run(client_.List(kMaps, "")).value()->size(), 2u);
  EXPECT_EQ(loop_.Run(client_.List(kMaps, "elsewhere")).value()->size(), 0u);
  EXPECT_EQ(loop_.Run(client_.Count(kMaps, "default")).value(), 2);
}

TEST_F(StoreClientTest, DeletesWhatItIsAskedForAndNoOther) {
  Create("a");
  Create("b");
  EXPECT_EQ(loop_.Run(client_.Delete(kMaps, "default", "a", {.uid = "another"})).error().code, 409);
  EXPECT_EQ(loop_.Run(client_.DeleteAll(kMaps, "elsewhere", client::Propagation::kBackground)).value(), 0);
  EXPECT_EQ(loop_.Run(client_.DeleteAll(kMaps, "default", client::Propagation::kBackground)).value(), 2);
  EXPECT_THAT(*loop_.Run(client_.List(kMaps, "")).value(), IsEmpty());
}

TEST_F(StoreClientTest, AppliedFieldsAreOwnedByItsManager) {
  Create("a");
  const auto applied = loop_.Run(client_.Apply(
      kMaps, "default", "a",
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":"9"}})"));
  ASSERT_TRUE(applied) << applied.error().message;
  const auto doc = Get("a");
  EXPECT_EQ(ValueOf(*doc), "9");
  bool owned = false;
  for (const auto entry : api::MetadataOf(*doc).managed_fields())
    owned |= entry.manager() == "tester" && entry.operation() == "Apply";
  EXPECT_TRUE(owned);
}

TEST_F(StoreClientTest, CustomResourcesComeAndGo) {
  std::vector<std::string> seen;
  client_.ObserveSources([&](const client::SourcePtr& now, const client::SourcePtr& was) {
    seen.push_back((now ? "now " : "") + std::string(was ? "was" : ""));
  });
  EXPECT_FALSE(client_.Find(kSecrets));
  EXPECT_EQ(loop_.Run(client_.Count(kSecrets, "")).error().code, 404);
  const auto entry = StoreCatalog::MakeEntry(Add("secrets", core::Secrets()), std::make_shared<int>(1));
  stores_.Replace(entry, nullptr);
  EXPECT_EQ(client_.Find(kSecrets), entry);
  EXPECT_EQ(loop_.Run(client_.Count(kSecrets, "")).value(), 0);
  EXPECT_EQ(client_.Sources().size(), 2u);
  stores_.Replace(nullptr, entry);
  EXPECT_FALSE(client_.Find(kSecrets));
  EXPECT_THAT(seen, ElementsAre("now ", "was"));
}

TEST_F(StoreClientTest, NothingIsFoundBeforeTheStoreIsLoaded) {
  StoreCatalog loading;
  const StoreClient early(loading);
  const auto got = loop_.Run(early.Get(kMaps, "default", "a", Fresh::kNewest));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, 503);
  EXPECT_EQ(got.error().message, "the store is being loaded");
}

}  // namespace
}  // namespace keelson::registry
