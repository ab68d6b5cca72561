#include "net/tls/context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstring>
#include <map>
#include <optional>
#include <span>

#include "base/openssl.h"

namespace keelson::net::tls {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::LastError;
using base::openssl::MemoryBio;
using base::openssl::X509Ptr;

// AES-128 first: as safe as it needs to be and the fastest with the CPU's help.
constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kSuites12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

using Failure = std::optional<std::string>;

Failure SetMinVersion(SSL_CTX* ctx, const std::string& name) {
  int version = 0;
  if (name.empty() || name == "VersionTLS12")
    version = TLS1_2_VERSION;
  else if (name == "VersionTLS10")
    version = TLS1_VERSION;
  else if (name == "VersionTLS11")
    version = TLS1_1_VERSION;
  else if (name == "VersionTLS13")
    version = TLS1_3_VERSION;
  else
    return "unknown tls version \"" + name + "\"";
  SSL_CTX_set_min_proto_version(ctx, version);
  return std::nullopt;
}

Failure SetCipherSuites(SSL_CTX* ctx, const std::vector<std::string>& names) {
  std::string list12, list13;
  for (std::string name : names) {
    // Older spellings that kube-apiserver still takes.
    if (name.ends_with("_CHACHA20_POLY1305")) name += "_SHA256";
    const char* openssl_name = OPENSSL_cipher_name(name.c_str());
    if (std::strcmp(openssl_name, "(NONE)") == 0) {
      return "Cipher suite " + name + " not supported or doesn't exist";
    }
    // The suites of TLS 1.3 name no key exchange.
    std::string& list = name.find("_WITH_") == std::string::npos ? list13 : list12;
    if (!list.empty()) list += ':';
    list += openssl_name;
  }
  if (!names.empty() && list12.empty()) SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  if (SSL_CTX_set_ciphersuites(ctx, list13.empty() ? kSuites13 : list13.c_str()) != 1 ||
      SSL_CTX_set_cipher_list(ctx, list12.empty() ? kSuites12 : list12.c_str()) != 1) {
    return "cipher suites: " + LastError();
  }
  return std::nullopt;
}

Failure UseCertificate(SSL_CTX* ctx, const TlsConfig& config) {
  BioPtr pem = MemoryBio(config.certificate_chain_pem);
  X509Ptr leaf(PEM_read_bio_X509_AUX(pem.get(), nullptr, nullptr, nullptr));
  if (!leaf) return "serving certificate: " + LastError();
  if (SSL_CTX_use_certificate(ctx, leaf.get()) != 1) return "serving certificate: " + LastError();
  while (X509* issuer = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(ctx, issuer);
  }
  ERR_clear_error();  // the end of the chain reads as one

  BioPtr key_pem = MemoryBio(config.private_key_pem);
  KeyPtr key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
  if (!key) return "private key: " + LastError();
  if (SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1) {
    return "private key: " + LastError();
  }
  return std::nullopt;
}

// Where a connection keeps how its certificate fared against the authorities of front proxies: the verdict
// and one, as zero means that there is none.
int ProxyVerdictIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}
// Where it keeps the address that the client has come to, if certificates depend on that.
int AddressIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}
void KeepProxyVerdict(SSL* ssl, long verdict) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number is what the slot is for.
  SSL_set_ex_data(ssl, ProxyVerdictIndex(), reinterpret_cast<void*>(verdict + 1));
}
// Zero: there is none. A resumed session brings that of its first handshake, and must pass it on: in TLS 1.3
// every resumption writes a new ticket.
long KeptProxyVerdict(SSL* ssl) {
  if (!SSL_session_reused(ssl)) return reinterpret_cast<intptr_t>(SSL_get_ex_data(ssl, ProxyVerdictIndex()));
  long kept = 0;
  void* data = nullptr;
  size_t size = 0;
  if (SSL_SESSION_get0_ticket_appdata(SSL_get_session(ssl), &data, &size) == 1 && size == sizeof kept)
    std::memcpy(&kept, data, size);
  return kept;
}

