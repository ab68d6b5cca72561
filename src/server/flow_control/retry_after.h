// RetryAfter: how many seconds clients that are turned away should stay away.
//
// It doubles, to 32 at most, when three or more requests a second were turned away over its own length of
// time, and falls by one when fewer than one a second were. It is looked at when a request is turned away in
// a new second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace keelson::server::flow_control {

// Threads: one at a time.
class RetryAfter {
 public:
  // One more was turned away at `now`, in Unix seconds. Gives what to tell it.
  int64_t Drop(int64_t now) {
    if (now == current_.second) {
      ++current_.drops;
      return seconds_;
    }
    Remember(current_);
    current_ = {now, 1};
    Adjust(now);
    return seconds_;
  }

 private:
  static constexpr int64_t kMaxSeconds = 32;
  struct Second {
    int64_t second = 0;
    int64_t drops = 0;
  };

  void Remember(Second last) {
    history_.push_back(last);
    const int64_t kept = std::min(2 * seconds_, kMaxSeconds);
    while (last.second - history_.front().second > kept) history_.pop_front();
  }

  void Adjust(int64_t now) {
    int64_t drops = 0;
    for (auto it = history_.rbegin(); it != history_.rend() && now - it->second <= seconds_; ++it)
      if (it->second < now) drops += it->drops;
    if (now - raised_at_ >= seconds_ && drops >= 3 * seconds_) {
      seconds_ = std::min(2 * seconds_, kMaxSeconds);
      raised_at_ = now;
    } else if (drops < seconds_ && seconds_ > 1) {
      --seconds_;
    }
  }

  std::deque<Second> history_;
  Second current_;
  int64_t seconds_ = 1, raised_at_ = 0;
};

}  // namespace keelson::server::flow_control
