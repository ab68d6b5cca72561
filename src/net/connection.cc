#include "net/connection.h"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "net/http1/session.h"
#include "net/http2/session.h"
#include "net/socket_address.h"

namespace keelson::net {
namespace {

constexpr size_t kReceiveBytes = 64 * 1024;
constexpr size_t kRecordBytes = 16 * 1024;  // the largest TLS record
constexpr size_t kTurnBytes = 256 * 1024;   // received, then other connections get their turn
constexpr size_t kFirstBytes = 32 * 1024;   // of answers, sent as soon as they are there
constexpr size_t kBatchBytes = 64 * 1024;   // of a large answer, sent in one turn of its queue
constexpr int kHandshakesPerTurn = 4;
// What a client may still send while it reads its answer, and after a handshake that failed.
constexpr size_t kUnreadAfterAnswer = 64 * 1024 * 1024, kUnreadAfterHandshake = 64 * 1024;
constexpr std::chrono::milliseconds kGoodbyeTimeout{1000};

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

constexpr std::string_view kPlainHttpAnswer =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

// Gathers small pieces into full records and encrypts them.
class RecordSink final : public Sink {
 public:
  RecordSink(tls::Stream& tls, char* record, tls::PageShiftedBuffer& out)
      : tls_(tls), record_(record), out_(out) {}

  void Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (used_ == 0 && bytes.size() >= kRecordBytes) {
        Encrypt(bytes.substr(0, kRecordBytes));
        bytes.remove_prefix(kRecordBytes);
        continue;
      }
      const size_t n = std::min(bytes.size(), kRecordBytes - used_);
      std::memcpy(record_ + used_, bytes.data(), n);
      used_ += n;
      bytes.remove_prefix(n);
      if (used_ == kRecordBytes) Finish();
    }
  }
  void Finish() { Encrypt({record_, std::exchange(used_, 0)}); }
  bool ok() const { return ok_; }

 private:
  void Encrypt(std::string_view plaintext) {
    if (ok_) ok_ = tls_.Write(plaintext, out_) == tls::Stream::Outcome::kDone;
  }

  tls::Stream& tls_;
  char* const record_;
  tls::PageShiftedBuffer& out_;
  size_t used_ = 0;
  bool ok_ = true;
};

class PlainSink final : public Sink {
 public:
  explicit PlainSink(tls::PageShiftedBuffer& out) : out_(out) {}
  void Append(std::string_view bytes) override { out_.Append(bytes); }

 private:
  tls::PageShiftedBuffer& out_;
};

}  // namespace

Worker::Worker(const ServerConfig& config, size_t workers, std::shared_ptr<const tls::Context> tls_context,
               http::Handler& handler, ConnectionTotals& connection_totals,
               ConnectionMetrics connection_metrics)
    : sessions(loop, loop.timers(), config, handler, workers),
      tls(std::move(tls_context)),
      totals(connection_totals),
      metrics(connection_metrics),
      received(kReceiveBytes),
      plaintext(kRecordBytes),
      record(kRecordBytes),
      connections((config.max_strangers + workers - 1) / workers,
                  (config.max_strangers_per_address + workers - 1) / workers,
                  (config.max_handshakes + workers - 1) / workers) {}

void Worker::QueueHandshake(std::shared_ptr<Connection> connection) {
  if (std::exchange(connection->handshake_queued_, true)) return;
  const std::string network = NetworkOf(connection->info_->remote_address);
  handshakes.Push(network, std::move(connection));
  PostHandshakes();
}

void Worker::PostHandshakes() {
  if (!std::exchange(handshakes_posted, true)) loop.Post([this] { RunHandshakes(); });
}

void Worker::RunHandshakes() {
  handshakes_posted = false;
  for (int i = 0; i < kHandshakesPerTurn && !handshakes.empty(); ++i) {
    const std::shared_ptr<Connection> next = handshakes.Pop();
    next->handshake_queued_ = false;
    next->Step();
  }
  if (!handshakes.empty()) PostHandshakes();
}

void Worker::QueueLarge(std::shared_ptr<Connection> connection) {
  if (std::exchange(connection->large_queued_, true)) return;
  large.push_back(std::move(connection));
  if (!std::exchange(large_posted, true)) loop.Post([this] { RunLarge(); });
}

