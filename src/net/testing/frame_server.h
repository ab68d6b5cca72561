// FrameServer: a TLS server that plays HTTP/2 frame by frame, as a test tells it, for clients that must bear
// with any server.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "net/server.h"
#include "net/tls/context.h"
#include "net/tls/stream.h"

namespace keelson::net::testing {

// As RFC 9113 numbers them.
namespace frames {
constexpr uint8_t kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPushPromise = 5, kPing = 6,
                  kGoAway = 7, kWindowUpdate = 8, kContinuation = 9;
constexpr uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8;
}  // namespace frames

struct Frame {
  uint8_t type = 0, flags = 0;
  uint32_t stream = 0;
  std::string payload;
};

// Numbers and fields as frames have them.
std::string BigEndian(uint32_t number, size_t bytes);
// A field that is kept in no table.
std::string LiteralField(std::string_view name, std::string_view value);
// ":status: 200"
inline std::string StatusOk() { return "\x88"; }

// One connection. Threads: its own.
class FramePeer {
 public:
  FramePeer(const tls::Context& context, int fd) : tls_(context), fd_(fd) {}

  // False: there is no TLS, or the client has not offered HTTP/2. Says `settings`, the payload of such a
  // frame.
  bool Start(std::string_view settings);

  struct Request {
    uint32_t stream = 0;
    std::string body;
  };
  // The next request that is complete; its body is acknowledged as it comes. nullopt: the connection ended.
  std::optional<Request> ReadRequest();
  // The next frame; nullopt: the connection ended. SETTINGS and PING are answered.
  std::optional<Frame> Read();
  // Reads until there is a frame of that type; false: the connection ended before.
  bool ReadUntil(uint8_t type, uint32_t stream);
  void Write(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload);
  void WriteRaw(std::string_view bytes);
  // A head of 200 and this body.
  void Answer(uint32_t stream, std::string_view body);
  // Reads until the client ends the connection.
  void ReadToEnd();
  // Ends it, with nothing that has come left unread: else the client would hear of a reset.
  void End();

 private:
  bool ReadMore();
  bool Decrypt(std::string_view input);
  bool Send();

  tls::Stream tls_;
  const int fd_;
  tls::PageShiftedBuffer outgoing_;
  std::string input_;
  std::map<uint32_t, std::string> bodies_;
  bool ended_ = false;
};

// Threads: each connection is served on one of its own.
class FrameServer {
 public:
  // `number` counts connections from 1.
  using Serve = std::function<void(FramePeer& peer, int number)>;
  FrameServer(const TlsConfig& config, Serve serve, std::string settings = "");
  ~FrameServer();
  FrameServer(const FrameServer&) = delete;
  FrameServer& operator=(const FrameServer&) = delete;

  uint16_t port() const { return port_; }
  std::atomic<int> connections{0}, ended{0};

 private:
  void Run();

  const std::unique_ptr<tls::Context> context_;
  const Serve serve_;
  const std::string settings_;
  int listener_ = -1;
  uint16_t port_ = 0;
  base::Mutex mu_;
  std::vector<int> fds_ GUARDED_BY(mu_);
  std::vector<std::thread> served_;  // of thread_
  std::thread thread_;
};

}  // namespace keelson::net::testing
