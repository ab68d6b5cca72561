#include "server/flow_control/work_estimate.h"

#include <gtest/gtest.h>

#include "server/flow_control/flow_hash.h"
#include "server/flow_control/watch_counter.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;

endpoints::RequestInfo Info(std::string_view method, std::string_view path, std::string_view query = "") {
  return endpoints::ParseRequestInfo(method, path, query);
}

int ListSeats(std::string_view query, ResourceSize size, int level_seats = 0) {
  return EstimateList(Info("GET", "/api/v1/pods", query), query, level_seats, size).initial_seats;
}

TEST(WorkEstimateTest, AListTakesASeatForEachHundredKilobytesInMemory) {
  EXPECT_EQ(ListSeats("", {.objects = 0, .bytes = 0}), 1);
  EXPECT_EQ(ListSeats("", {.objects = 100, .bytes = 100'000}), 1);
  EXPECT_EQ(ListSeats("", {.objects = 100, .bytes = 500'000}), 5);
  EXPECT_EQ(ListSeats("", {.objects = 100, .bytes = 500'100}), 6);
  EXPECT_EQ(ListSeats("", {.objects = 10'000, .bytes = 37'000'000}), 10) << "the cache streams";
  EXPECT_EQ(ListSeats("resourceVersion=0", {.objects = 10'000, .bytes = 37'000'000}), 10);
  EXPECT_EQ(ListSeats("limit=500", {.objects = 10'000, .bytes = 10'000'000}), 5);
}

TEST(WorkEstimateTest, WhatUpstreamReadsFromItsStoreIsNotStreamed) {
  const ResourceSize large{.objects = 10'000, .bytes = 37'000'000};
  EXPECT_EQ(ListSeats("continue=x", large), 100);
  EXPECT_EQ(ListSeats("resourceVersion=5&resourceVersionMatch=Exact", large), 100);
  EXPECT_EQ(ListSeats("resourceVersion=5&resourceVersionMatch=NotOlderThan", large), 10);
  EXPECT_EQ(ListSeats("resourceVersion=5&limit=500", large), 19);
  EXPECT_EQ(ListSeats("continue=x&limit=500", large), 19);
  EXPECT_EQ(ListSeats("continue=x&limit=500&labelSelector=a", large), 100) << "half of all is read";
  EXPECT_EQ(ListSeats("continue=x", large, /*level_seats=*/7), 7);
}

TEST(WorkEstimateTest, SmallAndWrongLists) {
  const ResourceSize large{.objects = 10'000, .bytes = 37'000'000};
  EXPECT_EQ(ListSeats("fieldSelector=metadata.name%3Da", large), 1) << "one object";
  EXPECT_EQ(ListSeats("limit=abc", large), 100) << "cannot be read";
  EXPECT_EQ(ListSeats("limit=abc", large, 7), 7);
  EXPECT_EQ(EstimateList(Info("GET", "/apis/metrics.k8s.io/v1beta1/pods"), "", 0, std::nullopt),
            WorkEstimate())
      << "is stored elsewhere";
}

TEST(WorkEstimateTest, AWatchTakesWhatItsInitialEventsTake) {
  const ResourceSize large{.objects = 10'000, .bytes = 37'000'000};
  EXPECT_EQ(ListSeats("watch=true", large), 10);
  EXPECT_EQ(ListSeats("watch=true&resourceVersion=0", large), 10);
  EXPECT_EQ(ListSeats("watch=true&resourceVersion=12", large), 1);
  EXPECT_EQ(ListSeats("watch=true&resourceVersion=12&sendInitialEvents=true", large), 10);
  EXPECT_EQ(ListSeats("watch=true&resourceVersion=12&sendInitialEvents=false", large), 1);
  EXPECT_EQ(ListSeats("watch=true&resourceVersion=12&sendInitialEvents=False", large), 1);
}

TEST(WorkEstimateTest, AWriteTakesSeatsForTheWatchesItMustReach) {
  EXPECT_EQ(EstimateWrite(0, 0), WorkEstimate());
  EXPECT_EQ(EstimateWrite(9, 0), WorkEstimate());
  EXPECT_EQ(EstimateWrite(10, 0), (WorkEstimate{1, 1, 5ms}));
  EXPECT_EQ(EstimateWrite(11, 0), (WorkEstimate{1, 2, 5ms}));
  EXPECT_EQ(EstimateWrite(100, 0), (WorkEstimate{1, 10, 5ms}));
  EXPECT_EQ(EstimateWrite(250, 0), (WorkEstimate{1, 10, 12'500us})) << "as much work, on fewer seats";
  EXPECT_EQ(EstimateWrite(100, 5), (WorkEstimate{1, 5, 10ms}));
}

TEST(WatchCounterTest, CountsWhatAWriteConcerns) {
  WatchCounter counter;
  auto all = counter.Add(Info("GET", "/api/v1/pods", "watch=true"), "watch=true");
  auto in_namespace = counter.Add(Info("GET", "/api/v1/namespaces/a/pods", "watch=1"), "watch=1");
  auto another = counter.Add(Info("GET", "/api/v1/namespaces/b/pods", "watch=1"), "watch=1");
  const std::string_view one = "watch=1&fieldSelector=metadata.name%3Dx";
  auto object = counter.Add(Info("GET", "/api/v1/namespaces/a/pods", one), one);
  const std::string_view node = "watch=1&fieldSelector=spec.nodeName%3Dn1";
  auto of_node = counter.Add(Info("GET", "/api/v1/pods", node), node);
  EXPECT_EQ(counter.CountFor(Info("POST", "/api/v1/namespaces/a/pods")), 2);
  EXPECT_EQ(counter.CountFor(Info("PUT", "/api/v1/namespaces/a/pods/x")), 3);
  EXPECT_EQ(counter.CountFor(Info("PUT", "/api/v1/namespaces/a/pods/y")), 2);
  EXPECT_EQ(counter.CountFor(Info("POST", "/api/v1/namespaces/a/secrets")), 0);
  all = {};
  EXPECT_EQ(counter.CountFor(Info("PUT", "/api/v1/namespaces/a/pods/x")), 2);
}

// printf 'global-default\0alice' | sha256sum
TEST(FlowHashTest, IsUpstreams) {
  EXPECT_EQ(FlowHash("global-default", "alice"), 0xf4de3bd42ccdf6b7u);
  EXPECT_EQ(FlowHash("global-default", "alice"), 0xf4de3bd42ccdf6b7u) << "from memory";
  EXPECT_EQ(FlowHash("service-accounts", ""), 0xa8db662c2ca2434fu);
}

}  // namespace
}  // namespace keelson::server::flow_control
