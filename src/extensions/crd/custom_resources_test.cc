#include "extensions/crd/custom_resources.h"

#include <gtest/gtest.h>

#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

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

}  // namespace
}  // namespace keelson::extensions
