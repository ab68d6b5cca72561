// Client: requests to other servers: kubelets, and what pods and services serve.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "net/http/message.h"

namespace keelson::net::http {

struct Destination {
  bool tls = true;
  std::string host;  // a name, an IPv4 or an IPv6 address without brackets
  uint16_t port = 0;
  // Only to addresses that belong to one machine and are not this one: no loopback, link-local
  // or multicast. Checked after the name was resolved, for the address connected to.
  bool global_only = false;
  // The name that the server's certificate must have, where it is not `host`; empty: `host`.
  std::string tls_name;
};

struct ClientRequest {
  std::string method;
  std::string target;  // path and query, percent-encoded
  Headers headers;     // "host" too; what frames the body is left to the client
  // Sent as it comes; null: none. Must live until the answer's body is destroyed.
  BodyReader* body = nullptr;
  // The client that this is asked for; when that is gone, so is the request. Null: nobody's.
  BodyReader* on_behalf_of = nullptr;
  // How long to wait for the answer's head, the connection included, and for all of it; 0: for ever.
  std::chrono::nanoseconds head_timeout{0}, whole_timeout{0};
};

struct ClientError {
  enum class Kind : uint8_t {
    kNotAllowed,   // an address that global_only forbids
    kMalformed,    // a byte in the request's head that would end its line, or mean something else there
    kUnreachable,  // nobody was asked: no such name, no connection, no TLS
    kBroken,       // the server went away, gave no answer in time, or does not speak HTTP
    kUnasked,      // the server switched to a protocol that was not asked for
  };
  Kind kind = Kind::kUnreachable;
  std::string message;     // as Go's client would say it
  bool timed_out = false;  // one of the request's own timeouts ended it
  // The connection had served another request and ended before any of the answer came, as servers end
  // connections that are idle: the same request may be sent again.
  bool reused = false;
  // The server says that it has done nothing with the request, which may be sent again, over HTTP/2 alone.
  bool unprocessed = false;
};

// Threads: any event loop; the answer belongs to the loop it was asked on.
class Client {
 public:
  virtual ~Client() = default;
  // The head of the answer, with a source of its body, which fails when the answer breaks off.
  // Redirects are answers like others. An answer of 101 is one only to a request with the field
  // "upgrade", and only for a protocol named there. It has the upgraded connection for its body:
  // what it gives comes from the server, and from its first Next on all that `request.body` gives
  // goes there.
  virtual base::Task<base::Result<Response, ClientError>> Send(Destination destination,
                                                               ClientRequest request) = 0;
};

}  // namespace keelson::net::http
