// HttpsClient: a small blocking HTTP/1.1 client over TLS, for tests.
//
// Threads: one at a time. Errors: calls return an error in words; nothing is retried.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http/headers.h"

namespace keelson::net::testing {

struct TlsOptions {
  std::string ca_pem;    // whom to trust
  std::string cert_pem;  // the client's own, with key_pem; empty: none
  std::string key_pem;
  bool insecure = false;          // do not verify the server
  std::string alpn = "http/1.1";  // comma-separated; empty: none
  std::string session;            // of TlsSocket::session(), to resume; empty: a full handshake
  bool at_most_tls12 = false;
};

// A TCP connection to the loopback address without TLS.
class RawSocket {
 public:
  explicit RawSocket(uint16_t port, const char* from = "127.0.0.1");
  ~RawSocket();
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  void Write(std::string_view bytes);
  // Everything until the server closes, or nothing comes for `timeout`.
  std::string ReadToEnd(std::chrono::milliseconds timeout);
  bool ended() const { return ended_; }  // the server closed

 private:
  int fd_ = -1;
  bool ended_ = false;
};

// A TLS connection as a stream of bytes.
class TlsSocket {
 public:
  static base::Result<std::unique_ptr<TlsSocket>, std::string> Connect(const std::string& host, uint16_t port,
                                                                       const TlsOptions& options);
  ~TlsSocket();
  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;

  // Sends everything; false when the connection is gone.
  bool Write(std::string_view bytes);
  // Up to `capacity` bytes; 0 at the end; an error when broken or nothing came in time.
  base::Result<size_t, std::string> Read(char* buffer, size_t capacity, std::chrono::milliseconds timeout);
  std::string alpn_protocol() const;
  int peer_certificates() const;  // how many the server sent
  bool resumed() const;           // the server took the session up again
  // The session to resume. TLS 1.3 sends it after the handshake: read an answer first.
  std::string session() const;
  int fd() const;

 private:
  struct State;
  explicit TlsSocket(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class HttpsClient {
 public:
  struct Response {
    int status = 0;
    http::Headers headers;  // names in lower case
    std::string body;       // whole, of Do; empty of Open
  };

  // The body of a response as it arrives. Valid as long as the client; Requires: the body
  // is read to its end before the next request.
  class Reader {
   public:
    Response head;

    // The next line without its '\n'; nullopt at the end of the body.
    base::Result<std::optional<std::string>, std::string> ReadLine(std::chrono::milliseconds timeout);
    // Some bytes; empty at the end of the body.
    base::Result<std::string, std::string> ReadSome(std::chrono::milliseconds timeout);

   private:
    friend class HttpsClient;
    explicit Reader(HttpsClient& client) : client_(&client) {}
    HttpsClient* client_;
    std::string line_;
  };

  static base::Result<std::unique_ptr<HttpsClient>, std::string> Connect(const std::string& host,
                                                                         uint16_t port,
                                                                         const TlsOptions& options);

  // Sends a request and reads the whole response.
  base::Result<Response, std::string> Do(std::string_view method, std::string_view target,
                                         const http::Headers& headers = {}, std::string_view body = {});
  // Sends a request and reads the head of the response.
  base::Result<Reader, std::string> Open(std::string_view method, std::string_view target,
                                         const http::Headers& headers = {}, std::string_view body = {});

  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  TlsSocket& socket() { return *socket_; }

 private:
  enum class Framing : uint8_t { kNone, kLength, kChunked, kUntilClose };

  HttpsClient(std::unique_ptr<TlsSocket> socket, std::string host)
      : socket_(std::move(socket)), host_(std::move(host)) {}

  // Receives more into in_; false at the end of the connection.
  base::Result<bool, std::string> Fill(std::chrono::milliseconds timeout);
  base::Result<std::string, std::string> ReadHeadLine(std::chrono::milliseconds timeout);
  base::Result<Response, std::string> ReadHead(bool is_head);
  // Some bytes of the body; empty at its end.
  base::Result<std::string, std::string> ReadBody(std::chrono::milliseconds timeout);
  std::string TakeBody(uint64_t limit);

  std::unique_ptr<TlsSocket> socket_;
  const std::string host_;
  std::chrono::milliseconds timeout_{10'000};
  std::string in_;
  Framing framing_ = Framing::kNone;
  uint64_t remaining_ = 0;   // of the body or of the chunk
  bool chunk_open_ = false;  // its closing CRLF is yet to come
};

}  // namespace keelson::net::testing
