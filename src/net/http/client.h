// Client: requests to other servers: kubelets, and what pods and services serve.
#pragma once

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
};

struct ClientRequest {
  std::string method;
  std::string target;  // path and query, percent-encoded
  Headers headers;     // "host" too; what frames the body is left to the client
  // Sent as it comes; null: none. Must live until the answer's body is destroyed.
  BodyReader* body = nullptr;
};

struct ClientError {
  enum class Kind : uint8_t {
    kNotAllowed,   // an address that global_only forbids
    kUnreachable,  // nobody was asked: no such name, no connection, no TLS
    kBroken,       // the server went away, or does not speak HTTP
  };
  Kind kind = Kind::kUnreachable;
  std::string message;  // as Go's client would say it
};

// Threads: any event loop; the answer belongs to the loop it was asked on.
class Client {
 public:
  virtual ~Client() = default;
  // The head of the answer, with a source of its body. Redirects are answers like others. An
  // answer of 101 has the upgraded connection for its body: what it gives comes from the
  // server, and from its first Next on all that `request.body` gives goes there.
  virtual base::Task<base::Result<Response, ClientError>> Send(Destination destination,
                                                               ClientRequest request) = 0;
};

}  // namespace keelson::net::http
