// The HTTP/2 session: frames made of any bytes, cut anywhere. The first byte says how
// large the pieces are, whether a valid beginning is put in front, and how it ends.
#include <cstdint>
#include <string>
#include <string_view>

#include "http_fuzz_handler.h"
#include "net/http2/session.h"
#include "net/testing/memory_transport.h"

namespace {

// The client's preface, empty SETTINGS, and two requests: GET / and POST / with an open body.
const std::string& Beginning() {
  static const std::string bytes = std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") +
                                   std::string("\0\0\0\x04\0\0\0\0\0", 9) +
                                   std::string("\0\0\x03\x01\x05\0\0\0\x01\x82\x84\x87", 12) +
                                   std::string("\0\0\x03\x01\x04\0\0\0\x03\x83\x84\x87", 12);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  if (size < 1) return 0;
  const size_t piece = size_t{1} << (data[0] & 0x0f);
  const bool begin = data[0] & 0x10;
  const bool drain = data[0] & 0x20;
  std::string bytes = begin ? Beginning() : std::string();
  bytes.append(reinterpret_cast<const char*>(data + 1), size - 1);

  static const net::ServerConfig config = fuzz::FuzzConfig();
  fuzz::FuzzHandler handler;
  net::testing::MemoryTransport transport(config, handler, net::http2::MakeSession);
  for (size_t at = 0; at < bytes.size() && !transport.finished(); at += piece) {
    transport.Feed(std::string_view(bytes).substr(at, piece));
  }
  if (drain) transport.Drain();
  transport.Advance(config.write_timeout);
  transport.Advance(config.idle_timeout);
  transport.Disconnect();
  if (transport.handlers_running() != 0) __builtin_trap();
  return 0;
}
