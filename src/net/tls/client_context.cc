#include "net/tls/client_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <optional>

#include "base/openssl.h"

namespace keelson::net::tls {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::LastError;
using base::openssl::MemoryBio;
using base::openssl::X509Ptr;

using Failure = std::optional<std::string>;

Failure TrustAuthorities(SSL_CTX* ctx, const std::string& ca_pem) {
  if (ca_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(ctx) != 1) return "system authorities: " + LastError();
    return std::nullopt;
  }
  X509_STORE* store = SSL_CTX_get_cert_store(ctx);
  BioPtr pem = MemoryBio(ca_pem);
  int count = 0;
  while (X509Ptr ca{PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store, ca.get());
    ++count;
  }
  ERR_clear_error();  // the end of the bundle reads as one
  if (count == 0) return "certificate authority: no certificate in it";
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return std::nullopt;
}

Failure UseCertificate(SSL_CTX* ctx, const ClientTlsConfig& config) {
  BioPtr pem = MemoryBio(config.certificate_pem);
  X509Ptr leaf(PEM_read_bio_X509_AUX(pem.get(), nullptr, nullptr, nullptr));
  if (!leaf || SSL_CTX_use_certificate(ctx, leaf.get()) != 1) return "client certificate: " + LastError();
  while (X509* issuer = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr))
    SSL_CTX_add0_chain_cert(ctx, issuer);
  ERR_clear_error();
  BioPtr key_pem = MemoryBio(config.private_key_pem);
  KeyPtr key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
  if (!key || SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1)
    return "client key: " + LastError();
  return std::nullopt;
}

base::Result<std::shared_ptr<SSL_CTX>, std::string> Make(const ClientTlsConfig& config) {
  const std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX* const ctx = made.get();
  if (!ctx) return base::Err("TLS: " + LastError());
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (!config.keep_buffers) SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(ctx, config.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (config.verify)
    if (auto e = TrustAuthorities(ctx, config.ca_pem)) return base::Err(*e);
  if (!config.certificate_pem.empty()) {
    if (auto e = UseCertificate(ctx, config)) return base::Err(*e);
  }
  return made;
}

}  // namespace

base::Result<std::unique_ptr<ClientContext>, std::string> ClientContext::Create(
    const ClientTlsConfig& config) {
  return std::unique_ptr<ClientContext>(new ClientContext(TRY(Make(config))));
}

base::Result<void, std::string> ClientContext::Replace(const ClientTlsConfig& config) {
  auto made = TRY(Make(config));
  const base::MutexLock lock(mu_);
  ctx_ = std::move(made);
  return {};
}

std::shared_ptr<ssl_ctx_st> ClientContext::native() const {
  const base::MutexLock lock(mu_);
  return ctx_;
}

}  // namespace keelson::net::tls