void Worker::RunLarge() {
  const TimePoint began = std::chrono::steady_clock::now();
  const Duration others = loop.TurnTime(began);
  do {
    const std::shared_ptr<Connection> next = std::move(large.front());
    large.pop_front();
    next->large_queued_ = false;
    next->large_turn_ = true;
    next->Step();
  } while (!large.empty() && std::chrono::steady_clock::now() - began < others);
  large_posted = !large.empty();
  if (large_posted) loop.Post([this] { RunLarge(); });
}

void Connection::Open(Worker& worker, int fd, std::string remote_address, int remote_port) {
  worker.totals.handed.fetch_sub(1, std::memory_order_relaxed);
  std::string network = NetworkOf(remote_address);
  std::shared_ptr<Connection> self(new Connection(worker, fd, std::move(remote_address), remote_port));
  const size_t most = worker.sessions.config.max_connections;
  const size_t open = worker.totals.descriptors.load(std::memory_order_relaxed);
  if (most > 0 && open > most && !worker.connections.CloseOne() && open > most + kSpareConnections) {
    worker.metrics.refused.Add();
    return;
  }
  if (!worker.loop.Add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *self)) return;
  worker.connections.Add(self, std::move(network));
  worker.open_connections.fetch_add(1, std::memory_order_relaxed);
  worker.metrics.open.Add(1);
  self->timer_.Start(worker.sessions.config.handshake_timeout);
}

Connection::Connection(Worker& worker, int fd, std::string remote_address, int remote_port)
    : worker_(worker),
      fd_(fd),
      info_(std::make_shared<http::ConnectionInfo>()),
      timer_(worker.loop.timers(), [this] { Close(); }),
      write_timer_(worker.loop.timers(), [this] { CheckProgress(); }) {
  info_->remote_address = std::move(remote_address);
  info_->remote_port = remote_port;
}

Connection::~Connection() {
  close(fd_);
  worker_.totals.descriptors.fetch_sub(1, std::memory_order_relaxed);
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  if (phase_ == Phase::kHandshake) worker_.metrics.handshake_errors.Add();
  phase_ = Phase::kClosed;
  worker_.loop.Remove(fd_);
  timer_.Cancel();
  write_timer_.Cancel();
  worker_.metrics.open.Add(-1);
  if (acquainted_) worker_.totals.acquaintances.fetch_sub(1, std::memory_order_relaxed);
  // This turn's events may still name this object, and a caller up the stack too.
  worker_.loop.Post([self = worker_.connections.Remove(*this)] {
    self->session_.reset();
    self->worker_.open_connections.fetch_sub(1, std::memory_order_release);
  });
}

void Connection::GiveUpHandshake() {
  worker_.connections.EndHandshake(*this);
  tls_.reset();
  unsent_ = {};
  unsent_offset_ = 0;
  write_timer_.Cancel();
  handshake_given_up_ = true;
}

void Connection::Drain() {
  switch (phase_) {
    case Phase::kHandshake: return Close();
    case Phase::kOpen: return session_->Drain();
    case Phase::kGoodbye:
    case Phase::kClosed: return;
  }
}

void Connection::OnEvents(uint32_t events) {
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) hung_up_ = true;
  if (hung_up_ || (events & EPOLLIN)) readable_ = true;
  if (events & EPOLLOUT) writable_ = true;
  if (phase_ == Phase::kHandshake && readable_) return worker_.QueueHandshake(shared_from_this());
  Step();
}

void Connection::PostStep() {
  if (stepping_ || std::exchange(step_posted_, true)) return;
  worker_.loop.Post([self = shared_from_this()] {
    self->step_posted_ = false;
    self->Step();
  });
}

void Connection::Step() {
  if (phase_ == Phase::kClosed) return;
  if (handshake_given_up_ && readable_) return Close();
  if (phase_ == Phase::kGoodbye) return ContinueGoodbye();
  stepping_ = true;
  Receive();
  if (phase_ != Phase::kClosed) Send();
  stepping_ = false;
  if (info_->authenticated && !acquainted_ && phase_ == Phase::kOpen) Acquaint();
  if (phase_ == Phase::kHandshake && readable_) worker_.QueueHandshake(shared_from_this());
  if (phase_ == Phase::kOpen && readable_ && session_->CanReceive()) PostStep();
}

// ---- receiving

