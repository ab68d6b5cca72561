// HeadBudget: the memory that the heads of requests take, unfinished ones included. A client can send
// a head of a megabyte in a few bytes (HPACK), keep it unfinished, or keep its request waiting.
//
// Every head of up to kSmallHead bytes is free, so ordinary requests are served whatever others hold.
// What is above that counts against the budget of the connection and against that of the loop.
//
// Threads: one loop.
#pragma once

#include <cstddef>
#include <utility>

namespace keelson::net {

inline constexpr size_t kSmallHead = 4096;
inline constexpr size_t kConnectionHeads = 2;  // heads of the greatest size that one connection may hold
inline constexpr size_t kFieldMemory = 96;     // what a field takes beside its bytes

class HeadBudget {
 public:
  explicit HeadBudget(size_t limit_bytes) : limit_(limit_bytes) {}
  bool Take(size_t bytes) {
    if (bytes > limit_ - held_) return false;
    held_ += bytes;
    return true;
  }
  void GiveBack(size_t bytes) { held_ -= bytes; }
  size_t held() const { return held_; }

 private:
  const size_t limit_;
  size_t held_ = 0;
};

// What one head has taken of the budgets; gives it back when it goes.
class HeadCharge {
 public:
  HeadCharge() = default;
  // Requires: `loop` outlives the charge, `connection` until LeaveConnection or Release.
  HeadCharge(HeadBudget& connection, HeadBudget& loop) : connection_(&connection), loop_(&loop) {}
  HeadCharge(HeadCharge&& o) noexcept { Swap(o); }
  HeadCharge& operator=(HeadCharge&& o) noexcept {
    Swap(o);
    return *this;
  }
  ~HeadCharge() { Release(); }

  // The head takes `bytes` now, in all. False: there is no room for it.
  bool Grow(size_t bytes) {
    if (bytes <= kSmallHead + held_) return true;
    const size_t more = bytes - kSmallHead - held_;
    if (!connection_->Take(more)) return false;
    if (!loop_->Take(more)) {
      connection_->GiveBack(more);
      return false;
    }
    held_ += more;
    return true;
  }
  // The connection ends while somebody still works on the request.
  void LeaveConnection() {
    if (connection_) connection_->GiveBack(held_);
    connection_ = nullptr;
  }
  void Release() {
    LeaveConnection();
    if (loop_) loop_->GiveBack(held_);
    loop_ = nullptr;
    held_ = 0;
  }

 private:
  void Swap(HeadCharge& o) noexcept {
    std::swap(connection_, o.connection_);
    std::swap(loop_, o.loop_);
    std::swap(held_, o.held_);
  }

  HeadBudget* connection_ = nullptr;
  HeadBudget* loop_ = nullptr;
  size_t held_ = 0;
};

}  // namespace keelson::net
