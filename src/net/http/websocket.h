// WebSockets (RFC 6455) as far as the server speaks them itself: messages to the client, and of what
// the client sends only pings and its close. Those of exec and the proxies are passed on unread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/slice.h"
#include "net/http/message.h"

namespace keelson::net::http {

// Whether the client wants to leave HTTP.
bool IsUpgradeRequest(const Request& request);
// Whether it wants to for a WebSocket.
bool IsWebSocketRequest(const Request& request);

struct WebSocketRules {
  // Subprotocols to choose from; "" stands for none. Empty: the client may name one, whatever it is.
  std::vector<std::string_view> protocols;
  bool needs_origin = false;
};

// The subprotocol for the client; an error is the answer to a handshake that breaks RFC 6455 or
// `rules`, with the codes of golang.org/x/net/websocket.
// Requires: IsWebSocketRequest(request).
base::Result<std::string, Response> NegotiateWebSocket(const Request& request, const WebSocketRules& rules);

// The answer that opens the WebSocket. `frames` gives whole frames in each Next; its end closes the
// WebSocket with 1000, its failure with 1011. The client's pings are answered, its close is, too, and
// ends the answer; its messages are dropped.
Response WebSocketResponse(Request& request, std::string_view protocol, std::unique_ptr<BodySource> frames);

enum class WebSocketMessage : uint8_t { kText = 1, kBinary = 2 };

// What comes before the `size` bytes of a message in one frame.
void AppendWebSocketHead(WebSocketMessage kind, size_t size, base::BufferBuilder& out);

// A stream of bytes as messages: an empty one first, then pieces as they come, in binary messages or,
// as base64, in text.
std::unique_ptr<BodySource> WebSocketMessages(std::unique_ptr<BodySource> bytes, bool base64);

}  // namespace keelson::net::http
