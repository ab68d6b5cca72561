#include "extensions/crd/custom_resources.h"

#include <gmock/gmock.h>

#include <thread>

#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/test_loop.h"

namespace keelson::extensions {
namespace {

using Resources = CustomResources;

class CustomResourcesTest : public ::testing::Test {
 protected:
  CustomResourcesTest()
      : resources_({.client = client_,
                    .loop = loop_,
                    .storage = {},
                    .make_rules = nullptr,
                    .publish = [](auto) {},
                    .describe = [](auto) {}}) {
    resources_.Start();
    loop_.Run();
  }
  ~CustomResourcesTest() override { resources_.Stop(); }

  // Its names are not accepted yet, so that nothing is served.
  void Define() {
    definitions_.Put(R"({"metadata":{"name":"widgets.example.com","uid":"w"},"spec":{"group":"example.com",
        "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[]}})");
    loop_.Run();
  }

  client::FakeClient client_;
  client::FakeResource& definitions_ = client_.At("apiextensions.k8s.io", "customresourcedefinitions");
  controllers::ManualLoop loop_;
  Resources resources_;
};

TEST_F(CustomResourcesTest, ADefinitionThatCannotBeReadIsReadAgain) {
  definitions_.fails = true;
  Define();
  EXPECT_EQ(definitions_.reads, 1);
  loop_.Advance(Resources::kFirstPause / 2);
  EXPECT_EQ(definitions_.reads, 1);
  loop_.Advance(Resources::kFirstPause / 2);
  EXPECT_EQ(definitions_.reads, 2);
  loop_.Advance(Resources::kFirstPause);  // the pause has doubled
  EXPECT_EQ(definitions_.reads, 2);
  definitions_.fails = false;
  loop_.Advance(Resources::kFirstPause);
  EXPECT_EQ(definitions_.reads, 3);
  loop_.Advance(Resources::kLongestPause);
  EXPECT_EQ(definitions_.reads, 3) << "it has been read";
}

TEST_F(CustomResourcesTest, ChangesMeanwhileDoNotMultiplyTheAttempts) {
  definitions_.fails = true;
  Define();
  Define();
  Define();
  EXPECT_EQ(definitions_.reads, 3);
  definitions_.fails = false;
  loop_.Advance(Resources::kLongestPause);
  EXPECT_EQ(definitions_.reads, 4);
  loop_.Advance(Resources::kLongestPause);
  EXPECT_EQ(definitions_.reads, 4);
}

TEST_F(CustomResourcesTest, NothingIsReadAfterStop) {
  definitions_.fails = true;
  Define();
  resources_.Stop();
  loop_.Advance(Resources::kLongestPause);
  EXPECT_EQ(definitions_.reads, 1);
}

// A loop whose timers go off at once.
class PromptLoop final : public base::Executor {
 public:
  void Post(Work work) override { loop_.Post(std::move(work)); }
  void PostAfter(std::chrono::nanoseconds, Work work) override { loop_.Post(std::move(work)); }
  template <class F>
  void Do(F f) {
    loop_.Do(std::move(f));
  }

 private:
  storage::TestLoop loop_;
};

// Definitions that are established, with storages over a store in memory.
class ServedDefinitionsTest : public ::testing::Test {
 protected:
  ServedDefinitionsTest() {
    loop_.Do([this] { resources_.Start(); });
  }
  ~ServedDefinitionsTest() override {
    loop_.Do([this] { resources_.Stop(); });
  }

  // Until `f`, called on the loop, says so.
  template <class F>
  void WaitUntil(const F& f) {
    bool done = false;
    while (true) {
      loop_.Do([&] { done = f(); });
      if (done) return;
      std::this_thread::yield();
    }
  }
  static std::string NameOf(int i) { return "gears.g" + std::to_string(i) + ".com"; }
  void Define(int i, std::string_view kind = "Gear") {
    const std::string names =
        R"({"plural":"gears","singular":"gear","listKind":"GearList","kind":")" + std::string(kind) + R"("})";
    loop_.Do([&] {
      definitions_.Put(R"({"metadata":{"name":")" + NameOf(i) + R"(","uid":"u)" + std::to_string(i) +
                       R"("},"spec":{"group":"g)" + std::to_string(i) +
                       R"(.com","scope":"Namespaced","names":)" + names +
                       R"(,"versions":[{"name":"v1","served":true,"storage":true}]},
          "status":{"acceptedNames":)" +
                       names + R"(,"conditions":[{"type":"NamesAccepted","status":"True"},
          {"type":"Established","status":"True"}]}})");
    });
    WaitUntil([&] {
      const auto storage = resources_.Find(NameOf(i));
      return storage && storage->resource().kind() == kind && !told_.empty() && told_.back() == NameOf(i);
    });
  }
  void Forget(int i) {
    loop_.Do([&] { definitions_.Remove("", NameOf(i)); });
    WaitUntil([&] { return !resources_.Find(NameOf(i)) && told_.back() == "no " + NameOf(i); });
  }

  client::FakeClient client_;
  client::FakeResource& definitions_ = client_.At("apiextensions.k8s.io", "customresourcedefinitions");
  const std::unique_ptr<storage::Backend> backend_ = storage::OpenMemoryBackend();
  std::vector<std::string> told_;  // definitions that were published, one after the other
  PromptLoop loop_;
  Resources resources_{
      {.client = client_,
       .loop = loop_,
       .storage = {.backend = backend_.get(),
                   .cacher = [](const api::ResourceDesc&) { return storage::CacherOptions(); },
                   .admission = [](const api::ResourceDesc&,
                                   std::string_view) { return admission::Hooks(); }},
       .make_rules = nullptr,
       .publish =
           [this](std::vector<endpoints::CustomChange> changes) {
             for (const auto& change : changes)
               told_.push_back(change.served.empty() ? "no " + change.definition : change.definition);
           },
       .describe = [](auto) {}}};
};

TEST_F(ServedDefinitionsTest, OnlyWhatHasChangedIsPublished) {
  for (int i = 0; i < 20; ++i) {
    told_.clear();
    Define(i);
    EXPECT_THAT(told_, testing::Each(testing::EndsWith(NameOf(i)))) << "however many others there are";
    EXPECT_LE(told_.size(), 2u) << "that nothing is served yet, and then what is";
  }
  told_.clear();
  Define(7, "Wheel");
  EXPECT_THAT(told_, testing::ElementsAre(NameOf(7)));
  Forget(7);
  EXPECT_THAT(told_, testing::ElementsAre(NameOf(7), "no " + NameOf(7)));
}

TEST_F(ServedDefinitionsTest, ADefinitionThatGoesTakesItsStorageAlong) {
  Define(1);
  std::weak_ptr<CustomStorage> storage;
  std::weak_ptr<const endpoints::openapi::CustomDefinition> description;
  loop_.Do([&] {
    storage = resources_.Find(NameOf(1));
    description = CustomStorage::Described(resources_.Find(NameOf(1))).front();
  });
  Forget(1);
  WaitUntil([&] { return storage.expired() && description.expired(); });
  loop_.Do([&] { EXPECT_TRUE(resources_.All().empty()); });
}

}  // namespace
}  // namespace keelson::extensions
