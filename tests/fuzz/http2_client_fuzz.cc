// The client's HTTP/2 session: what a server answers, made of any bytes, cut anywhere. The first byte says
// how large the pieces are, whether a valid beginning is put in front, whether bodies are read, and whether a
// call is given up.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/http2/client_session.h"
#include "net/loop/timers.h"

namespace {

using keelson::net::http2::ClientCall;
using keelson::net::http2::ClientSession;

constexpr size_t kMostUnread = 256 * 1024;

// Empty SETTINGS, an acknowledgement, and the head of an answer to the first call.
const std::string& Beginning() {
  static const std::string bytes = std::string("\0\0\0\x04\0\0\0\0\0", 9) +
                                   std::string("\0\0\0\x04\x01\0\0\0\0", 9) +
                                   std::string("\0\0\x01\x01\x04\0\0\0\x01\x88", 10);
  return bytes;
}

struct Host final : ClientSession::Host {
  void WantSend() override {}
};

struct Connection {
  keelson::net::Timers timers;
  Host host;
  ClientSession session{timers, host};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  if (size < 1) return 0;
  const size_t piece = size_t{1} << (data[0] & 0x0f);
  const bool begin = data[0] & 0x10, read = data[0] & 0x20, give_up = data[0] & 0x40;
  std::string bytes = begin ? Beginning() : std::string();
  bytes.append(reinterpret_cast<const char*>(data + 1), size - 1);

  const auto connection = std::make_shared<Connection>();
  ClientSession& session = connection->session;
  net::http::ClientRequest request{.method = "POST", .target = "/"};
  request.headers.Add("host", "a");
  const std::shared_ptr<ClientCall> calls[] = {session.Begin(request, 0, connection),
                                               session.Begin(request, 4, connection),
                                               session.Begin(request, std::nullopt, connection)};
  calls[1]->Send(base::Slice::Static("body"));
  calls[2]->Send(base::Slice::Static("piece"));
  std::string sent;
  session.Produce(sent, 1 << 16);
  for (size_t at = 0; at < bytes.size() && !session.finished(); at += piece) {
    session.Receive(std::string_view(bytes).substr(at, piece));
    sent.clear();
    session.Produce(sent, 1 << 16);
    for (const auto& call : calls) {
      if (call->input().size() > kMostUnread) __builtin_trap();
      if (read) call->Consume(call->input().size());
    }
  }
  if (give_up) calls[0]->Fail("given up");
  calls[2]->EndBody();
  session.Produce(sent, 1 << 20);
  session.Abandon("");
  for (const auto& call : calls)
    if (!call->over()) __builtin_trap();
  return 0;
}
