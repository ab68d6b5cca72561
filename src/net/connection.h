// Connection: one accepted socket, from the TLS handshake to the goodbye. Moves bytes
// between the socket, TLS and the session of the protocol agreed on.
//
// Threads: everything on the loop of its Worker.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/metrics.h"
#include "net/loop/event_loop.h"
#include "net/session/session.h"
#include "net/tls/stream.h"

namespace keelson::net {

class Connection;

struct ConnectionMetrics {
  base::Gauge& open;
  base::Counter& handshake_errors;
};

// One loop and what its connections share. Buffers are the loop's: a connection uses them
// within one call, so an idle one holds none.
struct Worker {
  Worker(const ServerConfig& config, const tls::Context& tls, http::Handler& handler,
         ConnectionMetrics metrics);

  EventLoop loop;
  SessionContext sessions;
  const tls::Context& tls;
  ConnectionMetrics metrics;

  tls::PageShiftedBuffer received;   // ciphertext as read
  tls::PageShiftedBuffer plaintext;  // what it decrypts to
  tls::PageShiftedBuffer record;     // gathers what becomes one TLS record
  tls::PageShiftedBuffer encrypted;  // records on their way to the socket

  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections;
  std::atomic<int> open_connections{0};  // the map's size, for other threads
};

class Connection final : public std::enable_shared_from_this<Connection>,
                         private FdHandler,
                         private Session::Host {
 public:
  // Takes over `fd`, a connected non-blocking socket, and keeps itself in
  // worker.connections until it is closed.
  static void Open(Worker& worker, int fd, std::string remote_address, int remote_port);
  ~Connection();

  // Lets requests under way finish, then closes.
  void Drain();
  // Closes at once.
  void Close();

 private:
  enum class Phase : uint8_t { kHandshake, kOpen, kGoodbye, kClosed };

  Connection(Worker& worker, int fd, std::string remote_address, int remote_port);

  void OnEvents(uint32_t events) override;
  void WantSend() override { PostStep(); }
  void WantReceive() override { PostStep(); }

  // Does what the socket allows: receives, then sends.
  void Step();
  void PostStep();
  void Receive();
  void Decrypt(std::string_view ciphertext);
  bool ContinueHandshake(std::string_view& ciphertext);
  void BeginSession();
  void Send();

  // Sends as much of worker_.encrypted as the socket takes and keeps the rest.
  void Transmit();
  // True when nothing is left unsent.
  bool Flush();
  // Says goodbye and waits a little for the client to have read everything: closing a
  // socket with unread input would destroy what is still on its way to the client.
  void BeginGoodbye();
  void ContinueGoodbye();

  Worker& worker_;
  const int fd_;
  tls::Stream tls_;
  std::shared_ptr<http::ConnectionInfo> info_;
  std::unique_ptr<Session> session_;  // once the handshake is done
  Timer timer_;                       // handshake or goodbye
  Timer write_timer_;                 // the client takes nothing
  tls::PageShiftedBuffer unsent_;
  size_t unsent_offset_ = 0;
  Phase phase_ = Phase::kHandshake;
  bool readable_ = false;  // the socket may have input; epoll tells of changes only
  bool writable_ = true;
  bool hung_up_ = false;  // the client closed its side
  bool stepping_ = false;
  bool step_posted_ = false;
  bool said_fin_ = false;
};

}  // namespace keelson::net
