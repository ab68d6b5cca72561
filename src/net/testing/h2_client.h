// H2Client: a small blocking HTTP/2 client over TLS, for tests that look at streams,
// windows and GOAWAY.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/headers.h"
#include "net/testing/https_client.h"

struct nghttp2_session;

namespace keelson::net::testing {

class H2Client {
 public:
  struct Stream {
    int status = 0;
    http::Headers headers;
    std::string body;  // unless the client discards bodies
    uint64_t body_bytes = 0;
    bool ended = false;  // the server's END_STREAM came
    bool closed = false;
    uint32_t error_code = 0;
    std::string upload;  // what is left to send
  };
  struct Options {
    int32_t stream_window = 1 << 20;
    bool hold_windows = false;  // never give the server window back
    bool discard_bodies = false;
  };

  static base::Result<std::unique_ptr<H2Client>, std::string> Connect(const std::string& host, uint16_t port,
                                                                      TlsOptions tls, Options options);
  ~H2Client();

  // Begins a request. The stream stays known until the client goes.
  int32_t Submit(std::string_view method, std::string_view path, const http::Headers& headers = {},
                 std::string body = {});
  void Reset(int32_t stream, uint32_t error_code);
  void Ping();
  // Sends bytes as they are, behind what is queued.
  bool SendRaw(std::string_view bytes);

  // Sends and receives until `done` or the connection ends; false when time ran out or it ended.
  bool RunUntil(const std::function<bool()>& done,
                std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // The complete response of one request.
  base::Result<Stream, std::string> Do(std::string_view method, std::string_view path,
                                       const http::Headers& headers = {}, std::string body = {});

  Stream& stream(int32_t id) { return streams_[id]; }
  bool disconnected() const { return disconnected_; }
  int goaways() const { return goaways_; }
  std::optional<uint32_t> goaway_code() const { return goaway_code_; }

 private:
  friend struct ClientCallbacks;
  H2Client(std::unique_ptr<TlsSocket> socket, Options options);
  bool Flush();

  std::unique_ptr<TlsSocket> socket_;
  const Options options_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Stream> streams_;
  bool disconnected_ = false;
  int goaways_ = 0;
  std::optional<uint32_t> goaway_code_;
};

}  // namespace keelson::net::testing
