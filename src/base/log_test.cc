#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <vector>

#include "base/log_writer.h"

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
  ::testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "quiet");
  Log(LogLevel::kWarning, "loud");
  const std::string out = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(out.find("quiet"), std::string::npos);
  EXPECT_NE(out.find("loud"), std::string::npos);
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  ConfigureLog(LogLevel::kInfo, LogFormat::kText);
}

TEST(LogTest, LinesOfDifferentThreadsStayWhole) {
  constexpr int kThreads = 4, kLines = 200;
  ::testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        const std::string value(500, static_cast<char>('a' + t));
        for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, "line", {{"v", value}});
      });
  }
  std::istringstream lines(::testing::internal::GetCapturedStderr());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string value = line.substr(line.find("v=") + 2);
    EXPECT_EQ(value, std::string(500, value[0]));
  }
  EXPECT_EQ(count, kThreads * kLines);
}

// A pipe that holds no more.
class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0);
    const std::string filler(4096, '.');
    while (::write(ends_[1], filler.data(), filler.size()) > 0) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);
  }
  ~FullPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int writing_end() const { return ends_[1]; }
  // Waits for bytes, and returns those that have come, without the filling.
  std::string Read() {
    std::string some;
    while (some.empty()) {
      char buf[4096];
      pollfd readable{.fd = ends_[0], .events = POLLIN, .revents = 0};
      ::poll(&readable, 1, -1);
      const ssize_t n = ::read(ends_[0], buf, sizeof buf);
      for (ssize_t i = 0; i < n; ++i)
        if (buf[i] != '.') filling_ = false;
      if (!filling_ && n > 0) some.assign(buf, static_cast<size_t>(n));
    }
    return some;
  }
  void ReadUntil(std::string_view text) {
    for (std::string all; all.find(text) == std::string::npos;) all += Read();
  }

 private:
  int ends_[2] = {-1, -1};
  bool filling_ = true;  // it is still being read
};

TEST(LogWriterTest, NobodyWaitsForAReaderWhoHasStoppedAndWhatIsDroppedIsTold) {
  constexpr int kLines = 10'000;
  const std::string value(500, 'x');
  FullPipe pipe;
  const uint64_t dropped_before = LogLinesDropped();
  {
    LogWriter writer(pipe.writing_end());
    for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, "line", {{"v", value}});
    const uint64_t dropped = LogLinesDropped() - dropped_before;
    EXPECT_GT(dropped, 0U);
    // How many were dropped is told after each batch that was taken.
    constexpr std::string_view kTold = "dropped: stderr took none for a while lines=";
    std::string out;
    uint64_t told = 0, times = 0;
    for (size_t from = 0; told < dropped;) {
      out += pipe.Read();
      for (size_t at;
           (at = out.find(kTold, from)) != std::string::npos && out.find('\n', at) != std::string::npos;
           ++times) {
        from = at + kTold.size();
        told += std::stoull(out.substr(from));
      }
    }
    EXPECT_EQ(told, dropped);
    // Lines that were taken after the last that was dropped come after what is told of it.
    const int64_t expected = kLines - static_cast<int64_t>(dropped - times);
    while (std::ranges::count(out, '\n') < expected) out += pipe.Read();
    EXPECT_EQ(std::ranges::count(out, '\n'), expected);
    Log(LogLevel::kInfo, "it goes on");
    pipe.ReadUntil("it goes on\n");
  }
}

TEST(LogWriterTest, ItsEndWaitsForAReaderWhoHasStoppedForAWhileOnly) {
  FullPipe pipe;
  {
    LogWriter writer(pipe.writing_end());
    Log(LogLevel::kInfo, "last words");
  }
  // The thread that hangs is left behind, and ends when it can.
  pipe.ReadUntil("last words\n");
}

TEST(LogWriterTest, WhatWaitsIsWrittenAtItsEnd) {
  ::testing::internal::CaptureStderr();
  {
    LogWriter writer;
    for (int i = 0; i < 1000; ++i) Log(LogLevel::kInfo, "line", {{"i", i}});
  }
  Log(LogLevel::kInfo, "after it");
  const std::string out = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(out, '\n'), 1001);
  EXPECT_LT(out.find("i=999"), out.find("after it"));
}

}  // namespace
}  // namespace keelson::base
