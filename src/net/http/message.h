// Request, Response and Handler: all that the layers above see of the network.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "base/task.h"
#include "net/http/body.h"
#include "net/http/headers.h"

namespace keelson::net::http {

// A client certificate that the TLS layer verified against the client CA.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string uid;        // 1.3.6.1.4.1.57683.2, empty when absent
  std::string sha256;     // hex fingerprint of the leaf
  std::string der;        // the leaf itself
  std::string error;      // why it names nobody although it verified
  int64_t not_after = 0;  // Unix seconds; connections outlive certificates. 0: not known

  bool ExpiredAt(int64_t now) const { return not_after != 0 && now > not_after; }
};

// What is known of the connection; shared by its requests.
struct ConnectionInfo {
  std::string remote_address;  // without port
  int remote_port = 0;
  std::string protocol;  // "HTTP/1.1" or "HTTP/2.0"
  bool tls = false;
  std::shared_ptr<const PeerCertificate> peer_certificate;  // null: none offered
  std::string peer_certificate_error;                       // one was offered and did not verify: why
  // The same certificate, when it verified against the authorities of front proxies, which are others.
  std::shared_ptr<const PeerCertificate> proxy_certificate;
  std::string proxy_certificate_error;  // one was offered, there are such authorities, and it did not: why
  // Somebody proved who they are: by a certificate, or the handler found out and says so here. When
  // connections must be closed, the others go first. Used on the loop of the connection only.
  mutable bool authenticated = false;
};

struct Request {
  std::string method;  // upper case
  std::string path;    // as sent, percent-encoded, without query; starts with '/'
  std::string query;   // as sent, without '?'
  Headers headers;     // pseudo-headers left out; "host" is always set from :authority
  std::shared_ptr<const ConnectionInfo> connection;
  BodyReader* body = nullptr;  // never null; valid until the response is finished
};

// A response of 101 that has a body ends HTTP on an HTTP/1.1 connection: it needs the fields
// "connection" and "upgrade", its body goes out as it is, and from then on the request's body
// gives what the client sends.
struct Response {
  int status = 200;
  Headers headers;
  std::unique_ptr<BodySource> body;  // null: empty
};

// Threads: Handle is called on the loop of the connection and must never block it. The
// request lives until the returned response has been sent or given up. The memory of its head is
// counted until Handle returns: a response that lives long keeps no more of it than it needs.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual base::Task<Response> Handle(Request& request) = 0;
};

}  // namespace keelson::net::http
