#include "registry/core_resources.h"

#include <gmock/gmock.h>

#include "registry/namespace_lifecycle.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry {
namespace {

using testing::UnorderedElementsAre;

class CoreResourcesTest : public StoreFixture {
 protected:
  CoreResources core_{[this](const api::ResourceDesc& desc) -> storage::Interface& { return StorageOf(desc.plural); },
                      {.clock = &clock_}};
};

TEST_F(CoreResourcesTest, EveryKindOfThisReleaseIsThere) {
  std::vector<std::string_view> names;
  for (const CoreResources::Resource& resource : core_.resources()) names.push_back(resource.desc->plural);
  EXPECT_THAT(names, UnorderedElementsAre("configmaps", "endpoints", "events", "limitranges", "namespaces", "nodes",
                                          "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates",
                                          "replicationcontrollers", "resourcequotas", "secrets", "serviceaccounts",
                                          "services"));
  EXPECT_TRUE(core_.Find("pods").subresources.contains("status"));
  EXPECT_TRUE(core_.Find("namespaces").subresources.contains("finalize"));
}

TEST_F(CoreResourcesTest, NamespacesRuleWhatLivesInThem) {
  rest::Creater& maps = *core_.Find("configmaps").verbs.create;
  auto create = [&] { return loop_.Run(maps.Create(Request(), Document("configmaps", R"({"metadata":{"name":"a"}})"))); };
  EXPECT_EQ(create().error().message, "namespaces \"default\" not found");
  const CoreResources::Resource& namespaces = core_.Find("namespaces");
  ASSERT_TRUE(loop_.Run(CreateSystemNamespaces(*namespaces.verbs.create, *namespaces.desc)));
  EXPECT_TRUE(create());
}

}  // namespace
}  // namespace keelson::registry
