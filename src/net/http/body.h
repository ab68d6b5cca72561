// Bodies: a request's body is read piece by piece, a response's body is a source that
// the connection asks when it can send.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/slice.h"
#include "base/task.h"
#include "net/http/headers.h"

namespace keelson::net::http {

enum class BodyError : uint8_t {
  kTooLarge,  // over the limit given; answer 413
  kClosed,    // the client went away or broke the framing; no answer will reach it
  kTimeout,   // the client stopped sending
};

// The body of a request as it arrives. Reading opens the client's window again, so a
// handler that does not read holds the client back and not our memory.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next piece; nullopt at the end. Requires: no other Read is under way.
  virtual base::Task<base::Result<std::optional<base::Slice>, BodyError>> Read() = 0;

  // Bytes in all when the client said so beforehand (Content-Length).
  virtual std::optional<uint64_t> Size() const { return std::nullopt; }

  // Nobody waits for the rest any more: a Read under way fails soon with kTimeout, later ones at once.
  virtual void Expire() {}

  // Calls `gone` when nobody waits for the answer any more, for whoever works for a client that
  // may leave: once, on the loop, never from within this call. The last one given counts.
  virtual void WhenGone(std::function<void()> /*gone*/) {}

  // The whole body in one block. Fails with kTooLarge as soon as it is known to be longer.
  base::Task<base::Result<base::Slice, BodyError>> ReadAll(size_t limit_bytes);
};

// The body of a response: asked for bytes when the connection can take them.
//
// Threads: every call comes on the loop of the connection; Wake may be called there only.
class BodySource {
 public:
  enum class State : uint8_t {
    kMore,    // gave something; ask again when there is room
    kSleep,   // has nothing now; will call the waker when it has
    kEnd,     // gave the last bytes, if any
    kFailed,  // broke off: the client must not take what was given for the whole
  };

  virtual ~BodySource() = default;

  // Appends slices of about `limit` bytes in all (a single slice may be longer; the
  // connection splits it). Work per call is bounded by `limit`, so a long body lets
  // others run in between.
  virtual State Next(size_t limit, std::vector<base::Slice>& out) = 0;

  // Bytes in all when known before the first Next: becomes Content-Length.
  virtual std::optional<uint64_t> Size() const { return std::nullopt; }

  // Fields that follow the body, asked for once after State::kEnd. Sent by HTTP/2 only.
  virtual Headers Trailers() { return {}; }

  // The connection sets it before the first Next.
  void set_waker(std::function<void()> waker) { waker_ = std::move(waker); }

  // Called when the server stops: a source that would go on for long (a watch) ends
  // itself cleanly at its next Next and wakes the connection.
  virtual void Drain() {}

 protected:
  void Wake() {
    if (waker_) waker_();
  }

 private:
  std::function<void()> waker_;
};

// A body that is there already.
std::unique_ptr<BodySource> FixedBody(std::vector<base::Slice> slices);
std::unique_ptr<BodySource> FixedBody(base::Slice slice);

}  // namespace keelson::net::http
