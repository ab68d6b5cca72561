#include "server/flow_control/flow_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/testing/json_doc.h"
#include "server/flow_control/dumps.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;
using api::flowcontrol_v1::FlowSchemaView;
using api::flowcontrol_v1::PriorityLevelConfigurationView;
using ::testing::HasSubstr;
using ::testing::Not;
using Admission = FlowControl::Admission;

const auth::User kAdmin{.name = "admin", .groups = {"system:masters", "system:authenticated"}};
const auth::User kAnn{.name = "ann", .groups = {"system:authenticated"}};

class FlowControlTest : public ::testing::Test {
 protected:
  struct Request {
    endpoints::RequestInfo info;
    std::string query;
    Admission admission;
    std::unique_ptr<Ticket> ticket = std::make_unique<Ticket>();
  };
  std::unique_ptr<Request> Send(std::string_view path, const auth::User& user = kAnn,
                                std::string_view method = "GET", std::string query = "") {
    auto request = std::make_unique<Request>();
    request->info = endpoints::ParseRequestInfo(method, path, query);
    request->query = std::move(query);
    request->admission = control_.Admit({.info = request->info,
                                         .query = request->query,
                                         .user = user,
                                         .wait_until = clock_.SteadyNow() + 15s},
                                        *request->ticket);
    return request;
  }
  void PutBootstrapObjects() {
    for (const auto& object : api::flowcontrol::BootstrapPriorityLevels())
      control_.PutLevel(*PriorityLevelSpec::Of(PriorityLevelConfigurationView(object.doc)));
    for (const auto& object : api::flowcontrol::BootstrapFlowSchemas())
      control_.PutSchema(FlowSchemaSpec::Of(FlowSchemaView(object.doc)));
    control_.Apply();
  }
  void PutLevel(std::string_view json) {
    control_.PutLevel(*PriorityLevelSpec::Of(PriorityLevelConfigurationView(
        api::testing::DocFromJson(json, PriorityLevelConfigurationView::Type()))));
  }
  // The level has all that bob asks for.
  void PutBobsSchema(std::string_view level) {
    control_.PutSchema(FlowSchemaSpec::Of(FlowSchemaView(api::testing::DocFromJson(
        R"({"metadata":{"name":"bob","uid":"schema-uid"},"spec":{"matchingPrecedence":1000,
           "priorityLevelConfiguration":{"name":")" +
            std::string(level) +
            R"("},"distinguisherMethod":{"type":"ByUser"},
           "rules":[{"subjects":[{"kind":"User","user":{"name":"bob"}}],
           "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}]}]}})",
        FlowSchemaView::Type()))));
  }
  int64_t Gauge(const std::string& name, const std::string& level) {
    return metrics_.GetGauge("apiserver_flowcontrol_" + name, "", {{"priority_level", level}}).value();
  }

  base::FakeClock clock_;
  base::Metrics metrics_;
  FlowControl control_{600, metrics_, clock_};
};

TEST_F(FlowControlTest, BeforeAnythingIsKnownTheMandatoryObjectsHold) {
  EXPECT_EQ(Send("/api/v1/pods", kAdmin)->ticket->level().name(), "exempt");
  const auto request = Send("/api/v1/pods");
  EXPECT_EQ(request->ticket->level().name(), "catch-all");
  EXPECT_EQ(request->ticket->schema_uid(), "");
  EXPECT_EQ(Gauge("nominal_limit_seats", "catch-all"), 600);
}

// Those that kube-apiserver v1.36.4 shows with its default flags.
TEST_F(FlowControlTest, TheBootstrapLevelsHaveUpstreamsSeats) {
  PutBootstrapObjects();
  const auto limits = [&](const std::string& level) {
    return std::vector{Gauge("lower_limit_seats", level), Gauge("nominal_limit_seats", level),
                       Gauge("upper_limit_seats", level)};
  };
  EXPECT_EQ(limits("catch-all"), (std::vector<int64_t>{13, 13, 613}));
  EXPECT_EQ(limits("exempt"), (std::vector<int64_t>{0, 0, 600}));
  EXPECT_EQ(limits("global-default"), (std::vector<int64_t>{24, 49, 649}));
  EXPECT_EQ(limits("leader-election"), (std::vector<int64_t>{25, 25, 625}));
  EXPECT_EQ(limits("node-high"), (std::vector<int64_t>{73, 98, 698}));
  EXPECT_EQ(limits("system"), (std::vector<int64_t>{50, 74, 674}));
  EXPECT_EQ(limits("workload-high"), (std::vector<int64_t>{49, 98, 698}));
  EXPECT_EQ(limits("workload-low"), (std::vector<int64_t>{24, 245, 845}));
}

TEST_F(FlowControlTest, SeatsOfIdleLevelsAreLent) {
  PutBootstrapObjects();
  std::vector<std::unique_ptr<Request>> flood;
  for (int i = 0; i < 700; ++i) flood.push_back(Send("/api/v1/pods"));
  const int64_t before = Gauge("current_limit_seats", "global-default");
  clock_.Advance(10s);
  control_.Adjust();
  EXPECT_GT(Gauge("current_limit_seats", "global-default"), 2 * before);
  EXPECT_GE(Gauge("current_limit_seats", "leader-election"), 25) << "lends nothing";
  EXPECT_EQ(Gauge("demand_seats_high_watermark", "global-default"), before + 300) << "six queues of 50 wait";
  flood.clear();
  for (int i = 0; i < 600; ++i) {
    clock_.Advance(10s);
    control_.Adjust();
  }
  EXPECT_LT(Gauge("current_limit_seats", "global-default"), 150);
}

TEST_F(FlowControlTest, AChangedLevelHoldsAtOnceAndARemovedOneUntilItsRequestsHaveEnded) {
  PutBootstrapObjects();
  const auth::User bob{.name = "bob", .groups = {"system:authenticated"}};
  PutLevel(R"({"metadata":{"name":"slow","uid":"level-uid"},"spec":{"type":"Limited","limited":{
              "nominalConcurrencyShares":1,"borrowingLimitPercent":0,"limitResponse":{"type":"Reject"}}}})");
  PutBobsSchema("slow");
  control_.Apply();
  EXPECT_EQ(Gauge("nominal_limit_seats", "slow"), 3);
  std::vector<std::unique_ptr<Request>> requests;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(Send("/api/v1/pods", bob));
    EXPECT_EQ(requests.back()->admission, Admission::kExecutes);
    EXPECT_EQ(requests.back()->ticket->schema_uid(), "schema-uid");
    EXPECT_EQ(requests.back()->ticket->level_uid(), "level-uid");
  }
  EXPECT_EQ(Send("/api/v1/pods", bob)->admission, Admission::kRefused);
  EXPECT_EQ(Send("/api/v1/pods")->admission, Admission::kExecutes);

  PutLevel(R"({"metadata":{"name":"slow","uid":"level-uid"},"spec":{"type":"Limited","limited":{
              "nominalConcurrencyShares":100,"limitResponse":{"type":"Reject"}}}})");
  control_.Apply();
  EXPECT_EQ(Send("/api/v1/pods", bob)->admission, Admission::kExecutes);

  control_.RemoveLevel("slow");
  control_.Apply();
  EXPECT_EQ(Send("/api/v1/pods", bob)->ticket->level().name(), "global-default");
  const auto says_slow = HasSubstr("slow,              0,            false,  true,");
  EXPECT_THAT(DumpPriorityLevels(control_), says_slow);
  requests.clear();
  control_.Adjust();
  EXPECT_THAT(DumpPriorityLevels(control_), Not(HasSubstr("slow")));
}

