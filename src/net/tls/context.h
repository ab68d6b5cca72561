// The server's side of TLS that all connections share: keys, suites, client CAs.
//
// Threads: immutable after Create; streams of any thread may use it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/server.h"
#include "net/tls/named_certificates.h"

struct ssl_ctx_st;
struct ssl_st;
struct x509_store_st;

namespace keelson::net::tls {

class Context {
 public:
  // Errors say which part of the configuration is at fault.
  static base::Result<std::unique_ptr<Context>, std::string> Create(const TlsConfig& config);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ssl_ctx_st* native() const { return ctx_; }

  // How the peer's certificate fared against the authorities of front proxies: an X509_V_* code; nothing when
  // there are none. Also for a session that is resumed. Requires: the handshake is done, with a certificate.
  static std::optional<long> ProxyVerdict(ssl_st* ssl);

  // Whether the certificate depends on the address that a client has come to, which TellAddress tells then.
  bool by_address() const { return named_ && named_->by_address(); }
  // `address` must outlive the handshake.
  static void TellAddress(ssl_st* ssl, const std::string& address);

 private:
  static int ChooseCertificate(ssl_st* ssl, void* context);

  explicit Context(ssl_ctx_st* ctx) : ctx_(ctx) {}
  ssl_ctx_st* const ctx_;
  x509_store_st* proxies_ = nullptr;
  std::unique_ptr<const NamedCertificates> named_;  // null: none
};

}  // namespace keelson::net::tls
