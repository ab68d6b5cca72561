// Client: calls to an etcd cluster over one connection at a time. When the connection is lost, or
// its member has no leader, it goes on with the next endpoint. Who is there must be admitted by the owner,
// who looks first whether it is still the same cluster; calls wait until then.
//
// Threads: the loop's own.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/slice.h"
#include "net/grpc/channel.h"

namespace keelson::storage::etcd3 {

// What may be sent again after an attempt whose outcome is not known.
enum class Repeat : uint8_t {
  kAlways,       // reads, and whatever else does no harm twice
  kUnprocessed,  // only if the server has certainly not begun with it
};

struct CallOptions {
  Repeat repeat = Repeat::kAlways;
  net::Duration wait = std::chrono::seconds(3);      // for a connection
  net::Duration timeout = std::chrono::seconds(10);  // all in all
  std::string trace_parent = {};                     // what it is a part of; empty: it is not told
};

class Client {
 public:
  using Answer = base::Result<base::Slice, net::grpc::Status>;
  using Done = std::move_only_function<void(Answer)>;
  struct Events {
    std::function<void()> on_up;  // connected: CallNow, then Admit or Leave
    std::function<void()> on_down;
  };

  // Begins to connect. Requires: at least one target.
  Client(net::EventLoop& loop, std::vector<net::grpc::Target> targets, Events events);
  ~Client();

  // From now on calls go out on this connection.
  void Admit();
  // A call on this connection as it is, admitted or not. Requires: it is up.
  void CallNow(std::string_view method, std::string_view message, net::Duration timeout, Done done);

  // One call, one answer.
  void Call(std::string_view method, std::string message, CallOptions options, Done done);

  // For streams: the connection; null while there is none.
  net::grpc::Channel* channel() { return admitted_ && channel_ && channel_->up() ? channel_.get() : nullptr; }

  // Leaves this member for the next endpoint.
  void Leave(const std::string& why);

  // The member answers as it should: after a loss it is worth trying again at once.
  void NoteWorking() {
    failures_ = 0;
    last_working_ = loop_.timers().now();
  }
  net::TimePoint last_working() const { return last_working_; }

  // Why there is no connection; empty when there is one, or none was tried in vain yet.
  const std::string& trouble() const { return trouble_; }

 private:
  struct PendingCall;
  using PendingCallPtr = std::shared_ptr<PendingCall>;

  void Connect();
  void OnUp();
  void OnDown(const std::string& why);
  void Submit(PendingCallPtr call);
  void Finish(const PendingCallPtr& call, base::Slice answer, net::grpc::Status status);
  void Retry(PendingCallPtr call);
  void GiveUpWaiting();

  net::EventLoop& loop_;
  const std::vector<net::grpc::Target> targets_;
  const Events events_;
  size_t target_ = 0;
  size_t failures_ = 0;  // connections in a row that came to nothing
  net::TimePoint last_working_;
  bool admitted_ = false;
  std::string trouble_;
  std::unique_ptr<net::grpc::Channel> channel_;
  std::deque<PendingCallPtr> waiting_;  // for a connection
  net::Timer connect_timer_, waiting_timer_;
  std::shared_ptr<Client*> alive_;
};

}  // namespace keelson::storage::etcd3
