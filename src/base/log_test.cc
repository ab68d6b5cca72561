#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include "base/log_format.h"
#include "base/log_writer.h"

namespace keelson::base {
namespace {

constexpr auto kTime =
    std::chrono::system_clock::time_point(std::chrono::microseconds(1'700'000'000'042'500));

std::string Format(LogFormat format, LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields, int verbosity = 0) {
  return FormatLogLine(format, {.level = level,
                                .verbosity = verbosity,
                                .time = kTime,
                                .message = message,
                                .fields = fields,
                                .where = std::source_location::current()});
}

TEST(LogTest, KeelsonsOwnLineHasTimeLevelMessageAndFields) {
  EXPECT_EQ(Format(LogFormat::kKeelson, LogLevel::kWarning, "slow request",
                   {{"verb", "list"}, {"code", 200}, {"user", "a b"}, {"empty", ""}}),
            "2023-11-14T22:13:20.042Z WARN  slow request verb=list code=200 user=\"a b\" empty=\"\"\n");
}

TEST(LogTest, ValuesCannotBreakOutOfTheirLine) {
  EXPECT_EQ(Format(LogFormat::kKeelson, LogLevel::kInfo, "a\nb", {{"path", "x\n\"y\x01"}}),
            "2023-11-14T22:13:20.042Z INFO  a\\nb path=\"x\\n\\\"y\\u0001\"\n");
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Format(format, LogLevel::kInfo, "a\nb", {{"path", "x\n\"y\x01\t"}});
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
    EXPECT_TRUE(line.contains("\"x\\n\\\"y\\u0001\\t\"")) << line;
  }
}

// Parts of a line of klog's: "I1114 22:13:20.042500   12345 log_test.cc:21] "message" key="value" n=1".
TEST(LogTest, TextLinesAreKlogs) {
  setenv("TZ", "UTC", 1);
  tzset();
  const std::string pid = std::to_string(getpid());
  const std::string id = std::string(pid.size() < 7 ? 7 - pid.size() : 0, ' ') + pid;
  const std::string line =
      Format(LogFormat::kText, LogLevel::kInfo, "serving \"it\"", {{"verb", "list"}, {"code", 200}});
  const std::regex form(
      R"re(I1114 22:13:20\.042500 +(\d+) log_test\.cc:(\d+)\] "serving \\"it\\"" verb="list" code=200\n)re");
  EXPECT_TRUE(std::regex_match(line, form)) << line;
  EXPECT_TRUE(line.starts_with("I1114 22:13:20.042500 " + id + " log_test.cc:")) << line;
  EXPECT_TRUE(Format(LogFormat::kText, LogLevel::kWarning, "w", {{"a", "b"}, {"why", "c d"}})
                  .ends_with("] \"w\" a=\"b\" err=\"c d\"\n"));
  const std::string error = Format(LogFormat::kText, LogLevel::kError, "e", {{"a", "b"}, {"error", "c"}});
  EXPECT_TRUE(error.starts_with("E1114 ")) << error;
  EXPECT_TRUE(error.ends_with("] \"e\" err=\"c\" a=\"b\"\n"))
      << "the reason of an error comes first: " << error;
}

TEST(LogTest, JsonLinesAreUpstreams) {
  const std::string line =
      Format(LogFormat::kJson, LogLevel::kInfo, "it \"broke\"", {{"code", 500}, {"path", "/a"}}, 3);
  const std::regex form(
      R"re(\{"ts":1700000000042\.5,"caller":"base/log_test\.cc:\d+","msg":"it \\"broke\\"","v":3,"code":500,"path":"/a"\}\n)re");
  EXPECT_TRUE(std::regex_match(line, form)) << line;
  EXPECT_TRUE(Format(LogFormat::kJson, LogLevel::kError, "e", {{"why", "c"}, {"a", "b"}})
                  .ends_with(R"("msg":"e","a":"b","err":"c"})"
                             "\n"));
}

TEST(LogTest, InvalidUtf8IsReplacedAndValidKept) {
  const std::string line =
      Format(LogFormat::kJson, LogLevel::kInfo, "m", {{"v", "\xC3\xA9\xFF\xED\xA0\x80"}});
  EXPECT_NE(line.find("\"v\":\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""),
            std::string::npos)
      << line;
}

TEST(LogTest, LinesAboveTheVerbosityAreNotWritten) {
  ConfigureLog({.verbosity = 2});
  ::testing::internal::CaptureStderr();
  LogV(3, "quiet");
  Log(LogLevel::kDebug, "quiet as well");
  LogV(2, "loud");
  Log(LogLevel::kInfo, "as loud");
  EXPECT_FALSE(LogEnabled(3));
  SetLogVerbosity(kDebugVerbosity);
  Log(LogLevel::kDebug, "of late");
  LogErrorsOnly();
  Log(LogLevel::kWarning, "not a word");
  Log(LogLevel::kError, "but this");
  const std::string out = ::testing::internal::GetCapturedStderr();
  ConfigureLog({});
  EXPECT_FALSE(out.contains("quiet")) << out;
  EXPECT_FALSE(out.contains("not a word")) << out;
  for (const char* const written : {" loud", "as loud", "of late", "but this"})
    EXPECT_TRUE(out.contains(written)) << written << ": " << out;
}

TEST(LogTest, AFileCanHaveAVerbosityOfItsOwn) {
  for (const char* const pattern : {"log_test", "log_*", "l?g_test", "[k-m]og_test", "other=1,log_test"}) {
    auto files = ParseFileVerbosities(std::string(pattern) + "=5");
    ASSERT_TRUE(files) << pattern;
    ConfigureLog({.files = *std::move(files)});
    EXPECT_TRUE(LogEnabled(5)) << pattern;
    EXPECT_FALSE(LogEnabled(6)) << pattern;
    SetLogVerbosity(7);
    EXPECT_TRUE(LogEnabled(7)) << "the verbosity of all counts, too";
  }
  ConfigureLog({.verbosity = 1, .files = {{.pattern = "another", .verbosity = 9}}});
  EXPECT_FALSE(LogEnabled(2));
  EXPECT_TRUE(LogEnabled(1));
  ConfigureLog({});
}

TEST(LogTest, VerbositiesOfFilesAreReadAsUpstreamDoes) {
  const auto files = ParseFileVerbosities("a=1,,b*=20");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[1].pattern, "b*");
  EXPECT_EQ((*files)[1].verbosity, 20);
  EXPECT_TRUE(ParseFileVerbosities("")->empty());
  for (const char* const wrong : {"a", "=1", "a=", "a=1=2"})
    EXPECT_EQ(ParseFileVerbosities(wrong).error(),
              '"' + std::string(wrong) + "\" does not have the pattern=N format");
  EXPECT_EQ(ParseFileVerbosities("a=x").error(),
            "parsing verbosity in \"a=x\": strconv.ParseUint: parsing \"x\": invalid syntax");
  EXPECT_EQ(ParseFileVerbosities("a=-1").error(),
            "parsing verbosity in \"a=-1\": strconv.ParseUint: parsing \"-1\": invalid syntax");
  EXPECT_EQ(
      ParseFileVerbosities("a=2147483648").error(),
      "parsing verbosity in \"a=2147483648\": strconv.ParseUint: parsing \"2147483648\": value out of range");
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
    LogWriter writer({.errors = pipe.writing_end()});
    for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, "line", {{"v", value}});
    const uint64_t dropped = LogLinesDropped() - dropped_before;
    EXPECT_GT(dropped, 0U);
    // How many were dropped is told after each batch that was taken.
    constexpr std::string_view kTold = "dropped: their reader took none for a while lines=";
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
    LogWriter writer({.errors = pipe.writing_end()});
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

// What has come through a pipe.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int writing_end() const { return ends_[1]; }
  std::string Read(int timeout_ms) {
    pollfd readable{.fd = ends_[0], .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, timeout_ms) <= 0) return "";
    char buf[65536];
    const ssize_t n = ::read(ends_[0], buf, sizeof buf);
    return std::string(buf, n > 0 ? static_cast<size_t>(n) : 0);
  }

