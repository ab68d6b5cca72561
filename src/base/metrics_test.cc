#include "base/metrics.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace keelson::base {
namespace {

TEST(MetricsTest, CountersAndGaugesAreRenderedInNameOrder) {
  Metrics m;
  m.GetGauge("b_depth", "How deep.").Set(-3);
  m.GetCounter("a_total", "How many.", {{"verb", "get"}}).Add(2);
  m.GetCounter("a_total", "How many.", {{"verb", "create"}}).Add();
  EXPECT_EQ(m.Render(),
            "# HELP a_total How many.\n# TYPE a_total counter\n"
            "a_total{verb=\"create\"} 1\na_total{verb=\"get\"} 2\n"
            "# HELP b_depth How deep.\n# TYPE b_depth gauge\nb_depth -3\n");
}

TEST(MetricsTest, TheSameLabelsGiveTheSameMetric) {
  Metrics m;
  Counter& first = m.GetCounter("n", "h", {{"a", "1"}});
  EXPECT_EQ(&first, &m.GetCounter("n", "h", {{"a", "1"}}));
  EXPECT_NE(&first, &m.GetCounter("n", "h", {{"a", "2"}}));
}

TEST(MetricsTest, HelpAndLabelValuesAreEscaped) {
  Metrics m;
  m.GetCounter("n", "a \\ \"b\"\nc", {{"l", "a \\ \"b\"\nc"}}).Add();
  EXPECT_EQ(m.Render(),
            "# HELP n a \\\\ \"b\"\\nc\n# TYPE n counter\n"
            "n{l=\"a \\\\ \\\"b\\\"\\nc\"} 1\n");
}

TEST(MetricsTest, HistogramBucketsAreCumulativeAndIncludeTheirBound) {
  Metrics m;
  constexpr std::array<double, 2> kBounds{0.5, 10};
  Histogram& h = m.GetHistogram("d_seconds", "Time.", kBounds, {{"verb", "get"}});
  for (double v : {0.5, 0.25, 2.0, 11.25}) h.Observe(v);
  EXPECT_EQ(m.Render(),
            "# HELP d_seconds Time.\n# TYPE d_seconds histogram\n"
            "d_seconds_bucket{verb=\"get\",le=\"0.5\"} 2\n"
            "d_seconds_bucket{verb=\"get\",le=\"10\"} 3\n"
            "d_seconds_bucket{verb=\"get\",le=\"+Inf\"} 4\n"
            "d_seconds_sum{verb=\"get\"} 14\n"
            "d_seconds_count{verb=\"get\"} 4\n");
}

TEST(MetricsTest, CallbacksAreReadWhenScraped) {
  Metrics m;
  double value = 1;
  m.AddCallback("c", "h", [&] { return value; });
  value = 2.5;
  EXPECT_EQ(m.Render(), "# HELP c h\n# TYPE c gauge\nc 2.5\n");
}

TEST(MetricsTest, CountersCanBeReadWhenScraped) {
  Metrics m;
  m.AddCounterCallback("c_total", "h", [] { return 3.0; }, {{"a", "b"}});
  EXPECT_EQ(m.Render(), "# HELP c_total h\n# TYPE c_total counter\nc_total{a=\"b\"} 3\n");
}

TEST(MetricsTest, ABatchOfObservationsCountsOnceItIsFlushed) {
  Metrics m;
  constexpr std::array<double, 2> kBounds{1, 2};
  Histogram& h = m.GetHistogram("d", "h", kBounds);
  HistogramBatch batch(h);
  for (double v : {0.5, 2.0, 3.0}) batch.Observe(v);
  EXPECT_EQ(batch.count(), 3u);
  EXPECT_NE(m.Render().find("d_count 0\n"), std::string::npos);
  batch.Flush();
  batch.Flush();
  EXPECT_NE(
      m.Render().find("d_bucket{le=\"1\"} 1\nd_bucket{le=\"2\"} 2\nd_bucket{le=\"+Inf\"} 3\nd_sum 5.5\n"),
      std::string::npos);
}

TEST(MetricsTest, OwnedMetricsGoWithTheLastOfTheirOwners) {
  Metrics m;
  constexpr std::array<double, 1> kBounds{1};
  const Labels labels{{"resource", "widgets"}};
  auto first = std::make_unique<OwnedMetrics>(m), second = std::make_unique<OwnedMetrics>(m);
  Counter& counter = first->GetCounter("n_total", "h", labels);
  counter.Add(2);
  EXPECT_EQ(&counter, &second->GetCounter("n_total", "h", labels));
  first->GetGauge("g", "h", labels).Set(3);
  first->GetHistogram("d", "h", kBounds, labels).Observe(0.5);
  EXPECT_NE(m.Render().find("d_count{resource=\"widgets\"} 1\n"), std::string::npos);
  first.reset();
  EXPECT_NE(m.Render().find("n_total{resource=\"widgets\"} 2\n"), std::string::npos);
  EXPECT_EQ(m.Render().find("g{"), std::string::npos);
  EXPECT_EQ(m.Render().find("d_"), std::string::npos);
  second.reset();
  EXPECT_EQ(m.Render().find("widgets"), std::string::npos);
  OwnedMetrics again(m);
  EXPECT_EQ(again.GetCounter("n_total", "h", labels).value(), 0u);
}

TEST(MetricsTest, WhatTheRegistryWasAskedForStaysWithoutItsOwner) {
  Metrics m;
  {
    OwnedMetrics owner(m);
    owner.GetCounter("n_total", "h", {{"a", "b"}}).Add();
    m.GetCounter("n_total", "h", {{"a", "b"}}).Add();
  }
  EXPECT_NE(m.Render().find("n_total{a=\"b\"} 2\n"), std::string::npos);
}

TEST(MetricsTest, CallbacksCanBeTakenAway) {
  Metrics m;
  m.AddCallback("c", "h", [] { return 1.0; }, {{"hash", "a"}});
  m.AddCallback("c", "h", [] { return 1.0; }, {{"hash", "b"}});
  m.RemoveCallback("c", {{"hash", "a"}});
  m.RemoveCallback("d", {{"hash", "a"}});
  EXPECT_EQ(m.Render(), "# HELP c h\n# TYPE c gauge\nc{hash=\"b\"} 1\n");
}

TEST(MetricsTest, AHistogramCanBeReadFromWhoKeepsIt) {
  static constexpr double kBounds[] = {0.5, 1};
  Metrics m;
  m.AddHistogramCallback("d", "h",
                         [] {
                           HistogramReading reading(kBounds);
                           reading.Add(0.5, 3);
                           reading.Add(2, 4);
                           return reading;
                         },
                         {{"a", "b"}});
  EXPECT_EQ(m.Render(),
            "# HELP d h\n# TYPE d histogram\nd_bucket{a=\"b\",le=\"0.5\"} 3\nd_bucket{a=\"b\",le=\"1\"} 3\n"
            "d_bucket{a=\"b\",le=\"+Inf\"} 7\nd_sum{a=\"b\"} 9.5\nd_count{a=\"b\"} 7\n");
  m.RemoveCallback("d", {{"a", "b"}});
  EXPECT_EQ(m.Render(), "# HELP d h\n# TYPE d histogram\n");
}

TEST(MetricsTest, OneNameCannotBeTwoKinds) {
  Metrics m;
  m.GetCounter("n", "h");
  EXPECT_THROW(m.GetGauge("n", "h"), std::logic_error);
}

TEST(MetricsTest, UpdatesFromManyThreadsAddUp) {
  Metrics m;
  constexpr std::array<double, 1> kBounds{1};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          m.GetCounter("n", "h").Add();
          m.GetHistogram("d", "h", kBounds).Observe(0.5);
        }
      });
  }
  EXPECT_EQ(m.GetCounter("n", "h").value(), 4000u);
  EXPECT_NE(m.Render().find("d_sum 2000\n"), std::string::npos);
}

}  // namespace
}  // namespace keelson::base