using StoreContextPtr = base::openssl::Owned<X509_STORE_CTX, X509_STORE_CTX_free>;

// A certificate for any usage is one for clients, too, which OpenSSL's check of the purpose does not know.
void AcceptAnyUsage(X509_STORE_CTX* context) {
  X509* const leaf = X509_STORE_CTX_get0_cert(context);
  if (leaf && (X509_get_extension_flags(leaf) & EXFLAG_XKUSAGE) != 0 &&
      (X509_get_extended_key_usage(leaf) & XKU_ANYEKU) != 0)
    X509_VERIFY_PARAM_set_purpose(X509_STORE_CTX_get0_param(context), X509_PURPOSE_ANY);
}

// The verdict on the certificate that `verified` is about, under other authorities.
long VerifyAgain(X509_STORE_CTX* verified, X509_STORE* authorities) {
  const StoreContextPtr context(X509_STORE_CTX_new());
  if (!context ||
      X509_STORE_CTX_init(context.get(), authorities, X509_STORE_CTX_get0_cert(verified),
                          X509_STORE_CTX_get0_untrusted(verified)) != 1 ||
      X509_STORE_CTX_set_default(context.get(), "ssl_client") != 1)
    return X509_V_ERR_OUT_OF_MEM;
  AcceptAnyUsage(context.get());
  if (X509_verify_cert(context.get()) == 1) return X509_V_OK;
  const int verdict = X509_STORE_CTX_get_error(context.get());
  return verdict == X509_V_OK ? X509_V_ERR_UNSPECIFIED : verdict;
}

// A certificate that does not verify must not end the handshake: whoever sent it gets an
// answer with the reason, and may have other credentials.
int VerifyButGoOn(X509_STORE_CTX* store, void* proxies) {
  AcceptAnyUsage(store);
  X509_verify_cert(store);
  if (proxies) {
    auto* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    KeepProxyVerdict(ssl, VerifyAgain(store, static_cast<X509_STORE*>(proxies)));
  }
  ERR_clear_error();
  return 1;
}

// A ticket holds the verdict on its certificate by itself; this puts the other one beside it.
int PutVerdictIntoTicket(SSL* ssl, void*) {
  const long kept = KeptProxyVerdict(ssl);
  return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), &kept, sizeof kept);
}
SSL_TICKET_RETURN UseTicket(SSL*, SSL_SESSION*, const unsigned char*, size_t, SSL_TICKET_STATUS status,
                            void*) {
  switch (status) {
    case SSL_TICKET_SUCCESS: return SSL_TICKET_RETURN_USE;
    case SSL_TICKET_SUCCESS_RENEW: return SSL_TICKET_RETURN_USE_RENEW;
    default: return SSL_TICKET_RETURN_IGNORE_RENEW;
  }
}

// Every certificate of `pem` becomes an anchor, intermediate ones too, and clients are told of it.
bool AddAuthorities(SSL_CTX* ctx, X509_STORE* store, const std::string& authorities_pem) {
  BioPtr pem = MemoryBio(authorities_pem);
  int count = 0;
  while (X509Ptr ca{PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store, ca.get());
    SSL_CTX_add_client_CA(ctx, ca.get());
    ++count;
  }
  ERR_clear_error();
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return count > 0;
}

Failure AskForClientCertificates(SSL_CTX* ctx, const TlsConfig& config, X509_STORE* proxies) {
  if (!config.client_ca_pem.empty() &&
      !AddAuthorities(ctx, SSL_CTX_get_cert_store(ctx), config.client_ca_pem))
    return std::string("client CA: no certificate in it");
  if (proxies) {
    if (!AddAuthorities(ctx, proxies, config.proxy_ca_pem))
      return std::string("front proxy CA: no certificate in it");
    SSL_CTX_set_session_ticket_cb(ctx, PutVerdictIntoTicket, UseTicket, nullptr);
  }
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(ctx, VerifyButGoOn, proxies);
  return std::nullopt;
}