TEST_F(FlowControlTest, OneFloodLeavesOthersTheirQueues) {
  PutBootstrapObjects();
  std::vector<std::unique_ptr<Request>> flood;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    flood.push_back(Send("/api/v1/pods"));
    if (flood.back()->admission == Admission::kRefused) ++refused;
  }
  EXPECT_GT(refused, 500) << "six queues of 50 are full";
  const auth::User other{.name = "other", .groups = {"system:authenticated"}};
  auto request = Send("/api/v1/pods/x", other);
  EXPECT_EQ(request->admission, Admission::kWaits) << "in another queue";
  // Every second seat that becomes free is the other's, not the 300th.
  int freed = 0;
  for (auto& f : flood)
    if (f->admission == Admission::kExecutes && !request->ticket->Decision().await_ready()) {
      clock_.Advance(1ms);
      f.reset();
      ++freed;
    }
  EXPECT_TRUE(request->ticket->Decision().await_ready());
  EXPECT_LE(freed, 8);
}

TEST_F(FlowControlTest, WritesPayForWatchesAndListsForBytes) {
  PutBootstrapObjects();
  class Sizes final : public ResourceSizes {
   public:
    std::optional<ResourceSize> SizeOf(const endpoints::RequestInfo& info) const override {
      if (info.resource != "pods") return std::nullopt;
      return ResourceSize{.objects = 1000, .bytes = 400'000};
    }
  } sizes;
  control_.UseSizes(&sizes);
  std::vector<WatchCounter::Counted> watches;
  const auto watch = endpoints::ParseRequestInfo("GET", "/api/v1/pods", "watch=true");
  for (int i = 0; i < 20; ++i) watches.push_back(control_.CountWatch(watch, "watch=true"));
  const auto list = Send("/api/v1/pods"), nodes = Send("/api/v1/nodes"),
             write = Send("/api/v1/namespaces/a/pods", kAnn, "POST");
  const std::string dump = DumpRequests(control_, /*details=*/true);
  EXPECT_THAT(dump, HasSubstr("list,   /api/v1/pods,"));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_flowcontrol_current_executing_seats{flow_schema=\"global-default\","
                        "priority_level=\"global-default\"} 7\n"))
      << "4 + 1 + 2";
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_flowcontrol_watch_count_samples_sum{flow_schema=\"global-"
                        "default\",priority_level=\"global-default\"} 20\n"));
  control_.UseSizes(nullptr);
}

