// ClientCall: one request of ours over HTTP/2, and its answer.
//
// Threads:   the loop's own.
// Lifetime:  shared by the session, as long as the stream is open, and by whoever has asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/slice.h"
#include "base/task.h"
#include "net/http/endable.h"
#include "net/http/headers.h"

namespace keelson::net::http2 {

class ClientSession;

class ClientCall final : public http::Endable, public std::enable_shared_from_this<ClientCall> {
 public:
  // Why there is no answer, or not all of it.
  struct Failure {
    std::string why;           // in the words of Go's client
    bool unprocessed = false;  // the server says that it has done nothing with the request
    // The connection had served another request, and ended with nothing having come since this one began.
    bool unheard = false;
  };

  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;

  // Resumes when the head of the answer has come; false: none will, see failure().
  base::Task<bool> Answered();
  // The head of the answer. Requires: it has come.
  int status() const { return status_; }
  http::Headers TakeHeaders() { return std::move(headers_); }
  std::optional<uint64_t> content_length() const { return content_length_; }

  // What has arrived of the answer's body and was not consumed. When much has, the server is held back.
  std::string_view input() const { return std::string_view(input_).substr(consumed_); }
  void Consume(size_t n);
  // All of the answer has arrived.
  bool ended() const { return ended_; }
  // Nothing more will arrive, and nothing more is sent.
  bool over() const { return session_ == nullptr; }
  const Failure& failure() const { return failure_; }
  // Called when there is more input, or the end.
  void set_on_input(std::function<void()> on_input) { on_input_ = std::move(on_input); }

  // The next piece of the request's body. Requires: what was given before is sent.
  void Send(base::Slice piece);
  // Resumes when the piece is sent, or the call is over.
  base::Task<void> Sent();
  // There are no more pieces. A body that is longer or shorter than was said before ends the call.
  void EndBody();

  // Tells the server that its answer is not wanted any more; other calls go on. Nothing if it is over.
  void Fail(std::string why) override;

 private:
  friend class ClientSession;
  friend struct ClientCallbacks;
  using Wait = std::optional<base::Completion<bool>>;

  ClientCall(ClientSession& session, std::shared_ptr<void> connection)
      : session_(&session), connection_(std::move(connection)) {}
  static void Notify(Wait& wait);
  void TellNews();

  ClientSession* session_;            // null: it is over
  std::shared_ptr<void> connection_;  // keeps the session alive until then
  int32_t id_ = 0;
  uint64_t heard_before_ = 0;  // by the session, when this began
  bool follows_others_ = false;

  int status_ = 0;
  http::Headers headers_;
  std::optional<uint64_t> content_length_;
  size_t head_bytes_ = 0;  // of all its heads
  int interim_heads_ = 0;
  bool answered_ = false, ended_ = false, reset_by_server_ = false;
  Failure failure_;
  std::string input_;
  size_t consumed_ = 0;  // of input_

  base::Slice piece_;                  // what is left of it
  std::optional<uint64_t> body_left_;  // besides it; nullopt: nobody knows
  bool body_ended_ = false;            // there is nothing besides piece_

  bool has_news_ = false;  // and is in the session's list
  std::function<void()> on_input_;
  Wait head_wait_, sent_wait_;
};

}  // namespace keelson::net::http2
