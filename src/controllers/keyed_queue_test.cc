#include "controllers/keyed_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using ::testing::HasSubstr;

TEST(KeyedQueueTest, WhatIsAddedAndTriedAgainIsReported) {
  ManualLoop loop;
  base::Metrics metrics;
  bool works = false;
  KeyedQueue queue(loop, [&](std::string) -> base::Task<bool> { co_return works; });
  queue.ReportTo(metrics, "names");
  queue.Start();
  queue.Add("a");
  queue.Add("a");
  queue.Add("b");
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_adds_total{name=\"names\"} 2\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_depth{name=\"names\"} 2\n"));
  loop.Run();
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_depth{name=\"names\"} 0\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_retries_total{name=\"names\"} 2\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_queue_duration_seconds_count{name=\"names\"} 2\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_work_duration_seconds_count{name=\"names\"} 2\n"));
  works = true;
  loop.Advance(std::chrono::seconds(1));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_retries_total{name=\"names\"} 2\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("workqueue_adds_total{name=\"names\"} 4\n"));
}

}  // namespace
}  // namespace keelson::controllers
