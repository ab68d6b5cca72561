// Server: listens, speaks TLS (or not), HTTP/2 and HTTP/1.1, and hands requests to one Handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/http/message.h"

namespace keelson::net {

// A certificate for clients that ask for certain names.
struct NamedCertificate {
  std::string certificate_chain_pem, private_key_pem;
  std::vector<std::string> names;  // "*.example.com", an address of this machine; empty: those in it
};

struct TlsConfig {
  std::string certificate_chain_pem;
  std::string private_key_pem;
  // Shown instead to who asks for one of their names. Of several the first counts, and names that were given
  // count more than those in certificates.
  std::vector<NamedCertificate> named_certificates;
  std::string client_ca_pem;                 // empty: client certificates are not asked for
  std::string proxy_ca_pem;                  // of front proxies; empty: nobody is one
  std::string min_version = "VersionTLS12";  // kube-apiserver's names
  std::vector<std::string> cipher_suites;    // IANA names; empty: the default list
  std::vector<int> curves;  // by their numbers in TLS, the best first; empty: the default list
  bool http2 = true;        // false: only HTTP/1.1 is offered
};

struct ServerConfig {
  std::string bind_address = "0.0.0.0";  // or an IPv6 address
  uint16_t port = 6443;                  // 0: any free one
  bool share_port = false;               // other processes may listen on it, too
  int threads = 0;                       // event loops; 0: one per core
  TlsConfig tls;
  bool plaintext = false;  // no TLS: HTTP/1.1, and HTTP/2 with clients that begin with its preface

  size_t max_header_bytes = 1 << 20;              // request line and fields; else 431
  size_t max_header_fields = 1000;                // else 431
  size_t max_held_head_bytes = size_t{16} << 20;  // by the heads of all requests under way; see HeadBudget
  uint32_t max_concurrent_streams = 250;          // HTTP/2, per connection
  // HTTP/2: fields are not held to HTTP's rules. Older gRPC clients give a whole URL for the authority.
  bool lenient_fields = false;
  // Frames of HTTP/2 that cost the client nothing and us an answer or a walk: so many at once, and then so
  // many a second; else the connection is closed.
  double max_idle_frames = 1000, max_idle_frames_per_second = 100;

  // Over a limit the newcomer takes the place of another, see ConnectionTable. 0: no limit.
  size_t max_connections = 0;
  size_t max_handshakes = 512;           // begun and not done; they take three times the memory of others
  size_t max_strangers = 0;              // connections that nobody has authenticated on
  size_t max_strangers_per_address = 0;  // those of one IPv4 address or IPv6 network of 64 bits

  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds header_timeout{32'000};  // first byte to end of the fields
  std::chrono::milliseconds body_idle_timeout{60'000};
  std::chrono::milliseconds idle_timeout{180'000};  // no request under way
  // While there is something to send, the client takes min_bytes_per_second on average over each
  // write_timeout, on every connection and on every HTTP/2 stream.
  std::chrono::milliseconds write_timeout{60'000};
  size_t min_bytes_per_second = 1024;
};

// Threads: Start and Shutdown are called from outside the loops.
class Server {
 public:
  // Does not take ownership of `handler`, which must outlive the server.
  static base::Result<std::unique_ptr<Server>, std::string> Create(ServerConfig config,
                                                                   http::Handler& handler,
                                                                   base::Metrics& metrics);
  virtual ~Server() = default;

  // Binds and begins to serve; errors name the address.
  virtual base::Result<void, std::string> Start() = 0;
  virtual uint16_t port() const = 0;
  virtual std::vector<base::Executor*> loops() = 0;

  // Connections from now on are made with `tls`. When the authorities of clients have changed, those on which
  // a certificate was shown are drained: whoever is still believed comes back. An error: nothing changes.
  // Requires: the server has TLS.
  virtual base::Result<void, std::string> ReloadTls(const TlsConfig& tls) = 0;

  // Stops accepting, tells clients (GOAWAY, Connection: close), drains long bodies, lets
  // requests under way finish until `deadline`, then closes what is left and joins the loops. With a `spread`
  // connections on which something is under way are told and drained one after the other within it, and the
  // deadline counts from its end: clients do not all come to another server at once.
  virtual void Shutdown(std::chrono::milliseconds deadline, std::chrono::milliseconds spread) = 0;
  void Shutdown(std::chrono::milliseconds deadline) { Shutdown(deadline, {}); }
};

// keelson_connections: the client connections that are open now.
base::Gauge& OpenConnections(base::Metrics& metrics);

}  // namespace keelson::net
