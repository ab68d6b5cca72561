// What a client sends over a WebSocket, through the HTTP/1.1 session: any bytes, cut anywhere. The
// first byte says how large the pieces are.
#include <cstdint>
#include <string_view>

#include "http_fuzz_handler.h"
#include "net/http/websocket.h"
#include "net/http1/session.h"
#include "net/testing/memory_transport.h"

namespace {

using namespace keelson;

class Endless final : public net::http::BodySource {
 public:
  State Next(size_t, std::vector<base::Slice>&) override { return State::kSleep; }
};

class WebSocketHandler final : public net::http::Handler {
 public:
  base::Task<net::http::Response> Handle(net::http::Request& request) override {
    co_return net::http::WebSocketResponse(request, "", std::make_unique<Endless>());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const size_t piece = 1 + (data[0] & 0x3f);
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);

  static const net::ServerConfig config = fuzz::FuzzConfig();
  WebSocketHandler handler;
  net::testing::MemoryTransport transport(config, handler, net::http1::MakeSession);
  transport.Feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  for (size_t at = 0; at < bytes.size() && !transport.finished(); at += piece)
    transport.Feed(bytes.substr(at, piece));
  transport.Disconnect();
  if (transport.handlers_running() != 0) __builtin_trap();
  return 0;
}
