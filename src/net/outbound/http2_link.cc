#include "net/outbound/http2_link.h"

#include <utility>

namespace keelson::net::outbound {
namespace {

constexpr size_t kGatheredBytes = 64 * 1024;  // for one write
constexpr size_t kKeptCapacity = 16 * 1024;

}  // namespace

std::shared_ptr<Http2Link> Http2Link::Start(EventLoop& loop, std::shared_ptr<Link> link,
                                            std::chrono::nanoseconds idle_timeout) {
  std::shared_ptr<Http2Link> started(new Http2Link(loop, std::move(link), idle_timeout));
  started->link_->set_on_input([weak = std::weak_ptr(started)] {
    if (const auto self = weak.lock()) self->Receive();
  });
  started->WantSend();
  started->Receive();  // what has come before anybody listened
  return started;
}

Http2Link::Http2Link(EventLoop& loop, std::shared_ptr<Link> link, std::chrono::nanoseconds idle_timeout)
    : loop_(loop),
      link_(std::move(link)),
      idle_timeout_(idle_timeout),
      session_(loop.timers(), *this),
      idle_timer_(loop.timers(), [this] { OnIdleTimer(); }),
      idle_since_(loop.timers().now()) {
  idle_timer_.Start(idle_timeout_);
}

std::shared_ptr<http2::ClientCall> Http2Link::Begin(const http::ClientRequest& request,
                                                    std::optional<uint64_t> body_size) {
  busy_ = true;
  return session_.Begin(request, body_size, shared_from_this());
}

void Http2Link::Retire() {
  session_.Retire();
  WantSend();
}

void Http2Link::Receive() {
  if (closed_) return;
  if (const std::string_view input = link_->input(); !input.empty()) {
    session_.Receive(input);
    link_->Consume(input.size());
  }
  Settle();
}

// Frames of all calls of this turn go out together.
void Http2Link::WantSend() {
  if (closed_ || std::exchange(flush_posted_, true)) return;
  loop_.Post([self = shared_from_this()] {
    self->flush_posted_ = false;
    self->Flush();
  });
}

void Http2Link::Flush() {
  while (!closed_ && !link_->congested() && session_.WantsToSend()) {
    session_.Produce(frames_, kGatheredBytes);
    if (frames_.empty()) break;
    link_->Write(frames_);
    frames_.clear();
  }
  link_->Flush();
  if (frames_.capacity() > kKeptCapacity) std::string().swap(frames_);
  if (!closed_ && link_->congested() && !std::exchange(drain_awaited_, true))
    base::Spawn(FlushWhenDrained(shared_from_this()));
  Settle();
}

base::Task<void> Http2Link::FlushWhenDrained(std::shared_ptr<Http2Link> self) {
  co_await self->link_->Drained();
  self->drain_awaited_ = false;
  self->Flush();
}

void Http2Link::Settle() {
  if (closed_) return;
  if (link_->ended() || session_.finished()) return Close();
  if (!session_.idle()) return;
  if (session_.leaving()) return Close();
  if (!std::exchange(busy_, false)) return;
  idle_since_ = loop_.timers().now();
  if (!idle_timer_.armed()) idle_timer_.Start(idle_timeout_);
}

void Http2Link::OnIdleTimer() {
  if (closed_ || !session_.idle()) return;  // armed again when the last call has ended
  const Duration idle = loop_.timers().now() - idle_since_;
  if (idle < idle_timeout_) return idle_timer_.Start(idle_timeout_ - idle);
  const auto self = shared_from_this();
  session_.SayGoodbye();
  session_.Produce(frames_, kGatheredBytes);
  link_->Write(frames_);
  Close();
}

void Http2Link::Close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  idle_timer_.Cancel();
  link_->Close();
  session_.Abandon(link_->error());
}

}  // namespace keelson::net::outbound
