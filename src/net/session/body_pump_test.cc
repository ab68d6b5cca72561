#include "net/session/body_pump.h"

#include <gtest/gtest.h>

namespace keelson::net {
namespace {

using http::BodySource;
using State = BodySource::State;

class Scripted final : public BodySource {
 public:
  struct Step {
    std::vector<std::string> gives;
    State state;
    bool wakes = false;  // calls Wake from inside Next
  };
  explicit Scripted(std::vector<Step> steps) : steps_(std::move(steps)) {}
  State Next(size_t, std::vector<base::Slice>& out) override {
    ++asked;
    Step& step = steps_.at(at_++);
    for (auto& s : step.gives) out.push_back(base::Slice::Copy(s));
    if (step.wakes) Wake();
    return step.state;
  }
  void WakeNow() { Wake(); }
  int asked = 0;

 private:
  std::vector<Step> steps_;
  size_t at_ = 0;
};

class StringSink final : public Sink {
 public:
  void Append(std::string_view bytes) override { text += bytes; }
  std::string text;
};

class BodyPumpTest : public ::testing::Test {
 protected:
  Scripted* Start(std::vector<Scripted::Step> steps) {
    auto source = std::make_unique<Scripted>(std::move(steps));
    Scripted* raw = source.get();
    pump.Start(std::move(source), [this] { ++wakes; });
    return raw;
  }
  std::string Take(size_t n) {
    StringSink sink;
    pump.Take(n, sink);
    return sink.text;
  }
  BodyPump pump;
  int wakes = 0;
};

TEST_F(BodyPumpTest, AsksUntilThereIsEnough) {
  Scripted* source = Start({{{"ab", "cd"}, State::kMore}, {{"ef"}, State::kMore}, {{"gh"}, State::kEnd}});
  pump.Fill(5);
  EXPECT_EQ(source->asked, 2);
  EXPECT_EQ(pump.queued(), 6u);
  EXPECT_EQ(Take(3), "abc");
  pump.Fill(5);
  EXPECT_TRUE(pump.source_ended());
  EXPECT_EQ(Take(5), "defgh");
  EXPECT_TRUE(pump.finished());
}

TEST_F(BodyPumpTest, ASleepingSourceIsAskedAgainWhenItWakes) {
  Scripted* source = Start({{{}, State::kSleep}, {{"x"}, State::kSleep}});
  pump.Fill(10);
  EXPECT_TRUE(pump.sleeping());
  pump.Fill(10);
  EXPECT_EQ(source->asked, 1);
  source->WakeNow();
  source->WakeNow();
  EXPECT_EQ(wakes, 1);
  pump.Fill(10);
  EXPECT_EQ(Take(1), "x");
  EXPECT_TRUE(pump.sleeping());
}

TEST_F(BodyPumpTest, AWakeDuringNextIsNotLost) {
  Scripted* source = Start({{{}, State::kSleep, true}, {{"x"}, State::kEnd}});
  pump.Fill(10);
  EXPECT_FALSE(pump.sleeping());
  EXPECT_EQ(pump.queued(), 0u);
  EXPECT_EQ(source->asked, 1);
  pump.Fill(10);
  EXPECT_EQ(Take(1), "x");
}

TEST_F(BodyPumpTest, ManySmallSlicesPassThrough) {
  std::vector<Scripted::Step> steps;
  for (int i = 0; i < 1000; ++i) steps.push_back({{"", "ab", ""}, State::kMore});
  steps.push_back({{}, State::kEnd});
  Start(std::move(steps));
  std::string all;
  while (!pump.finished()) {
    pump.Fill(301);
    all += Take(std::min<size_t>(pump.queued(), 101));
  }
  EXPECT_EQ(all.size(), 2000u);
}

TEST_F(BodyPumpTest, AWakeAfterTheEndIsIgnored) {
  Scripted* source = Start({{{"x"}, State::kEnd}});
  pump.Fill(1);
  source->WakeNow();
  EXPECT_EQ(wakes, 0);
}

}  // namespace
}  // namespace keelson::net