 private:
  int ends_[2] = {-1, -1};
};
constexpr int kLong = 30'000, kAtOnce = 0;

TEST(LogWriterTest, WhatWentWrongCanHaveAStreamOfItsOwn) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    Pipe errors, info;
    ConfigureLog({.format = format});
    {
      LogWriter writer({.errors = errors.writing_end(), .info = info.writing_end()});
      Log(LogLevel::kInfo, "as usual");
      Log(LogLevel::kWarning, "strange");
      Log(LogLevel::kError, "broken");
    }
    ConfigureLog({});
    const std::string wrong = errors.Read(kLong), rest = info.Read(kLong);
    EXPECT_TRUE(wrong.contains("broken")) << wrong;
    EXPECT_TRUE(rest.contains("as usual")) << rest;
    EXPECT_FALSE(wrong.contains("as usual")) << wrong;
    EXPECT_FALSE(rest.contains("broken")) << rest;
    EXPECT_TRUE((format == LogFormat::kJson ? rest : wrong).contains("strange"))
        << "upstream's loggers differ";
  }
}

TEST(LogWriterTest, LinesAreGatheredUntilTheBufferIsFullOrTheTimeIsOver) {
  Pipe errors, info;
  {
    LogWriter writer({.errors = errors.writing_end(),
                      .info = info.writing_end(),
                      .info_buffer = 4096,
                      .flush_every = std::chrono::hours(1)});
    Log(LogLevel::kInfo, "gathered");
    Log(LogLevel::kError, "not gathered");
    EXPECT_TRUE(errors.Read(kLong).contains("not gathered"));
    EXPECT_EQ(info.Read(kAtOnce), "");
    Log(LogLevel::kInfo, std::string(4096, 'x'));
    EXPECT_TRUE(info.Read(kLong).contains("gathered"));
    Log(LogLevel::kInfo, "last words");
  }
  std::string rest;
  while (!rest.contains("last words")) rest += info.Read(kLong);
  {
    LogWriter writer({.errors = errors.writing_end(),
                      .info = info.writing_end(),
                      .info_buffer = 4096,
                      .flush_every = std::chrono::milliseconds(1)});
    Log(LogLevel::kInfo, "flushed");
    EXPECT_TRUE(info.Read(kLong).contains("flushed"));
  }
}

}  // namespace
}  // namespace keelson::base