void Connection::Receive() {
  size_t turn = 0;
  const size_t limit = info_->authenticated ? kTurnBytes : kReceiveBytes;
  while (readable_ && turn < limit && phase_ <= Phase::kOpen) {
    if (session_ && !session_->CanReceive()) {
      // A client that hung up will not wait for its answer either.
      if (hung_up_) Close();
      return;
    }
    const ssize_t n = recv(fd_, worker_.received.data(), kReceiveBytes, 0);
    if (n < 0) {
      if (errno == EINTR) continue;
      readable_ = false;
      if (errno != EAGAIN && errno != EWOULDBLOCK) Close();
      return;
    }
    if (n == 0) return Close();
    // A short read has emptied the socket; the next bytes raise a new event.
    if (static_cast<size_t>(n) < kReceiveBytes && !hung_up_) readable_ = false;
    turn += static_cast<size_t>(n);
    Decrypt({worker_.received.data(), static_cast<size_t>(n)});
  }
}

void Connection::ReceivePlain(std::string_view bytes) {
  if (phase_ != Phase::kHandshake) return session_->Receive(bytes);
  if (opening_.empty()) worker_.connections.BeginHandshake(*this);
  opening_ += bytes;
  const bool http2 = opening_.starts_with(kHttp2Preface);
  if (!http2 && kHttp2Preface.starts_with(opening_)) return;
  BeginSession(http2);
  session_->Receive(std::exchange(opening_, {}));
}

void Connection::Decrypt(std::string_view ciphertext) {
  if (!worker_.tls) return ReceivePlain(ciphertext);
  if (!tls_) {
    worker_.connections.BeginHandshake(*this);
    context_ = worker_.tls;
    tls_.emplace(*context_, context_->by_address() ? LocalAddress(fd_) : std::string());
  }
  if (phase_ == Phase::kHandshake && !ContinueHandshake(ciphertext)) return;
  tls::PageShiftedBuffer& out = worker_.encrypted;
  out.Clear();
  auto outcome = tls::Stream::Outcome::kNeedInput;
  // Asking when nothing can come is an error to OpenSSL, and costs as much as one.
  while (phase_ == Phase::kOpen && tls_->CanRead(ciphertext)) {
    size_t size = 0;
    outcome = tls_->Read(ciphertext, worker_.plaintext.data(), kRecordBytes, size, out);
    if (outcome != tls::Stream::Outcome::kDone) break;
    session_->Receive({worker_.plaintext.data(), size});
  }
  if (!out.empty()) Transmit();
  if (outcome == tls::Stream::Outcome::kClosed || outcome == tls::Stream::Outcome::kFailed) Close();
}

// False: not complete yet, or failed.
bool Connection::ContinueHandshake(std::string_view& ciphertext) {
  tls::PageShiftedBuffer& out = worker_.encrypted;
  out.Clear();
  const auto outcome = tls_->Handshake(ciphertext, out);
  if (outcome == tls::Stream::Outcome::kFailed && tls_->got_plain_http()) {
    out.Clear();
    out.Append(kPlainHttpAnswer);
  }
  if (!out.empty()) Transmit();
  if (phase_ == Phase::kClosed || outcome == tls::Stream::Outcome::kNeedInput) return false;
  if (outcome != tls::Stream::Outcome::kDone) {
    worker_.metrics.handshake_errors.Add();
    BeginGoodbye(kUnreadAfterHandshake);
    return false;
  }
  tls_->DescribePeer(*info_);
  info_->authenticated = info_->peer_certificate != nullptr;
  BeginSession(tls_->alpn_protocol() == "h2");
  return true;
}

void Connection::BeginSession(bool http2) {
  timer_.Cancel();
  worker_.connections.EndHandshake(*this);
  phase_ = Phase::kOpen;
  if (http2) {
    info_->protocol = "HTTP/2.0";
    session_ = http2::MakeSession(worker_.sessions, *this, info_);
  } else {
    info_->protocol = "HTTP/1.1";
    session_ = http1::MakeSession(worker_.sessions, *this, info_);
  }
}

void Connection::Acquaint() {
  acquainted_ = true;
  worker_.connections.Acquaint(*this);
  const size_t most = worker_.sessions.config.max_connections;
  const size_t others = worker_.totals.acquaintances.fetch_add(1, std::memory_order_relaxed);
  if (most == 0 || others < most) return;
  worker_.metrics.refused.Add();
  Drain();
}

