// Connection: one accepted socket, from the TLS handshake, if TLS is spoken, to the goodbye. Moves bytes
// between the socket, TLS and the session of the protocol agreed on.
//
// Threads: everything on the loop of its Worker.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "net/connection_table.h"
#include "net/fair_queue.h"
#include "net/loop/event_loop.h"
#include "net/session/session.h"
#include "net/tls/stream.h"

namespace keelson::net {

struct ConnectionMetrics {
  base::Gauge& open;
  base::Counter& handshake_errors;
  base::Counter& refused;
};

// One loop and what its connections share. Buffers are the loop's: a connection uses them
// within one call, so an idle one holds none.
struct Worker {
  // `workers`: how many share the limits of `config`. `tls` is null where none is spoken.
  Worker(const ServerConfig& config, size_t workers, std::shared_ptr<const tls::Context> tls,
         http::Handler& handler, ConnectionTotals& totals, ConnectionMetrics metrics);

  // Handshakes cost a thousand times what a small request does: a few are done per turn, and between them
  // requests are served. Networks share them evenly, see FairQueue and NetworkOf.
  void QueueHandshake(std::shared_ptr<Connection> connection);
  void PostHandshakes();
  void RunHandshakes();

  // Large answers are sent piece by piece, one connection after the other, and what is small goes before
  // them: in a turn of the loop they have one piece, or as much time as all else had. So a hundred lists at
  // once hold up a small request for a piece of one.
  void QueueLarge(std::shared_ptr<Connection> connection);
  void RunLarge();

  EventLoop loop;
  SessionContext sessions;
  std::shared_ptr<const tls::Context> tls;  // of connections to come; theirs stays with those there are
  ConnectionTotals& totals;
  ConnectionMetrics metrics;

  tls::PageShiftedBuffer received;   // ciphertext as read
  tls::PageShiftedBuffer plaintext;  // what it decrypts to
  tls::PageShiftedBuffer record;     // gathers what becomes one TLS record
  tls::PageShiftedBuffer encrypted;  // records on their way to the socket

  ConnectionTable connections;
  std::atomic<int> open_connections{0};               // the table's size, for other threads
  FairQueue<std::shared_ptr<Connection>> handshakes;  // with input, waiting for their turn
  bool handshakes_posted = false;
  std::deque<std::shared_ptr<Connection>> large;  // with more of an answer to send, waiting for their turn
  bool large_posted = false;
};

class Connection final : public std::enable_shared_from_this<Connection>,
                         private FdHandler,
                         private Session::Host {
 public:
  // Takes over `fd`, a connected non-blocking socket counted in worker.totals, and keeps itself in
  // worker.connections until it is closed. Closes it when there are too many.
  static void Open(Worker& worker, int fd, std::string remote_address, int remote_port);
  ~Connection();

  // Lets requests under way finish, then closes.
  void Drain();
  // Closes at once.
  void Close();
  // Keeps nothing of the handshake. The client is not told, for it might begin another at once: the
  // connection ends when something more comes, or in time. Requires: the handshake has begun and is not done.
  void GiveUpHandshake();
  // The client has shown a certificate.
  bool certified() const { return info_->peer_certificate != nullptr; }
  // No request is under way.
  bool idle() const { return !session_ || session_->idle(); }

 private:
  enum class Phase : uint8_t { kHandshake, kOpen, kGoodbye, kClosed };

  Connection(Worker& worker, int fd, std::string remote_address, int remote_port);

  friend struct Worker;

  void OnEvents(uint32_t events) override;
  void WantSend() override { PostStep(); }
  void WantReceive() override { PostStep(); }

  // Does what the socket allows: receives, then sends.
  void Step();
  void PostStep();
  void Receive();
  void Decrypt(std::string_view ciphertext);
  bool ContinueHandshake(std::string_view& ciphertext);
  // The protocol is known.
  void BeginSession(bool http2);
  // Where no TLS is spoken: what the client begins with tells the protocol.
  void ReceivePlain(std::string_view bytes);
  // The client has authenticated: its connection is not closed for others.
  void Acquaint();
  void Send();

  // Sends as much of worker_.encrypted as the socket takes and keeps the rest.
  void Transmit();
  // True when nothing is left unsent.
  bool Flush();
  // Says goodbye and waits a little for the client to have read everything: closing a
  // socket with unread input would destroy what is still on its way to the client.
  // What it sends meanwhile is read, up to `unread_bytes`.
  void BeginGoodbye(size_t unread_bytes);
  void ContinueGoodbye();
  // Whether the client has taken LeastProgress since the last look. What it has acknowledged counts: the
  // socket tells of room only when a good part of its own buffer is free.
  void CheckProgress();
  uint64_t Taken() const;

  Worker& worker_;
  const int fd_;
  std::shared_ptr<const tls::Context> context_;  // of tls_
  std::optional<tls::Stream> tls_;               // from the first byte on: a silent connection is small
  std::string opening_;  // where there is no TLS: what may become the preface of HTTP/2
  std::shared_ptr<http::ConnectionInfo> info_;
  std::unique_ptr<Session> session_;  // once the handshake is done
  Timer timer_;                       // handshake or goodbye
  Timer write_timer_;                 // while something is unsent
  tls::PageShiftedBuffer unsent_;
  size_t unsent_offset_ = 0;
  uint64_t sent_ = 0;          // bytes given to the socket in all
  uint64_t taken_before_ = 0;  // Taken() at the last look
  size_t goodbye_bytes_ = 0;   // that may yet be read in the goodbye
  Phase phase_ = Phase::kHandshake;
  bool readable_ = false;  // the socket may have input; epoll tells of changes only
  bool writable_ = true;
  bool hung_up_ = false;  // the client closed its side
  bool stepping_ = false;
  bool step_posted_ = false;
  bool said_fin_ = false;
  bool handshake_queued_ = false;
  bool handshake_given_up_ = false;
  bool acquainted_ = false;
  bool large_ = false;  // the session has more to send than goes out at once
  bool large_queued_ = false;
  bool large_turn_ = false;  // it is its turn to send some of it
};

}  // namespace keelson::net
