#include "server/delegation.h"

#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "server/testing/requests.h"

namespace keelson::server {
namespace {

constexpr int kFromNext = 299;

// The next server of the chain.
class NextServer final : public ApiServer {
 public:
  base::Task<net::http::Response> Handle(IncomingRequest&) const override {
    net::http::Response response;
    response.status = kFromNext;
    co_return response;
  }
};

class DelegationTest : public ::testing::Test {
 protected:
  static std::vector<endpoints::ServedResource> ConfigMaps() {
    std::vector<endpoints::ServedResource> served(1);
    served.front().desc = api::FindResource("", "v1", "configmaps");
    return served;
  }
  static int Ask(const ApiServer& server, std::string_view path) {
    net::http::Request request = testing::MakeRequest("GET", path);
    IncomingRequestPtr incoming(new IncomingRequest(request, {}));
    incoming->info = endpoints::ParseRequestInfo("GET", incoming->request.path, "");
    incoming->user = std::make_shared<const auth::User>();
    return base::SyncWait(server.Handle(*incoming)).status;
  }

  const endpoints::ApiHandler handler_{ConfigMaps(), {}};
  const NextServer next_;
};

TEST_F(DelegationTest, TheKubeApiHandsOnWhatIsNotBuiltIn) {
  const KubeApi server(handler_, next_);
  // It has no verb of configmaps, and says so itself.
  EXPECT_EQ(Ask(server, "/api/v1/namespaces/a/configmaps/b"), 405);
  EXPECT_EQ(Ask(server, "/api/v1/namespaces/a/secrets/b"), kFromNext);
  EXPECT_EQ(Ask(server, "/apis/example.com/v1/widgets"), kFromNext);
}

TEST_F(DelegationTest, ApiExtensionsHandOnWhatNobodyDefinesOnceThatIsSettled) {
  bool establishing = false;
  int waits = 0;
  const auto settled = [&waits]() -> base::Task<void> {
    ++waits;
    co_return;
  };
  const ApiExtensions server(handler_, {.now = [&] { return establishing; }, .settled = settled}, next_);
  EXPECT_EQ(Ask(server, "/apis/example.com/v1/widgets"), kFromNext);
  EXPECT_EQ(waits, 0);
  establishing = true;
  EXPECT_EQ(Ask(server, "/apis/example.com/v1/widgets"), kFromNext);
  EXPECT_EQ(waits, 1);
}

TEST_F(DelegationTest, TheEndOfTheChainFindsNothing) {
  const NotFound server(handler_);
  EXPECT_EQ(Ask(server, "/api/v1/secrets"), 404);
  EXPECT_EQ(Ask(server, "/apis/example.com/v1/widgets"), 404);
}

}  // namespace
}  // namespace keelson::server