// ---- sending

// What is there goes out at once, up to kFirstBytes. The rest of a large answer waits for its turn.
void Connection::Send() {
  const bool turn = std::exchange(large_turn_, false);
  if (!Flush() || phase_ != Phase::kOpen) return;
  if (large_ && !turn) return worker_.QueueLarge(shared_from_this());
  const size_t limit = turn ? kBatchBytes : kFirstBytes;
  tls::PageShiftedBuffer& out = worker_.encrypted;
  out.Clear();
  if (tls_) {
    RecordSink sink(*tls_, worker_.record.data(), out);
    large_ = session_->Produce(sink, limit);
    sink.Finish();
    if (!sink.ok()) return Close();
  } else {
    PlainSink sink(out);
    large_ = session_->Produce(sink, limit);
  }
  if (!out.empty()) Transmit();
  if (phase_ != Phase::kOpen) return;
  if (!large_ && session_->finished()) return BeginGoodbye(kUnreadAfterAnswer);
  if (large_ && unsent_.empty()) worker_.QueueLarge(shared_from_this());
}

void Connection::Transmit() {
  tls::PageShiftedBuffer& out = worker_.encrypted;
  size_t sent = 0;
  while (unsent_.empty() && writable_ && sent < out.size()) {
    const ssize_t n = send(fd_, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<size_t>(n);
      sent_ += static_cast<size_t>(n);
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) return Close();
      writable_ = false;
    }
  }
  if (sent == out.size()) return;
  if (unsent_.empty()) {
    std::swap(unsent_, out);
    unsent_offset_ = sent;
  } else {
    unsent_.Append(out.view());
  }
  if (write_timer_.armed()) return;
  taken_before_ = Taken();
  write_timer_.Start(worker_.sessions.config.write_timeout);
}

uint64_t Connection::Taken() const {
  int queued = 0;
  if (ioctl(fd_, SIOCOUTQ, &queued) != 0) queued = 0;
  return sent_ - std::min<uint64_t>(sent_, static_cast<uint64_t>(queued));
}

void Connection::CheckProgress() {
  const ServerConfig& config = worker_.sessions.config;
  const uint64_t taken = Taken();
  if (taken - taken_before_ < LeastProgress(config)) return Close();
  taken_before_ = taken;
  write_timer_.Start(config.write_timeout);
}

bool Connection::Flush() {
  while (unsent_offset_ < unsent_.size()) {
    if (!writable_) return false;
    const ssize_t n =
        send(fd_, unsent_.data() + unsent_offset_, unsent_.size() - unsent_offset_, MSG_NOSIGNAL);
    if (n >= 0) {
      unsent_offset_ += static_cast<size_t>(n);
      sent_ += static_cast<size_t>(n);
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        Close();
        return false;
      }
      writable_ = false;
    }
  }
  if (unsent_offset_ > 0) {
    // The next to fill the loop's buffer gets this one back, unless it has one.
    if (worker_.encrypted.capacity() == 0) std::swap(unsent_, worker_.encrypted);
    unsent_ = {};
    unsent_offset_ = 0;
    write_timer_.Cancel();
  }
  return true;
}

// ---- the end

void Connection::BeginGoodbye(size_t unread_bytes) {
  if (phase_ == Phase::kOpen && tls_) {
    tls::PageShiftedBuffer& out = worker_.encrypted;
    out.Clear();
    tls_->Close(out);
    Transmit();
    if (phase_ == Phase::kClosed) return;
  }
  worker_.connections.EndHandshake(*this);
  phase_ = Phase::kGoodbye;
  session_.reset();
  goodbye_bytes_ = unread_bytes;
  timer_.Start(kGoodbyeTimeout);
  ContinueGoodbye();
}

void Connection::ContinueGoodbye() {
  if (!Flush()) return;
  if (!std::exchange(said_fin_, true)) shutdown(fd_, SHUT_WR);
  for (size_t turn = 0; turn < kReceiveBytes;) {
    const ssize_t n = recv(fd_, worker_.received.data(), kReceiveBytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0 || static_cast<size_t>(n) > goodbye_bytes_) return Close();
    goodbye_bytes_ -= static_cast<size_t>(n);
    turn += static_cast<size_t>(n);
  }
  stepping_ = false;
  PostStep();
}

}  // namespace keelson::net
