#include "storage/etcd3/client.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace keelson::storage::etcd3 {
namespace {

using net::Duration;
using net::TimePoint;
using net::grpc::Channel;
using Rpc = net::grpc::Code;
using net::grpc::Status;
using std::chrono::milliseconds;

constexpr milliseconds kWaitingCheck{100};
constexpr milliseconds kRetryPause{100};
constexpr milliseconds kLongestConnectPause{1000};
// A single endpoint of several must not hold up the search for long.
constexpr std::chrono::seconds kConnectTimeout{3};

}  // namespace

struct Client::PendingCall {
  std::string_view method;  // a constant
  std::string message;
  CallOptions options;
  Done done;
  TimePoint deadline, wait_until;
};

Client::Client(net::EventLoop& loop, std::vector<net::grpc::Target> targets, Events events)
    : loop_(loop),
      targets_(std::move(targets)),
      events_(std::move(events)),
      connect_timer_(loop.timers(), [this] { Connect(); }),
      waiting_timer_(loop.timers(), [this] { GiveUpWaiting(); }),
      alive_(std::make_shared<Client*>(this)) {
  Connect();
}

Client::~Client() { *alive_ = nullptr; }

void Client::Connect() {
  channel_ = std::make_unique<Channel>(
      loop_, targets_[target_], net::grpc::ChannelOptions{.connect_timeout = kConnectTimeout},
      Channel::Events{.on_up = [this] { OnUp(); },
                      .on_down = [this](const std::string& why) { OnDown(why); }});
}

void Client::OnUp() { events_.on_up(); }

void Client::Admit() {
  if (admitted_ || !channel_ || !channel_->up()) return;
  if (!trouble_.empty())
    base::Log(base::LogLevel::kInfo, "connected to etcd", {{"endpoint", targets_[target_].Show()}});
  trouble_.clear();
  admitted_ = true;
  auto waiting = std::exchange(waiting_, {});
  for (PendingCallPtr& call : waiting) Submit(std::move(call));
}

void Client::OnDown(const std::string& why) {
  trouble_ = targets_[target_].Show() + ": " + why;
  if (failures_ == 0) base::Log(base::LogLevel::kWarning, "no connection to etcd", {{"why", trouble_}});
  admitted_ = false;
  events_.on_down();
  // The channel is up the stack.
  loop_.Post([gone = std::move(channel_)] {});
  target_ = (target_ + 1) % targets_.size();
  ++failures_;
  // At once while there is an endpoint not yet tried.
  Duration pause{0};
  if (failures_ > targets_.size())
    pause = std::min<Duration>(kRetryPause * static_cast<int64_t>(failures_ - targets_.size()),
                               kLongestConnectPause);
  connect_timer_.Start(pause);
}

void Client::Leave(const std::string& why) {
  if (channel_) channel_->Close(why);
}

void Client::Call(std::string_view method, std::string message, CallOptions options, Done done) {
  auto call = std::make_shared<PendingCall>();
  call->method = method;
  call->message = std::move(message);
  call->options = std::move(options);
  call->done = std::move(done);
  const TimePoint now = std::chrono::steady_clock::now();
  call->deadline = now + call->options.timeout;
  call->wait_until = now + std::min(call->options.wait, call->options.timeout);
  Submit(std::move(call));
}

void Client::CallNow(std::string_view method, std::string_view message, Duration timeout, Done done) {
  auto answer = std::make_shared<base::Slice>();
  channel_->Call(method, message, timeout,
                 {.on_message = [answer](base::Slice received) { *answer = std::move(received); },
                  .on_end =
                      [answer, done = std::move(done)](Status status) mutable {
                        if (status.ok()) return done(std::move(*answer));
                        done(base::Err(std::move(status)));
                      }});
}

void Client::Submit(PendingCallPtr call) {
  Channel* const up = channel();
  if (!up) {
    waiting_.push_back(std::move(call));
    if (!waiting_timer_.armed()) waiting_timer_.Start(kWaitingCheck);
    return;
  }
  const Duration left =
      std::max<Duration>(call->deadline - std::chrono::steady_clock::now(), milliseconds(1));
  auto answer = std::make_shared<base::Slice>();
  PendingCall& r = *call;
  Channel::Metadata metadata;
  if (!r.options.trace_parent.empty()) metadata.emplace_back("traceparent", r.options.trace_parent);
  up->Call(r.method, r.message, left,
           {.on_message = [answer](base::Slice message) { *answer = std::move(message); },
            .on_end = [this, call = std::move(call),
                       answer](Status status) { Finish(call, std::move(*answer), std::move(status)); }},
           metadata);
}

void Client::Finish(const PendingCallPtr& call, base::Slice answer, Status status) {
  if (status.ok()) {
    NoteWorking();
    return call->done(std::move(answer));
  }
  const bool passing = status.code == Rpc::kUnavailable;
  const bool repeat = status.unprocessed || (passing && call->options.repeat == Repeat::kAlways);
  if (repeat && std::chrono::steady_clock::now() + kRetryPause < call->deadline) return Retry(call);
  call->done(base::Err(std::move(status)));
}

void Client::Retry(PendingCallPtr call) {
  call->wait_until = std::min(call->deadline, std::chrono::steady_clock::now() + call->options.wait);
  loop_.PostAfter(kRetryPause, [alive = alive_, call = std::move(call)] {
    if (*alive) (*alive)->Submit(call);
  });
}

void Client::GiveUpWaiting() {
  const TimePoint now = std::chrono::steady_clock::now();
  std::vector<PendingCallPtr> late;
  std::erase_if(waiting_, [&](PendingCallPtr& call) {
    if (call->wait_until > now) return false;
    late.push_back(std::move(call));
    return true;
  });
  if (!waiting_.empty()) waiting_timer_.Start(kWaitingCheck);
  for (const PendingCallPtr& call : late)
    call->done(base::Err(Status{.code = Rpc::kUnavailable,
                                .message = trouble_.empty() ? "no connection to etcd yet" : trouble_,
                                .unprocessed = true}));
}

}  // namespace keelson::storage::etcd3
