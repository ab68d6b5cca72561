// One TLS connection as a transformer of bytes: ciphertext in, plaintext out, and back.
// Knows nothing of sockets, keeps no unsent data.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/http/message.h"
#include "net/tls/client_context.h"
#include "net/tls/context.h"
#include "net/tls/page_shifted_buffer.h"

struct ssl_st;

namespace keelson::net::tls {

class Stream {
 public:
  enum class Outcome : uint8_t {
    kDone,
    kNeedInput,  // all input is used up; go on with more
    kClosed,     // the peer said goodbye
    kFailed,     // see error(); what is in the output still goes to the peer (an alert)
  };

  // The server's end. `context` outlives it. `local_address` is where the client has come to; it may be empty
  // unless the context asks for it.
  explicit Stream(const Context& context, std::string local_address = {});
  // The client's end. The peer must have a certificate for `server_name`, a DNS name or an
  // IP address; `alpn` are the protocols that are offered, separated by
  // commas, the best first.
  Stream(const ClientContext& context, const std::string& server_name, std::string_view alpn);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Each call consumes ciphertext from the front of `input` and appends ciphertext for the
  // peer to `output`.
  Outcome Handshake(std::string_view& input, PageShiftedBuffer& output);
  // kDone: `size` bytes of plaintext are in `buffer`.
  Outcome Read(std::string_view& input, char* buffer, size_t capacity, size_t& size,
               PageShiftedBuffer& output);
  // Whether Read may have something to give besides what comes after `input`.
  bool CanRead(std::string_view input) const;
  // One record per 16 KB of `plaintext`. Requires: the handshake is done.
  Outcome Write(std::string_view plaintext, PageShiftedBuffer& output);
  // Says goodbye.
  void Close(PageShiftedBuffer& output);

  const std::string& error() const { return error_; }
  // The peer speaks HTTP without TLS.
  bool got_plain_http() const { return plain_http_; }

  // After the handshake.
  std::string_view alpn_protocol() const;  // empty: the peer named none
  void DescribePeer(http::ConnectionInfo& info) const;

 private:
  friend struct BioCallbacks;
  Stream(ssl_ctx_st* context, std::string local_address);
  Outcome Classify(int result);

  ssl_st* ssl_;
  std::string_view* input_ = nullptr;  // valid inside a call only
  PageShiftedBuffer* output_ = nullptr;
  const std::string local_address_;
  std::string error_;
  bool plain_http_ = false;
};

}  // namespace keelson::net::tls
