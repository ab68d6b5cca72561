#include "storage/encryption/kms/connection.h"

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

namespace keelson::storage::encryption::kms {
namespace {

using net::grpc::Channel;
using net::grpc::Status;
using std::chrono::milliseconds;

constexpr milliseconds kConnectPause{200};
constexpr milliseconds kWaitingCheck{100};

// As Go's client shows it.
std::string Show(const Status& status) {
  static constexpr const char* kNames[] = {
      "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
      "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
      "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
      "DataLoss", "Unauthenticated"};
  const auto code = static_cast<size_t>(status.code);
  return "rpc error: code = " +
         (code < std::size(kNames) ? std::string(kNames[code]) : "Code(" + std::to_string(code) + ")") +
         " desc = " + status.message;
}

}  // namespace

Connection::Connection(net::EventLoop& loop, std::string socket, net::Duration timeout)
    : loop_(loop),
      target_{.unix_path = std::move(socket)},
      timeout_(timeout),
      connect_timer_(loop.timers(), [this] { Connect(); }),
      waiting_timer_(loop.timers(), [this] { GiveUpWaiting(); }) {}

Connection::~Connection() = default;

void Connection::Connect() {
  channel_ =
      std::make_unique<Channel>(loop_, target_, net::grpc::ChannelOptions{.connect_timeout = timeout_},
                                Channel::Events{.on_up = [this] { OnUp(); },
                                                .on_down = [this](const std::string& why) { OnDown(why); }});
}

void Connection::OnUp() {
  trouble_.clear();
  auto waiting = std::exchange(waiting_, {});
  for (PendingCall& call : waiting) Submit(std::move(call));
}

void Connection::OnDown(const std::string& why) {
  trouble_ = target_.Show() + ": " + why;
  // The channel is up the stack.
  loop_.Post([gone = std::move(channel_)] {});
  if (!waiting_.empty()) connect_timer_.Start(kConnectPause);
}

void Connection::Call(std::string_view method, std::string message, Done done) {
  Submit({.method = method,
          .message = std::move(message),
          .done = std::move(done),
          .deadline = std::chrono::steady_clock::now() + timeout_});
}

void Connection::Submit(PendingCall call) {
  if (!channel_ || !channel_->up()) {
    waiting_.push_back(std::move(call));
    if (!waiting_timer_.armed()) waiting_timer_.Start(kWaitingCheck);
    if (!channel_ && !connect_timer_.armed()) Connect();
    return;
  }
  const net::Duration left =
      std::max<net::Duration>(call.deadline - std::chrono::steady_clock::now(), milliseconds(1));
  auto answer = std::make_shared<base::Slice>();
  channel_->Call(call.method, call.message, left,
                 {.on_message = [answer](base::Slice message) { *answer = std::move(message); },
                  .on_end =
                      [done = std::move(call.done), answer](Status status) mutable {
                        if (status.ok()) return done(std::move(*answer));
                        done(base::Err(Show(status)));
                      }});
}

void Connection::GiveUpWaiting() {
  const net::TimePoint now = std::chrono::steady_clock::now();
  std::vector<PendingCall> late;
  std::erase_if(waiting_, [&](PendingCall& call) {
    if (call.deadline > now) return false;
    late.push_back(std::move(call));
    return true;
  });
  if (!waiting_.empty()) waiting_timer_.Start(kWaitingCheck);
  for (PendingCall& call : late)
    call.done(base::Err("no connection to the KMS plugin: " +
                        (trouble_.empty() ? "it does not answer" : trouble_)));
}

Connection::Answer Connection::Ask(std::string_view method, std::string message) {
  auto answer = std::make_shared<std::promise<Answer>>();
  auto future = answer->get_future();
  loop_.Post([this, method, message = std::move(message), answer = std::move(answer)]() mutable {
    Call(method, std::move(message), [answer](Answer a) { answer->set_value(std::move(a)); });
  });
  return future.get();
}

}  // namespace keelson::storage::encryption::kms
