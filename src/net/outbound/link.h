// Link: one connection that we made, with TLS or without: bytes in, bytes out.
//
// Threads:   the loop's own.
// Lifetime:  shared; whoever is the last to need it calls Close, and nobody may forget to.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "net/http/endable.h"
#include "net/loop/event_loop.h"
#include "net/outbound/address.h"
#include "net/tls/stream.h"

namespace keelson::net::outbound {

class Link final : public http::Endable, public std::enable_shared_from_this<Link>, private FdHandler {
 public:
  // Whom TLS is spoken with, and what within it.
  struct Peer {
    const tls::ClientContext* tls = nullptr;  // null: without. Must outlive the handshake.
    std::string name;    // that it must have a certificate for, if the context asks for one
    bool http2 = false;  // it may choose HTTP/2
  };

  // Begins to connect.
  static std::shared_ptr<Link> Open(EventLoop& loop, Address address, Peer peer,
                                    std::chrono::nanoseconds connect_timeout);
  // Resumes when the connection can be used; false: it cannot, see error().
  base::Task<bool> Opened();
  // Speaks TLS with whom the peer, a proxy, has connected us to, within what is spoken with the peer. Resumes
  // when that can be used; false: it cannot, see error(). Requires: it is open, and this was not called
  // before.
  base::Task<bool> Secure(Peer peer);
  // The peer has chosen HTTP/2.
  bool chose_http2() const;
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // What has arrived and was not consumed. When much has, the peer is held back.
  std::string_view input() const { return std::string_view(input_).substr(consumed_); }
  void Consume(size_t n);
  // Nothing more will arrive.
  bool ended() const { return phase_ == Phase::kClosed || input_ended_; }
  // The peer itself ended what it sent, and that is known: the connection did not break.
  bool ended_cleanly() const { return input_ended_; }
  // Called when there is more input, or the end.
  void set_on_input(std::function<void()> on_input) { on_input_ = std::move(on_input); }
  // Resumes when there is more than `known` bytes of input, or the end.
  base::Task<void> MoreInput(size_t known);

  // Sends `bytes` at the end of the turn, after all that others write in it: a peer that the first send wakes
  // finds the rest there, and does not take the processor from the loop in between.
  void Write(std::string_view bytes);
  // Sends now what was written.
  void Flush();
  // Much was written that the peer has not taken yet.
  bool congested() const;
  // Resumes when the peer has taken nearly all that was written, or the link is closed.
  base::Task<void> Drained();

  // Drops what the socket does not take at once.
  void Close();
  // Closes it; the first reason given is its error.
  void Fail(std::string why) override;
  // In the words of Go's dialer; empty: nothing went wrong.
  const std::string& error() const { return error_; }

 private:
  enum class Phase : uint8_t { kConnecting, kHandshake, kOpen, kInnerHandshake, kClosed };
  using Wait = std::optional<base::Completion<bool>>;

  Link(EventLoop& loop, Address address, Peer peer, std::chrono::nanoseconds connect_timeout);
  void Connect();
  void OnEvents(uint32_t events) override;
  void FinishConnecting();
  std::string Ends() const;  // the two addresses, for errors; leaves errno alone
  void Receive(bool to_the_end);
  void Decrypt(std::string_view input);
  void DecryptInner(std::string_view input);
  void WriteToPeer(std::string_view bytes);
  void WriteInner();
  void Accept(std::string_view bytes);
  void Deliver(std::string_view bytes);
  void EndInput();
  static void Notify(Wait& wait);

  EventLoop& loop_;
  const Address address_;
  const Peer peer_;
  const std::chrono::nanoseconds connect_timeout_;
  Phase phase_ = Phase::kConnecting;
  int fd_ = -1;
  std::optional<tls::Stream> tls_;
  std::optional<tls::Stream> inner_;       // of Secure
  tls::PageShiftedBuffer inner_outgoing_;  // what it wants to be written
  std::string input_;
  size_t consumed_ = 0;  // of input_
  bool input_ended_ = false;
  bool held_back_ = false;  // the socket has more, which we do not want yet
  tls::PageShiftedBuffer outgoing_;
  size_t sent_ = 0;  // of outgoing_
  bool flush_posted_ = false;
  std::string error_;
  std::function<void()> on_input_;
  Wait opened_, more_input_, drained_;
  Timer connect_timer_;
};

}  // namespace keelson::net::outbound