TEST_F(FlowControlTest, DumpsAreAlignedAsUpstreamAlignsThem) {
  const auto request = Send("/api/v1/pods/x");
  EXPECT_EQ(DumpPriorityLevels(control_),
            "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, "
            "DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n"
            "catch-all,         0,            false,  false,       0,               1,                 "
            "1,                  0,                0,                0\n"
            "exempt,            0,            true,   false,       0,               0,                 "
            "0,                  0,                0,                0\n");
  EXPECT_EQ(DumpRequests(control_, false),
            "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, "
            "ArriveTime,           "
            "InitialSeats, FinalSeats, AdditionalLatency, StartTime\n"
            "catch-all,         catch-all,      -1,         -1,                  ,                "
            "2023-11-14T22:13:20Z, "
            "1,            0,          0s,                2023-11-14T22:13:20Z\n");
  EXPECT_EQ(DumpQueues(control_),
            "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, "
            "InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n");
}

TEST_F(FlowControlTest, AnObjectThatContradictsItselfIsNotThere) {
  const auto read = [](std::string_view spec) {
    return PriorityLevelSpec::Of(PriorityLevelConfigurationView(
        api::testing::DocFromJson(R"({"metadata":{"name":"x"},"spec":)" + std::string(spec) + "}",
                                  PriorityLevelConfigurationView::Type())));
  };
  EXPECT_FALSE(read(R"({"type":"Limited"})"));
  EXPECT_FALSE(read(R"({"type":"Exempt","exempt":{}})")) << "only `exempt` is";
  EXPECT_FALSE(read(R"({"type":"Limited","limited":{"limitResponse":{"type":"Queue"}}})"));
  EXPECT_FALSE(read(
      R"({"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{"queues":4,"handSize":5,"queueLengthLimit":1}}}})"));
  EXPECT_TRUE(read(R"({"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}})"));
}

}  // namespace
}  // namespace keelson::server::flow_control
