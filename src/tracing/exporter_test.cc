#include "tracing/exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "api/codec/protobuf_message.h"
#include "net/testing/grpc_server.h"

namespace keelson::tracing {
namespace {

using namespace std::chrono_literals;

constexpr net::Duration kLong = 30s;

// How many spans a request has.
size_t SpansIn(std::string_view message) {
  size_t spans = 0;
  const auto each = [](std::string_view bytes, uint32_t wanted, const auto& take) {
    api::protobuf::WireReader reader(bytes);
    while (!reader.done()) {
      uint32_t number, type;
      std::string_view inner;
      ASSERT_TRUE(reader.Tag(&number, &type) && type == api::protobuf::kBytes && reader.Bytes(&inner));
      if (number == wanted) take(inner);
    }
  };
  each(message, 1, [&](std::string_view resource_spans) {
    each(resource_spans, 2,
         [&](std::string_view scope_spans) { each(scope_spans, 2, [&](std::string_view) { ++spans; }); });
  });
  return spans;
}

class Collector {
 public:
  explicit Collector(const std::string& socket)
      : server_(socket, [this](std::string_view path, std::string_view message) {
          const base::MutexLock lock(mu_);
          path_ = path;
          batches_.push_back(SpansIn(message));
          if (refusals_ > 0) {
            --refusals_;
            return net::testing::GrpcAnswer{.code = refusal_, .message = "not now"};
          }
          return net::testing::GrpcAnswer{};
        }) {}

  void Refuse(int code, int times) {
    const base::MutexLock lock(mu_);
    refusal_ = code;
    refusals_ = times;
  }
  std::vector<size_t> batches() {
    const base::MutexLock lock(mu_);
    return batches_;
  }
  std::string path() {
    const base::MutexLock lock(mu_);
    return path_;
  }
  void WaitForBatches(size_t count) {
    while (batches().size() < count) std::this_thread::sleep_for(1ms);
  }

 private:
  base::Mutex mu_;
  std::vector<size_t> batches_ GUARDED_BY(mu_);
  std::string path_ GUARDED_BY(mu_);
  int refusal_ GUARDED_BY(mu_) = 0, refusals_ GUARDED_BY(mu_) = 0;
  net::testing::GrpcServer server_;
};

class ExporterTest : public ::testing::Test {
 protected:
  ExporterOptions Options() const {
    return {.target = {.unix_path = socket_},
            .resource = {"apiserver", "test"},
            .delay = kLong,
            .retry_pause = 1ms};
  }
  static std::vector<base::SpanPtr> Spans(size_t count) {
    std::vector<base::SpanPtr> spans;
    for (size_t i = 0; i < count; ++i) {
      spans.push_back(std::make_unique<base::Span>());
      spans.back()->name = "span";
    }
    return spans;
  }
  uint64_t Exported() { return metrics_.GetCounter("keelson_tracing_spans_exported_total", "").value(); }
  uint64_t Dropped(const std::string& reason) {
    return metrics_.GetCounter("keelson_tracing_spans_dropped_total", "", {{"reason", reason}}).value();
  }

  const std::string socket_ = ::testing::TempDir() + "tracing-" + std::to_string(::getpid()) + ".sock";
  base::Metrics metrics_;
};

TEST_F(ExporterTest, AFullBatchIsSentAtOnceAndTheRestByFlush) {
  Collector collector(socket_);
  ExporterOptions options = Options();
  options.batch = 10;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(13));
  collector.WaitForBatches(1);
  EXPECT_EQ(collector.batches().front(), 10U);
  EXPECT_EQ(collector.path(), kExportMethod);
  exporter.Flush(kLong);
  EXPECT_THAT(collector.batches(), ::testing::ElementsAre(10U, 3U));
  EXPECT_EQ(Exported(), 13U);
  EXPECT_EQ(Dropped("queue_full") + Dropped("export_failed"), 0U);
}

TEST_F(ExporterTest, FewSpansAreSentAfterTheDelay) {
  Collector collector(socket_);
  ExporterOptions options = Options();
  options.delay = 1ms;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(2));
  collector.WaitForBatches(1);
  exporter.Take(Spans(3));
  collector.WaitForBatches(2);
  EXPECT_THAT(collector.batches(), ::testing::ElementsAre(2U, 3U));
}

TEST_F(ExporterTest, WhatDoesNotFitIntoTheQueueIsDroppedAndCounted) {
  ExporterOptions options = Options();  // no collector
  options.most_queued = 5;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(8));
  EXPECT_EQ(Dropped("queue_full"), 3U);
}

TEST_F(ExporterTest, TheQueueIsBoundedByBytesToo) {
  ExporterOptions options = Options();
  options.most_queued_bytes = 10'000;
  Exporter exporter(options, metrics_);
  auto spans = Spans(3);
  for (auto& span : spans) span->Set("url.path", std::string(4000, 'x'));
  exporter.Take(std::move(spans));
  EXPECT_EQ(Dropped("queue_full"), 1U);
}

TEST_F(ExporterTest, ACollectorThatIsBusyIsAskedAgain) {
  Collector collector(socket_);
  collector.Refuse(14, 2);
  ExporterOptions options = Options();
  options.batch = 1;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(1));
  collector.WaitForBatches(3);
  exporter.Flush(kLong);
  EXPECT_EQ(Exported(), 1U);
}

TEST_F(ExporterTest, ACollectorThatRefusesIsNotAskedAgain) {
  Collector collector(socket_);
  collector.Refuse(3, 1);
  ExporterOptions options = Options();
  options.batch = 2;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(2));
  collector.WaitForBatches(1);
  exporter.Take(Spans(2));
  collector.WaitForBatches(2);
  exporter.Flush(kLong);
  EXPECT_EQ(Exported(), 2U);
  EXPECT_EQ(Dropped("export_failed"), 2U);
}

TEST_F(ExporterTest, FlushDoesNotWaitForACollectorThatIsNotThere) {
  Exporter exporter(Options(), metrics_);
  exporter.Take(Spans(2));
  exporter.Flush(std::chrono::hours(1));
  EXPECT_EQ(Dropped("export_failed"), 2U);
}

TEST_F(ExporterTest, ABatchIsGivenUpAfterAWhileAndLaterOnesAreSent) {
  ExporterOptions options = Options();
  options.batch = 1;
  options.give_up = 0s;
  Exporter exporter(options, metrics_);
  exporter.Take(Spans(1));
  while (Dropped("export_failed") == 0) std::this_thread::sleep_for(1ms);
  Collector collector(socket_);
  exporter.Take(Spans(1));
  exporter.Flush(kLong);
  EXPECT_EQ(Exported(), 1U);
}

TEST_F(ExporterTest, ManyThreadsAddSpans) {
  Collector collector(socket_);
  ExporterOptions options = Options();
  options.batch = 16;
  options.most_queued = 1'000'000;
  {
    Exporter exporter(options, metrics_);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) exporter.Take(Spans(3));
      });
    for (std::thread& thread : threads) thread.join();
    exporter.Flush(kLong);
  }
  size_t sum = 0;
  for (const size_t batch : collector.batches()) sum += batch;
  EXPECT_EQ(sum, 2400U);
  EXPECT_EQ(Exported(), 2400U);
}

}  // namespace
}  // namespace keelson::tracing
