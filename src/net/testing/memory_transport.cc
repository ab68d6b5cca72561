#include "net/testing/memory_transport.h"

namespace keelson::net::testing {
namespace {
constexpr size_t kKeptBytes = 1 << 20;
constexpr int kMaxTurns = 10'000;  // a body without end stops here
}  // namespace

void ManualExecutor::Run(const std::function<void()>& work) {
  Executor* const before = Current();
  SetCurrent(this);
  work();
  while (!queue_.empty()) {
    Work next = std::move(queue_.front());
    queue_.pop_front();
    next();
  }
  SetCurrent(before);
}

MemoryTransport::MemoryTransport(const ServerConfig& config, http::Handler& handler, MakeSession make)
    : context_{executor_, timers_, config, handler} {
  auto info = std::make_shared<http::ConnectionInfo>();
  info->remote_address = "192.0.2.1";
  executor_.Run([&] { session_ = make(context_, *this, std::move(info)); });
}

MemoryTransport::~MemoryTransport() { Disconnect(); }

void MemoryTransport::Disconnect() {
  executor_.Run([&] { session_.reset(); });
}

void MemoryTransport::Append(std::string_view bytes) {
  sent_.append(bytes.substr(0, kKeptBytes - std::min(kKeptBytes, sent_.size())));
}

void MemoryTransport::Feed(std::string_view bytes) {
  if (!session_) return;
  held_back_.append(bytes);
  Settle();
}

void MemoryTransport::Settle() {
  bool moving = true;
  for (int turn = 0; moving && turn < kMaxTurns; ++turn) {
    moving = false;
    executor_.Run([&] {
      if (!held_back_.empty() && session_->CanReceive()) {
        const std::string bytes = std::exchange(held_back_, {});
        session_->Receive(bytes);
        moving = true;
      }
      moving = session_->Produce(*this, 64 * 1024) || moving;
    });
  }
  // What the last work of the executor made ready.
  executor_.Run([&] { session_->Produce(*this, 64 * 1024); });
}

void MemoryTransport::Advance(Duration by) {
  executor_.Run([&] { timers_.Advance(timers_.now() + by); });
  if (session_) Settle();
}

void MemoryTransport::Drain() {
  if (!session_) return;
  executor_.Run([&] { session_->Drain(); });
  Settle();
}

}  // namespace keelson::net::testing
