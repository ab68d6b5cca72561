// ClientSession: the client's end of HTTP/2 on one connection, framed by nghttp2: bytes in, bytes out, and
// the calls on it. What a server can make it hold or do is bounded: heads, interim answers, bodies that
// nobody reads, frames that say nothing.
//
// Threads:   the loop's own.
// Lifetime:  it is kept alive by its owner inside every call of its methods, and by its calls (see Begin).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "net/http/client.h"
#include "net/http2/client_call.h"
#include "net/loop/timers.h"
#include "net/session/token_bucket.h"

struct nghttp2_session;

namespace keelson::net::http2 {

class ClientSession {
 public:
  class Host {
   public:
    // Produce has something to give. Never calls back from within.
    virtual void WantSend() = 0;

   protected:
    ~Host() = default;
  };

  // Both must outlive the session.
  ClientSession(Timers& timers, Host& host);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // The server lets another call begin on this connection, and we may as well.
  bool CanBegin() const;
  // No call is under way.
  bool idle() const { return calls_.empty(); }
  // No call can begin any more.
  bool leaving() const { return retired_ || goaway_.has_value(); }

  // Begins a call. The request's body is left to the caller: `body_size` is how long it is, nullopt: nobody
  // knows. `connection` keeps the session alive until the call is over. Where none can begin any more, it is
  // over from the start; where the server allows no further one now, it waits. Requires: the request's head
  // has nothing that a head may not have.
  std::shared_ptr<ClientCall> Begin(const http::ClientRequest& request, std::optional<uint64_t> body_size,
                                    std::shared_ptr<void> connection);

  void Receive(std::string_view bytes);
  // Appends what is to be sent, until `out` has about `limit` bytes.
  void Produce(std::string& out, size_t limit);
  // There is something to be sent.
  bool WantsToSend() const;
  // Nothing more can be received or sent; error() says why.
  bool finished() const;
  const std::string& error() const { return error_; }

  // No more calls begin.
  void Retire() { retired_ = true; }
  // Says goodbye to the server. Requires: idle().
  void SayGoodbye();
  // The connection is gone: all calls are over. `why` is in the words of Go's client; empty: the server has
  // ended it.
  void Abandon(const std::string& why);

 private:
  friend class ClientCall;
  friend struct ClientCallbacks;
  struct GoAway {
    int32_t last_stream = 0;
    uint32_t code = 0;
    std::string debug;
  };

  // Requests of calls to the session.
  void Resume(ClientCall& call);
  void Consumed(ClientCall& call, size_t n);
  void Cancel(ClientCall& call, std::string why);

  ClientCall* Find(int32_t id) const;
  // Callbacks of nghttp2.
  int AddField(ClientCall& call, std::string_view name, std::string_view value);
  void HeadComplete(ClientCall& call);
  void DataArrived(ClientCall& call, std::string_view bytes);
  void AnswerEnded(ClientCall& call);
  void IdleTalk();
  void StreamClosed(ClientCall& call, uint32_t code);
  void NotSent(ClientCall& call, int error);

  // Resets the stream and ends the call.
  void Reset(ClientCall& call, uint32_t code, ClientCall::Failure failure);
  void End(ClientCall& call, ClientCall::Failure failure);
  void AddNews(ClientCall& call);
  // Outside of nghttp2, as whoever is told may end calls.
  void TellNews();
  std::string WhyGone(const std::string& why) const;

  Timers& timers_;
  Host& host_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<int32_t, std::shared_ptr<ClientCall>> calls_;  // those that are not over
  std::vector<std::shared_ptr<ClientCall>> news_;                   // those that have something to tell
  TokenBucket idle_frames_;
  uint64_t heard_ = 0;     // bytes, of the server
  bool answered_ = false;  // at least one call
  bool settings_ = false;  // the server's have come
  bool retired_ = false, failed_ = false;
  std::optional<GoAway> goaway_;
  std::string error_;
  std::string* out_ = nullptr;  // inside Produce
  size_t limit_ = 0;
};

}  // namespace keelson::net::http2