int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                   unsigned int in_size, void* only_http1) {
  static constexpr unsigned char kBoth[] = "\x02h2\x08http/1.1";
  const std::span<const unsigned char> ours = std::span(kBoth, sizeof(kBoth) - 1).subspan(only_http1 ? 3 : 0);
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, out_size, ours.data(), static_cast<unsigned>(ours.size()), in,
                            in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

void SetDefaults(SSL_CTX* ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Idle connections keep no record buffers. The chain is sent as configured: to complete it from the client
  // CA would verify it in every handshake, a fourth of its cost.
  SSL_CTX_set_mode(ctx,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);  // tickets only
  SSL_CTX_set_num_tickets(ctx, 1);
  static constexpr unsigned char kSessionContext[] = "keelson";
  SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof(kSessionContext) - 1);
  SSL_CTX_set1_groups_list(ctx, "X25519:P-256:P-384:P-521");
}

Failure SetCurves(SSL_CTX* ctx, const std::vector<int>& numbers) {
  static const std::map<int, std::string> kNames = {
      {23, "P-256"}, {24, "P-384"}, {25, "P-521"}, {29, "X25519"}};
  std::string list;
  for (const int number : numbers) {
    const auto known = kNames.find(number);
    if (known == kNames.end())
      return "curve preference " + std::to_string(number) + " is not supported: 23, 24, 25 or 29";
    list += (list.empty() ? "" : ":") + known->second;
  }
  if (!list.empty() && SSL_CTX_set1_groups_list(ctx, list.c_str()) != 1) return "curves: " + LastError();
  return std::nullopt;
}

}  // namespace

base::Result<std::unique_ptr<Context>, std::string> Context::Create(const TlsConfig& config) {
  SSL_CTX* ctx = SSL_CTX_new(TLS_server_method());
  if (!ctx) return base::Err("TLS: " + LastError());
  std::unique_ptr<Context> context(new Context(ctx));
  SetDefaults(ctx);
  if (auto e = SetMinVersion(ctx, config.min_version)) return base::Err(*e);
  if (auto e = SetCipherSuites(ctx, config.cipher_suites)) return base::Err(*e);
  if (auto e = SetCurves(ctx, config.curves)) return base::Err(*e);
  // The argument only says whether there is one.
  SSL_CTX_set_alpn_select_cb(ctx, SelectProtocol, config.http2 ? nullptr : ctx);
  if (auto e = UseCertificate(ctx, config)) return base::Err(*e);
  if (!config.proxy_ca_pem.empty()) {
    context->proxies_ = X509_STORE_new();
    if (!context->proxies_) return base::Err("TLS: " + LastError());
  }
  if (!config.client_ca_pem.empty() || context->proxies_) {
    if (auto e = AskForClientCertificates(ctx, config, context->proxies_)) return base::Err(*e);
  }
  if (!config.named_certificates.empty()) {
    context->named_ = TRY(NamedCertificates::Create(config.named_certificates));
    SSL_CTX_set_cert_cb(ctx, ChooseCertificate, context.get());
  }
  return context;
}

void Context::TellAddress(ssl_st* ssl, const std::string& address) {
  SSL_set_ex_data(ssl, AddressIndex(), const_cast<std::string*>(&address));
}

int Context::ChooseCertificate(ssl_st* ssl, void* context) {
  const auto* const address = static_cast<const std::string*>(SSL_get_ex_data(ssl, AddressIndex()));
  const auto& named = *static_cast<const Context*>(context)->named_;
  return named.Choose(ssl, address ? *address : std::string()) ? 1 : 0;
}

Context::~Context() {
  SSL_CTX_free(ctx_);
  X509_STORE_free(proxies_);
}

std::optional<long> Context::ProxyVerdict(ssl_st* ssl) {
  const long kept = KeptProxyVerdict(ssl);
  if (kept == 0) return std::nullopt;
  return kept - 1;
}

}  // namespace keelson::net::tls
