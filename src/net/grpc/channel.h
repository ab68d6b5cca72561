// Channel: one HTTP/2 connection to a gRPC server, and the calls on it. Bytes in, bytes out:
// what messages mean is the caller's business.
//
// Threads:   the loop's own.
// Lifetime:  a channel that has gone down stays down; make another. It must not be destroyed from
//            within its own callbacks: post that to the loop, as EventLoop asks of every handler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/slice.h"
#include "net/grpc/message_reader.h"
#include "net/grpc/status.h"
#include "net/loop/event_loop.h"
#include "net/tls/stream.h"

struct nghttp2_session;

namespace keelson::net::grpc {

struct Target {
  std::string host;  // a name, an IPv4 or an IPv6 address without brackets
  uint16_t port = 0;
  const tls::ClientContext* tls = nullptr;  // null: without TLS. Must outlive the channel.
  // Not empty: a socket on this machine instead of host and port; "@name": an abstract one.
  std::string unix_path;

  // As it is shown, and as calls name the server.
  std::string Show() const { return unix_path.empty() ? host + ":" + std::to_string(port) : unix_path; }
  std::string Authority() const { return unix_path.empty() ? Show() : "localhost"; }
};

struct ChannelOptions {
  Duration connect_timeout = std::chrono::seconds(5);  // until TLS and all is done
  // A ping after so long, while calls are open; without an answer in time the channel is down.
  Duration keepalive_time = std::chrono::seconds(30);
  Duration keepalive_timeout = std::chrono::seconds(10);
};

class Channel final : private FdHandler {
 public:
  using CallId = int32_t;
  using Metadata = std::vector<std::pair<std::string_view, std::string_view>>;

  // What the owner of the channel is told.
  struct Events {
    std::function<void()> on_up;                          // calls may begin
    std::function<void(const std::string& why)> on_down;  // after every call has ended
  };
  // What the maker of a call is told; `on_end` is the last.
  struct CallEvents {
    std::move_only_function<void(base::Slice message)> on_message;
    std::move_only_function<void(Status status)> on_end;
  };

  // Begins to connect. Resolving a host name blocks the loop; an address does not.
  Channel(EventLoop& loop, Target target, ChannelOptions options, Events events);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  bool up() const { return phase_ == Phase::kUp; }

  // A call with one message, which ends our side of it. `timeout` is the longest time until
  // the call's end. Requires: up().
  CallId Call(std::string_view path, std::string_view message, Duration timeout, CallEvents events,
              const Metadata& metadata = {});
  // A call that goes on: Send adds messages to it. Requires: up().
  CallId Open(std::string_view path, const Metadata& metadata, CallEvents events);
  void Send(CallId call, std::string_view message);
  // Ends the call; nothing more is heard of it.
  void Cancel(CallId call);

  // Ends all calls and the connection: the channel is down.
  void Close(std::string why) { GoDown(std::move(why)); }

 private:
  friend struct ChannelCallbacks;
  enum class Phase : uint8_t { kConnecting, kHandshake, kUp, kDown };
  struct CallState;

  void OnEvents(uint32_t events) override;
  bool Connect();
  bool ConnectUnix();
  bool Handshake();
  void StartSession();
  bool Receive();
  bool Decrypt(std::string_view input);
  bool Accept(std::string_view bytes);
  void ScheduleFlush();
  bool Flush();
  bool Write();
  CallId Begin(std::string_view path, const Metadata& metadata, CallEvents events, std::string body,
               bool open);
  void End(CallId call, Status status);
  void KeepAlive();
  void GoDown(std::string why);

  EventLoop& loop_;
  const Target target_;
  const ChannelOptions options_;
  const Events events_;
  Phase phase_ = Phase::kConnecting;
  int fd_ = -1;
  std::optional<tls::Stream> tls_;
  nghttp2_session* session_ = nullptr;
  bool going_away_ = false;
  std::unordered_map<CallId, std::unique_ptr<CallState>> calls_;
  tls::PageShiftedBuffer outgoing_;  // for the socket
  size_t sent_ = 0;                  // of outgoing_
  std::string frames_;               // to be encrypted; kept for its capacity
  bool flush_posted_ = false;
  bool ping_unanswered_ = false;
  std::unique_ptr<char[]> received_;
  Timer connect_timer_, keepalive_timer_;
  std::shared_ptr<Channel*> alive_;  // for work posted to the loop: null once this is gone
};

}  // namespace keelson::net::grpc
