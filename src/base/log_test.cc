#include "base/log.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace keelson::base {
namespace {

constexpr auto kTime = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'042));

TEST(LogTest, TextLineHasTimeLevelMessageAndFields) {
  EXPECT_EQ(FormatLogLine(LogFormat::kText, LogLevel::kWarning, kTime, "slow request",
                          {{"verb", "list"}, {"code", 200}, {"user", "a b"}, {"empty", ""}}),
            "2023-11-14T22:13:20.042Z WARN  slow request verb=list code=200 user=\"a b\" empty=\"\"\n");
}

TEST(LogTest, JsonLineWritesNumbersWithoutQuotes) {
  EXPECT_EQ(FormatLogLine(LogFormat::kJson, LogLevel::kError, kTime, "it \"broke\"",
                          {{"code", 500}, {"path", "/a"}}),
            "{\"ts\":\"2023-11-14T22:13:20.042Z\",\"level\":\"error\",\"msg\":\"it \\\"broke\\\"\","
            "\"code\":500,\"path\":\"/a\"}\n");
}

TEST(LogTest, ValuesCannotBreakOutOfTheirLine) {
  const std::string text =
      FormatLogLine(LogFormat::kText, LogLevel::kInfo, kTime, "a\nb", {{"path", "x\n\"y\x01"}});
  EXPECT_EQ(text, "2023-11-14T22:13:20.042Z INFO  a\\nb path=\"x\\n\\\"y\\u0001\"\n");
}

TEST(LogTest, InvalidUtf8IsReplacedAndValidKept) {
  const std::string line =
      FormatLogLine(LogFormat::kJson, LogLevel::kInfo, kTime, "m", {{"v", "\xC3\xA9\xFF\xED\xA0\x80"}});
  EXPECT_NE(line.find("\"v\":\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""),
            std::string::npos)
      << line;
}

TEST(LogTest, LevelsBelowTheConfiguredOneAreNotWritten) {
  ConfigureLog(LogLevel::kWarning, LogFormat::kText);
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "quiet");
  Log(LogLevel::kWarning, "loud");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_EQ(out.find("quiet"), std::string::npos);
  EXPECT_NE(out.find("loud"), std::string::npos);
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  ConfigureLog(LogLevel::kInfo, LogFormat::kText);
}

TEST(LogTest, LinesOfDifferentThreadsStayWhole) {
  constexpr int kThreads = 4, kLines = 200;
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        const std::string value(500, static_cast<char>('a' + t));
        for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, "line", {{"v", value}});
      });
  }
  std::istringstream lines(testing::internal::GetCapturedStderr());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string value = line.substr(line.find("v=") + 2);
    EXPECT_EQ(value, std::string(500, value[0]));
  }
  EXPECT_EQ(count, kThreads * kLines);
}

}  // namespace
}  // namespace keelson::base
