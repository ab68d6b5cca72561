// The HTTP/1.1 session, and through it the parser: any bytes, cut anywhere. The first
// byte says how large the pieces are and how the connection ends.
#include <cstdint>
#include <string_view>

#include "http_fuzz_handler.h"
#include "net/http1/parser.h"
#include "net/http1/session.h"
#include "net/testing/memory_transport.h"

namespace {

using namespace keelson;

// Cutting the input differently must not change what a head says.
void CheckScanner(std::string_view bytes, size_t piece) {
  net::http1::HeadScanner whole, parts;
  const auto at_once = whole.Scan(bytes);
  size_t size = 0;
  bool failed = false;
  for (size_t n = piece; size == 0 && !failed; n += piece) {
    auto step = parts.Scan(bytes.substr(0, n));
    failed = !step;
    if (step) size = *step;
    if (n >= bytes.size()) break;
  }
  if (failed != !at_once || (at_once && size != *at_once)) __builtin_trap();
  if (at_once && *at_once > 0) {
    auto head = net::http1::ParseRequestHead(bytes.substr(0, *at_once), /*max_fields=*/1000);
    if (head && head->path.front() != '/') __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const size_t piece = 1 + (data[0] & 0x3f);
  const bool drain = data[0] & 0x40;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if (!bytes.empty()) CheckScanner(bytes, piece);

  static const net::ServerConfig config = fuzz::FuzzConfig();
  fuzz::FuzzHandler handler;
  net::testing::MemoryTransport transport(config, handler, net::http1::MakeSession);
  for (size_t at = 0; at < bytes.size() && !transport.finished(); at += piece)
    transport.Feed(bytes.substr(at, piece));
  if (drain) transport.Drain();
  transport.Advance(config.idle_timeout);
  transport.Disconnect();
  if (transport.handlers_running() != 0) __builtin_trap();
  return 0;
}
