#include "server/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "server/testing/requests.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

using ::testing::ElementsAre;

base::Task<net::http::Response> Below(IncomingRequest& x) {
  co_return TextResponse(200, "below " + x.info.path);
}

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    router_.AddPage("/page", [](const IncomingRequest&) { return TextResponse(200, "page"); });
    router_.AddPage(
        "/hidden", [](const IncomingRequest&) { return TextResponse(200, "hidden"); }, /*listed=*/false);
    router_.AddSubtree("/api", Below);
    router_.AddListed("/api");
  }
  std::string Get(std::string path) {
    net::http::Request request = testing::MakeRequest("GET", path);
    IncomingRequestPtr x(new IncomingRequest(request, {}));
    x->info.path = std::move(path);
    net::http::Response response = base::SyncWait(router_.Route(*x));
    return std::to_string(response.status) + " " + testing::ReadBody(response);
  }
  Router router_;
};

TEST_F(RouterTest, PagesMatchExactlyAndSubtreesAtPathBorders) {
  EXPECT_EQ(Get("/page"), "200 page");
  EXPECT_EQ(Get("/hidden"), "200 hidden");
  EXPECT_EQ(Get("/api"), "200 below /api");
  EXPECT_EQ(Get("/api/v1/x"), "200 below /api/v1/x");
  EXPECT_EQ(Get("/apix"), "404 404 page not found\n");
  EXPECT_EQ(Get("/page/"), "404 404 page not found\n");
}

TEST_F(RouterTest, KnowsWhatItServesAndWhatItLists) {
  EXPECT_TRUE(router_.Serves("/api/v1"));
  EXPECT_TRUE(router_.Serves("/hidden"));
  EXPECT_FALSE(router_.Serves("/nope"));
  EXPECT_THAT(router_.ListedPaths(), ElementsAre("/api", "/page"));
}

}  // namespace
}  // namespace keelson::server
