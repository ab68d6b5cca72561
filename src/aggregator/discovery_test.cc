#include "aggregator/discovery.h"

#include <gmock/gmock.h>

#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::aggregator {
namespace {

using testing::ElementsAre;

// No backend can be reached.
class NoBackends final : public Backends {
 public:
  base::Result<ClientPtr, std::string> ClientFor(const ApiService&) override { return base::Err("none"); }
  base::Task<base::Result<net::http::Destination, std::string>> Locate(ServiceReference) override {
    co_return base::Err("nowhere");
  }
};

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() {
    discovery_.Start();
    table_.Start();
    Settle();
    publications_ = 0;
  }

  void Put(std::string_view group, std::string_view version, int group_priority, int version_priority,
           std::string_view service = "") {
    const std::string name = std::string(version).append(".").append(group);
    services_.Put(R"({"metadata":{"name":")" + name + R"("},"spec":{"group":")" + std::string(group) +
                  R"(","version":")" + std::string(version) + R"(","groupPriorityMinimum":)" +
                  std::to_string(group_priority) + R"(,"versionPriority":)" +
                  std::to_string(version_priority) + std::string(service) + "}}");
    Settle();
  }
  void Settle() {
    loop_.Run();
    loop_.Advance(Discovery::kGather);
  }
  // "VERSION.GROUP" of all that discovery is told of.
  std::vector<std::string> Told() const {
    std::vector<std::string> names;
    for (const auto& version : *registered_) names.push_back(version.version + "." + version.group);
    return names;
  }

  client::FakeClient client_;
  client::FakeResource& services_ = client_.At("apiregistration.k8s.io", "apiservices");
  controllers::ManualLoop loop_;
  NoBackends backends_;
  ApiServiceTable table_{client_, loop_};
  int publications_ = 0;
  endpoints::discovery::RegisteredPtr registered_ =
      std::make_shared<const endpoints::discovery::Registered>();
  Discovery discovery_{{.table = table_,
                        .backends = backends_,
                        .loop = loop_,
                        .built_in = {{.group = "apps", .version = "v1", .group_priority = 17800}},
                        .publish = [this](endpoints::discovery::RegisteredPtr registered) {
                          ++publications_;
                          registered_ = std::move(registered);
                        }}};
};

TEST_F(DiscoveryTest, NothingIsPublishedForTheVersionsOfDefinitions) {
  for (int i = 0; i < 100; ++i) Put("g" + std::to_string(i) + ".com", "v1", 1000, 100);
  for (int i = 0; i < 50; ++i) {
    services_.Remove("", "v1.g" + std::to_string(i) + ".com");
    Settle();
  }
  EXPECT_EQ(publications_, 0);
}

TEST_F(DiscoveryTest, BackendsAndPrioritiesOfTheirOwnArePublished) {
  Put("g.com", "v1", 1000, 100);
  Put("first.com", "v1", 20000, 100);
  EXPECT_THAT(Told(), ElementsAre("v1.first.com", "v1.apps"));
  Put("metrics.com", "v1", 1000, 100, R"(,"service":{"namespace":"a","name":"b"})");
  EXPECT_THAT(Told(), ElementsAre("v1.first.com", "v1.metrics.com", "v1.apps"));
  EXPECT_TRUE((*registered_)[1].remote);
  EXPECT_TRUE((*registered_)[1].stale);
  // It becomes one of this server's own, and one of those gets a priority.
  Put("metrics.com", "v1", 1000, 100);
  Put("g.com", "v1", 1000, 50);
  EXPECT_THAT(Told(), ElementsAre("v1.first.com", "v1.g.com", "v1.apps"));
  EXPECT_EQ(table_.Route("/apis/metrics.com/v1/things"), nullptr);
}

TEST_F(DiscoveryTest, ABuiltInVersionIsToldWhateverItsPriorities) {
  Put("apps", "v1", 1000, 100);
  ASSERT_THAT(Told(), ElementsAre("v1.apps"));
  EXPECT_EQ(registered_->front().group_priority, 1000);
  services_.Remove("", "v1.apps");
  Settle();
  ASSERT_THAT(Told(), ElementsAre("v1.apps"));
  EXPECT_EQ(registered_->front().group_priority, 17800) << "as it is built in";
}

}  // namespace
}  // namespace keelson::aggregator
