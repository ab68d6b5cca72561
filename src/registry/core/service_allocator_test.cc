// What clients are told when a service gets no address.
#include "registry/core/service_allocator.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "registry/core/strategies.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry::core {
namespace {

// Refuses every list as it is told.
class RefusingStore final : public Store {
 public:
  using Store::Store;
  base::Task<rest::Result<rest::ListResult>> List(rest::ListOptions) override {
    co_return base::Err(*refusal);
  }
  std::optional<api::Status> refusal;
};

class ServiceAllocatorTest : public StoreFixture, public Stores {
 protected:
  Store* Find(api::GroupResource resource, std::string_view) const override {
    return resource.resource == "servicecidrs" ? &ranges_ : nullptr;
  }

  // What a service is told whose addresses cannot be looked for.
  api::Status ToldWhen(api::Status refusal) {
    ranges_.refusal = std::move(refusal);
    PortAllocator ports(StorageOf("configmaps"), {30000, 32767});
    ServiceAllocator allocator(*this, user_, {.primary_v4 = true, .dual = false}, ports);
    api::Doc service = Document(
        "services", R"({"metadata":{"name":"s"},"spec":{"type":"ClusterIP","ports":[{"port":80}]}})");
    const auto begun = loop_.Run(allocator.BeginCreate(Request(), service));
    EXPECT_FALSE(begun);
    return begun ? api::Status() : begun.error();
  }

  mutable RefusingStore ranges_{StoreOptions{
      .resource = &Resource("configmaps"), .storage = &StorageOf("configmaps"), .strategy = &ConfigMaps()}};
};

TEST_F(ServiceAllocatorTest, AStoreThatCannotBeAskedIsNoFaultOfTheService) {
  const api::Status told = ToldWhen(api::ServerTimeout({"networking.k8s.io", "servicecidrs"}, "list", 2));
  EXPECT_EQ(told.code, 500);
  EXPECT_EQ(told.reason, "ServerTimeout");
  ASSERT_TRUE(told.details);
  EXPECT_EQ(told.details->retry_after_seconds, 2);
  EXPECT_EQ(ToldWhen(api::TooManyRequests("later", 1)).code, 429);
}

TEST_F(ServiceAllocatorTest, AnythingElseMakesItInvalid) {
  const api::Status told = ToldWhen(api::BadRequest("not this one"));
  EXPECT_EQ(told.code, 422);
  EXPECT_EQ(
      told.message,
      "Service \"s\" is invalid: spec.clusterIPs: Invalid value: null: failed to allocate IP: not this one");
}

}  // namespace
}  // namespace keelson::registry::core
