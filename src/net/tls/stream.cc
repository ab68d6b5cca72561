#include "net/tls/stream.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

#include "base/openssl.h"
#include "net/tls/peer_certificate.h"
#include "net/tls/verify_error.h"

namespace keelson::net::tls {

using base::openssl::LastError;

// A BIO that reads from and appends to the views of the call under way: OpenSSL's own
// memory BIO would copy everything once more and keep its buffers.
struct BioCallbacks {
  static Stream& Of(BIO* bio) { return *static_cast<Stream*>(BIO_get_data(bio)); }

  static int Write(BIO* bio, const char* data, int size) {
    Stream& s = Of(bio);
    if (s.output_) s.output_->Append({data, static_cast<size_t>(size)});
    return size;
  }
  static int Read(BIO* bio, char* data, int size) {
    BIO_clear_retry_flags(bio);
    Stream& s = Of(bio);
    if (!s.input_ || s.input_->empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const size_t n = std::min(s.input_->size(), static_cast<size_t>(size));
    std::memcpy(data, s.input_->data(), n);
    s.input_->remove_prefix(n);
    return static_cast<int>(n);
  }
  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  // Called with each verdict on the server's certificate.
  static int Verified(int good, X509_STORE_CTX* verdict) {
    if (good) return good;
    const auto* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(verdict, SSL_get_ex_data_X509_STORE_CTX_idx()));
    Of(SSL_get_rbio(ssl)).error_ = VerifyError(verdict);
    return good;
  }

  static BIO_METHOD* Method() {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "views");
      BIO_meth_set_write(m, Write);
      BIO_meth_set_read(m, Read);
      BIO_meth_set_ctrl(m, Control);
      return m;
    }();
    return method;
  }
};

namespace {

// What others left in this thread's queue would be taken for an error of the next call. To
// empty a queue costs dozens of calls, even when it is empty already.
void ForgetErrors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

Stream::Stream(ssl_ctx_st* context, std::string local_address)
    : ssl_(SSL_new(context)), local_address_(std::move(local_address)) {
  if (!ssl_) throw std::bad_alloc();
  BIO* bio = BIO_new(BioCallbacks::Method());
  if (!bio) throw std::bad_alloc();
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
}

Stream::Stream(const Context& context, std::string local_address)
    : Stream(context.native(), std::move(local_address)) {
  if (!local_address_.empty()) Context::TellAddress(ssl_, local_address_);
  SSL_set_accept_state(ssl_);
}

Stream::Stream(const ClientContext& context, const std::string& server_name, std::string_view alpn)
    : Stream(context.native().get(), {}) {
  SSL_set_connect_state(ssl_);
  if (const int mode = SSL_get_verify_mode(ssl_); mode & SSL_VERIFY_PEER)
    SSL_set_verify(ssl_, mode, BioCallbacks::Verified);
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), server_name.c_str()) != 1) {
    // OpenSSL would accept the common name of the subject where a certificate has no alternative names.
    // Go, and so kube-apiserver, accepts alternative names only.
    SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(ssl_, server_name.c_str());
    SSL_set_tlsext_host_name(ssl_, server_name.c_str());
  }
  std::string wire;
  for (size_t end = 0; !alpn.empty(); alpn.remove_prefix(std::min(end + 1, alpn.size()))) {
    end = std::min(alpn.find(','), alpn.size());
    wire.append(1, static_cast<char>(end)).append(alpn.substr(0, end));
  }
  SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(wire.data()),
                      static_cast<unsigned>(wire.size()));
  ERR_clear_error();
}

Stream::~Stream() { SSL_free(ssl_); }

Stream::Outcome Stream::Classify(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_NONE: return Outcome::kDone;
    case SSL_ERROR_WANT_READ: return Outcome::kNeedInput;
    case SSL_ERROR_ZERO_RETURN: return Outcome::kClosed;
    default: break;
  }
  plain_http_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
  std::string last = LastError();
  if (error_.empty()) error_ = std::move(last);  // else it is about the peer's certificate
  return Outcome::kFailed;
}

Stream::Outcome Stream::Handshake(std::string_view& input, PageShiftedBuffer& output) {
  input_ = &input;
  output_ = &output;
  ForgetErrors();
  const Outcome outcome = Classify(SSL_do_handshake(ssl_));
  input_ = nullptr;
  output_ = nullptr;
  return outcome;
}

Stream::Outcome Stream::Read(std::string_view& input, char* buffer, size_t capacity, size_t& size,
                             PageShiftedBuffer& output) {
  input_ = &input;
  output_ = &output;
  ForgetErrors();
  const Outcome outcome = Classify(SSL_read_ex(ssl_, buffer, capacity, &size));
  input_ = nullptr;
  output_ = nullptr;
  return outcome;
}

bool Stream::CanRead(std::string_view input) const { return !input.empty() || SSL_has_pending(ssl_); }

Stream::Outcome Stream::Write(std::string_view plaintext, PageShiftedBuffer& output) {
  if (plaintext.empty()) return Outcome::kDone;
  output_ = &output;
  ForgetErrors();
  size_t written = 0;
  const Outcome outcome = Classify(SSL_write_ex(ssl_, plaintext.data(), plaintext.size(), &written));
  output_ = nullptr;
  return outcome;
}

void Stream::Close(PageShiftedBuffer& output) {
  output_ = &output;
  ForgetErrors();
  SSL_shutdown(ssl_);
  ForgetErrors();
  output_ = nullptr;
}

std::string_view Stream::alpn_protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

void Stream::DescribePeer(http::ConnectionInfo& info) const {
  info.tls = true;
  X509* peer = SSL_get0_peer_certificate(ssl_);
  if (!peer) return;
  // A resumed session brings the verdict of its first handshake: time has passed since.
  const bool expired = X509_cmp_current_time(X509_get0_notAfter(peer)) < 0;
  const auto now = [expired](long verdict) {
    return verdict == X509_V_OK && expired ? X509_V_ERR_CERT_HAS_EXPIRED : verdict;
  };
  const long verdict = now(SSL_get_verify_result(ssl_));
  const auto proxy_verdict = Context::ProxyVerdict(ssl_);
  const bool proxy = proxy_verdict && now(*proxy_verdict) == X509_V_OK;
  const auto described = verdict == X509_V_OK || proxy ? DescribeCertificate(peer) : nullptr;
  if (verdict != X509_V_OK) {
    info.peer_certificate_error = X509_verify_cert_error_string(verdict);
  } else if (!described->error.empty()) {
    info.peer_certificate_error = described->error;
  } else {
    info.peer_certificate = described;
  }
  if (proxy) {
    info.proxy_certificate = described;
  } else if (proxy_verdict) {
    info.proxy_certificate_error = X509_verify_cert_error_string(now(*proxy_verdict));
  }
}

}  // namespace keelson::net::tls
