#include "audit/log_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "audit/auditor.h"
#include "base/sync_wait.h"

namespace keelson::audit {
namespace {

using testing::HasSubstr;
using testing::Not;

class LogSinkTest : public testing::Test {
 protected:
  LogSinkTest() {
    std::string name = (std::filesystem::temp_directory_path() / "keelson-audit-XXXXXX").string();
    dir_ = mkdtemp(name.data());
    config_.path = dir_ / "audit.log";
  }
  ~LogSinkTest() override { std::filesystem::remove_all(dir_); }

  std::unique_ptr<Auditor> Make(const std::string& rule = "{level: RequestResponse}") {
    auto policy = Policy::Parse("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [" + rule + "]}");
    EXPECT_TRUE(policy) << policy.error();
    auto sink = MakeLogSink(config_, metrics_);
    EXPECT_TRUE(sink) << sink.error();
    std::vector<std::unique_ptr<Sink>> sinks;
    sinks.push_back(*std::move(sink));
    return std::make_unique<Auditor>(*std::move(policy), std::move(sinks), metrics_);
  }
  static Event SomeEvent(Auditor& auditor) {
    Event event(auditor.Decide({.verb = "get", .path = "/x"}));
    event.audit_id = "id";
    event.uri = "/x";
    return event;
  }
  std::string Content() const {
    std::ifstream in(config_.path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path dir_;
  LogConfig config_;
  base::Metrics metrics_;
};

TEST_F(LogSinkTest, WhoWaitsFindsTheLineWritten) {
  const auto auditor = Make();
  Event event = SomeEvent(*auditor);
  auditor->Tell(event, Stage::kRequestReceived);
  EXPECT_TRUE(event.owed.empty());  // the stages after it are waited for
  auditor->Tell(event, Stage::kResponseComplete);
  EXPECT_TRUE(base::SyncWait(Auditor::Settled(event)));
  EXPECT_THAT(Content(),
              testing::StartsWith(R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Req)"));
  EXPECT_THAT(Content(), HasSubstr("\"stage\":\"RequestReceived\""));
  EXPECT_THAT(Content(), HasSubstr("\"stage\":\"ResponseComplete\""));
  EXPECT_THAT(Content(), testing::EndsWith("}\n"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_audit_event_total 2"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_audit_level_total{level=\"RequestResponse\"} 1"));
}

TEST_F(LogSinkTest, InTheModeBatchNobodyWaitsAndNothingIsLostAtTheEnd) {
  config_.batch.mode = "batch";
  const auto auditor = Make();
  Event event = SomeEvent(*auditor);
  for (int i = 0; i < 100; ++i) auditor->Tell(event, Stage::kResponseComplete);
  EXPECT_TRUE(event.owed.empty());
  auditor->End();
  const std::string content = Content();
  EXPECT_EQ(std::ranges::count(content, '\n'), 100);
}

TEST_F(LogSinkTest, AStageThatThePolicyLeavesOutIsNotTold) {
  const auto auditor = Make("{level: Metadata, omitStages: [RequestReceived]}");
  Event event = SomeEvent(*auditor);
  auditor->Tell(event, Stage::kRequestReceived);
  auditor->End();
  EXPECT_EQ(Content(), "");
}

TEST_F(LogSinkTest, ALongEventLosesItsBodiesFirst) {
  config_.truncate = {.enabled = true, .max_event_size = 600};
  const auto auditor = Make();
  Event event = SomeEvent(*auditor);
  event.request_object = base::Slice::Copy("\"" + std::string(1000, 'b') + "\"");
  auditor->Tell(event, Stage::kResponseComplete);
  EXPECT_TRUE(base::SyncWait(Auditor::Settled(event)));
  EXPECT_THAT(Content(), HasSubstr(R"("annotations":{"audit.k8s.io/truncated":"true"})"));
  EXPECT_THAT(Content(), Not(HasSubstr("bbb")));
  event.uri = "/" + std::string(1000, 'u');
  auditor->Tell(event, Stage::kResponseComplete);
  auditor->End();
  EXPECT_THAT(Content(), Not(HasSubstr("uuu")));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_audit_error_total{plugin=\"truncate\"} 1"));
}

TEST_F(LogSinkTest, OnlyAStrictSinkFailsARequest) {
  config_.max_size = 1;
  for (const char* mode : {"blocking", "blocking-strict"}) {
    config_.batch.mode = mode;
    const auto auditor = Make();
    Event event = SomeEvent(*auditor);
    event.uri = std::string(2 << 20, 'u');  // longer than the file may be
    auditor->Tell(event, Stage::kRequestReceived);
    EXPECT_EQ(base::SyncWait(Auditor::Settled(event)), std::string_view(mode) == "blocking");
  }
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_audit_error_total{plugin=\"log\"} 2"));
}

TEST_F(LogSinkTest, LinesOfOneBatchAreSpreadOverFilesAsTheyFit) {
  config_.max_size = 1;
  config_.batch.mode = "batch";
  config_.max_backups = 0;
  const auto auditor = Make();
  Event event = SomeEvent(*auditor);
  event.uri = std::string(300'000, 'u');
  for (int i = 0; i < 10; ++i) auditor->Tell(event, Stage::kResponseComplete);
  auditor->End();
  size_t lines = 0, files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
    std::ifstream in(entry.path());
    std::string line;
    EXPECT_LE(entry.file_size(), size_t{1} << 20);
    for (++files; std::getline(in, line); ++lines) EXPECT_EQ(line.back(), '}');
  }
  EXPECT_EQ(lines, 10U);
  EXPECT_EQ(files, 4U);
}

}  // namespace
}  // namespace keelson::audit
