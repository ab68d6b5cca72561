// Exchange: one request and its response, shared by the session that carries it and the
// handler that works on it. Either may be done first: a client that goes away leaves the
// handler running with nobody to answer, and what it returns is dropped.
//
// Threads: everything on one loop.
#pragma once

#include <coroutine>
#include <functional>
#include <optional>

#include "base/intrusive_ptr.h"
#include "base/slice.h"
#include "net/http/message.h"
#include "net/session/body_pump.h"
#include "net/session/session.h"

namespace keelson::net {

class Exchange final : public base::RefCounted<Exchange>, public http::BodyReader {
 public:
  // The session that carries the exchange. None of these may destroy it.
  class Owner {
   public:
    virtual void OnResponse(Exchange& exchange, http::Response response) = 0;
    // The handler waits for the body, for the first time.
    virtual void OnFirstWait(Exchange& exchange) = 0;
    // The handler took `bytes` of the body.
    virtual void OnConsumed(Exchange& exchange, size_t bytes) = 0;

   protected:
    ~Owner() = default;
  };

  Exchange(SessionContext& context, Owner& owner, int32_t id) : id(id), context_(context), owner_(&owner) {
    request.body = this;
  }

  const int32_t id;   // the HTTP/2 stream
  uint32_t slot = 0;  // where the owner keeps it
  http::Request request;
  int refusal = 0;  // not 0: the head was not kept, and this is the answer
  HeadCharge head;  // what the request's head takes; given back when the handler has answered
  BodyPump pump;
  TimePoint progressed{};  // since when `moved` is counted
  size_t moved = 0;        // bytes of the response

  // Calls the handler. Requires: the request is filled in; called once.
  void Start();

  // The body as it arrives.
  void set_size(uint64_t bytes) { size_ = bytes; }
  void Deliver(std::string_view bytes);
  void DeliverEnd();
  // The request became a connection of its own: more arrives, after any silence.
  void Reopen();
  bool body_ended() const { return ended_; }
  size_t unread() const { return arrived_.size(); }

  // The owner is done with it: a waiting reader learns that the client is gone, the
  // response's source is destroyed.
  void Abandon();
  bool abandoned() const { return owner_ == nullptr; }
  // The handler was called; it has returned.
  bool started() const { return started_; }
  bool answered() const { return answered_; }

  base::Task<base::Result<std::optional<base::Slice>, http::BodyError>> Read() override;
  std::optional<uint64_t> Size() const override { return size_; }
  void Expire() override;
  void WhenGone(std::function<void()> gone) override;

 private:
  class Arrival;  // waits until there is something to read
  static base::Task<void> Run(base::IntrusivePtr<Exchange> self);
  bool Readable() const { return arrived_.size() > 0 || ended_ || failed_; }
  void ResumeReader();
  void TellGone();

  SessionContext& context_;
  Owner* owner_;  // null: abandoned
  base::BufferBuilder arrived_;
  std::optional<uint64_t> size_;
  std::optional<http::BodyError> failed_;
  std::coroutine_handle<> reader_;  // suspended in Read
  std::function<void()> gone_;      // told when it is abandoned
  bool ended_ = false;
  bool waited_ = false;
  bool started_ = false;
  bool answered_ = false;
  bool reopened_ = false;
};

using ExchangePtr = base::IntrusivePtr<Exchange>;

}  // namespace keelson::net
