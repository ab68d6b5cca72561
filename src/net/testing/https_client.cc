#include "net/testing/https_client.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/openssl.h"

namespace keelson::net::testing {
namespace {

namespace openssl = base::openssl;
using openssl::LastError;
using SslPtr = openssl::Owned<SSL, SSL_free>;
using SslCtxPtr = openssl::Owned<SSL_CTX, SSL_CTX_free>;
using SslSessionPtr = openssl::Owned<SSL_SESSION, SSL_SESSION_free>;

base::Result<int, std::string> ConnectTcp(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int e = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); e != 0) {
    return base::Err(std::string(gai_strerror(e)));
  }
  int fd = -1;
  for (addrinfo* a = found; a && fd < 0; a = a->ai_next) {
    fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) close(std::exchange(fd, -1));
  }
  freeaddrinfo(found);
  if (fd < 0) return base::Err("connect " + host + ":" + std::to_string(port) + ": " + std::strerror(errno));
  return fd;
}

std::string AlpnWire(std::string_view names) {
  std::string wire;
  while (!names.empty()) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    wire += static_cast<char>(name.size());
    wire += name;
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
  }
  return wire;
}

base::Result<SslCtxPtr, std::string> MakeContext(const TlsOptions& options) {
  SslCtxPtr ctx(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(ctx.get(), options.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(ctx.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(ctx.get(), SSL_MODE_AUTO_RETRY);
  if (options.at_most_tls12) SSL_CTX_set_max_proto_version(ctx.get(), TLS1_2_VERSION);
  openssl::BioPtr ca = openssl::MemoryBio(options.ca_pem);
  while (openssl::X509Ptr x{PEM_read_bio_X509(ca.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx.get()), x.get());
  }
  ERR_clear_error();
  if (!options.cert_pem.empty()) {
    openssl::BioPtr cert = openssl::MemoryBio(options.cert_pem);
    openssl::X509Ptr leaf(PEM_read_bio_X509(cert.get(), nullptr, nullptr, nullptr));
    openssl::BioPtr key_pem = openssl::MemoryBio(options.key_pem);
    openssl::KeyPtr key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
    if (!leaf || !key || SSL_CTX_use_certificate(ctx.get(), leaf.get()) != 1 ||
        SSL_CTX_use_PrivateKey(ctx.get(), key.get()) != 1) {
      return base::Err("client certificate: " + LastError());
    }
  }
  return ctx;
}

}  // namespace

RawSocket::RawSocket(uint16_t port, const char* from) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, from, &address.sin_addr);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  bool connected = bind(fd_, any, sizeof(address)) == 0;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connected = connected && connect(fd_, any, sizeof(address)) == 0;
  if (!connected) close(std::exchange(fd_, -1));
}

RawSocket::~RawSocket() {
  if (fd_ >= 0) close(fd_);
}

void RawSocket::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

std::string RawSocket::ReadToEnd(std::chrono::milliseconds timeout) {
  std::string all;
  char buffer[4096];
  pollfd p{.fd = fd_, .events = POLLIN, .revents = 0};
  while (poll(&p, 1, static_cast<int>(timeout.count())) > 0) {
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), 0);
    if (n <= 0) {
      ended_ = true;
      break;
    }
    all.append(buffer, static_cast<size_t>(n));
  }
  return all;
}

struct TlsSocket::State {
  SslCtxPtr ctx;
  SslPtr ssl;
  int fd = -1;
  ~State() {
    if (fd >= 0) close(fd);
  }
};

TlsSocket::TlsSocket(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsSocket::~TlsSocket() = default;

base::Result<std::unique_ptr<TlsSocket>, std::string> TlsSocket::Connect(const std::string& host,
                                                                         uint16_t port,
                                                                         const TlsOptions& options) {
  auto state = std::make_unique<State>();
  state->ctx = TRY(MakeContext(options));
  auto fd = TRY(ConnectTcp(host, port));
  state->fd = fd;
  state->ssl.reset(SSL_new(state->ctx.get()));
  SSL* ssl = state->ssl.get();
  SSL_set_fd(ssl, fd);
  in6_addr ignored;
  const bool is_address =
      inet_pton(AF_INET, host.c_str(), &ignored) == 1 || inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
  if (is_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else {
    SSL_set1_host(ssl, host.c_str());
    SSL_set_tlsext_host_name(ssl, host.c_str());
  }
  if (const std::string alpn = AlpnWire(options.alpn); !alpn.empty()) {
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
  }
  if (!options.session.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(options.session.data());
    const SslSessionPtr session(d2i_SSL_SESSION(nullptr, &bytes, static_cast<long>(options.session.size())));
    if (!session || SSL_set_session(ssl, session.get()) != 1) return base::Err("session: " + LastError());
  }
  if (SSL_connect(ssl) != 1) return base::Err("TLS: " + LastError());
  return std::unique_ptr<TlsSocket>(new TlsSocket(std::move(state)));
}

bool TlsSocket::Write(std::string_view bytes) {
  if (bytes.empty()) return true;
  // OpenSSL writes as if nobody could hang up.
  [[maybe_unused]] static const auto before = signal(SIGPIPE, SIG_IGN);
  ERR_clear_error();
  size_t written = 0;
  return SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &written) == 1;
}

base::Result<size_t, std::string> TlsSocket::Read(char* buffer, size_t capacity,
                                                  std::chrono::milliseconds timeout) {
  if (SSL_pending(state_->ssl.get()) == 0) {
    pollfd p{.fd = state_->fd, .events = POLLIN, .revents = 0};
    if (poll(&p, 1, static_cast<int>(timeout.count())) <= 0) return base::Err(std::string("timeout"));
  }
  ERR_clear_error();
  const int n = SSL_read(state_->ssl.get(), buffer, static_cast<int>(capacity));
  if (n > 0) return static_cast<size_t>(n);
  if (SSL_get_error(state_->ssl.get(), n) == SSL_ERROR_ZERO_RETURN) return size_t{0};
  return base::Err("read: " + LastError());
}

std::string TlsSocket::alpn_protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(state_->ssl.get(), &name, &size);
  return std::string(reinterpret_cast<const char*>(name), size);
}

int TlsSocket::peer_certificates() const { return sk_X509_num(SSL_get_peer_cert_chain(state_->ssl.get())); }

bool TlsSocket::resumed() const { return SSL_session_reused(state_->ssl.get()) == 1; }

std::string TlsSocket::session() const {
  const SSL_SESSION* session = SSL_get_session(state_->ssl.get());
  const int size = i2d_SSL_SESSION(session, nullptr);
  std::string bytes(static_cast<size_t>(std::max(size, 0)), '\0');
  auto* to = reinterpret_cast<unsigned char*>(bytes.data());
  if (size > 0) i2d_SSL_SESSION(session, &to);
  return bytes;
}

int TlsSocket::fd() const { return state_->fd; }

base::Result<std::unique_ptr<HttpsClient>, std::string> HttpsClient::Connect(const std::string& host,
                                                                             uint16_t port,
                                                                             const TlsOptions& options) {
  auto socket = TRY(TlsSocket::Connect(host, port, options));
  return std::unique_ptr<HttpsClient>(new HttpsClient(std::move(socket), host));
}

base::Result<HttpsClient::Response, std::string> HttpsClient::Do(std::string_view method,
                                                                 std::string_view target,
                                                                 const http::Headers& headers,
                                                                 std::string_view body) {
  auto reader = TRY(Open(method, target, headers, body));
  Response response = std::move(reader.head);
  while (true) {
    auto piece = TRY(ReadBody(timeout_));
    if (piece.empty()) return response;
    response.body += piece;
  }
}

base::Result<HttpsClient::Reader, std::string> HttpsClient::Open(std::string_view method,
                                                                 std::string_view target,
                                                                 const http::Headers& headers,
                                                                 std::string_view body) {
  std::string request;
  request.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!headers.Get("host")) request.append("host: ").append(host_).append("\r\n");
  for (const auto& [name, value] : headers) request.append(name).append(": ").append(value).append("\r\n");
  const bool framed = headers.Get("content-length") || headers.Get("transfer-encoding");
  if (!framed && (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH")) {
    request.append("content-length: ").append(std::to_string(body.size())).append("\r\n");
  }
  request.append("\r\n").append(body);
  if (!socket_->Write(request)) return base::Err(std::string("write: connection lost"));
  while (true) {
    auto head = TRY(ReadHead(method == "HEAD"));
    if (head.status < 200) continue;
    Reader reader(*this);
    reader.head = std::move(head);
    return reader;
  }
}

base::Result<bool, std::string> HttpsClient::Fill(std::chrono::milliseconds timeout) {
  char buffer[16 * 1024];
  auto n = TRY(socket_->Read(buffer, sizeof(buffer), timeout));
  in_.append(buffer, n);
  return n > 0;
}

base::Result<std::string, std::string> HttpsClient::ReadHeadLine(std::chrono::milliseconds timeout) {
  while (true) {
    if (const size_t end = in_.find("\r\n"); end != std::string::npos) {
      std::string line = in_.substr(0, end);
      in_.erase(0, end + 2);
      return line;
    }
    auto more = TRY(Fill(timeout));
    if (!more) return base::Err(std::string("connection closed"));
  }
}

base::Result<HttpsClient::Response, std::string> HttpsClient::ReadHead(bool is_head) {
  auto line = TRY(ReadHeadLine(timeout_));
  if (!line.starts_with("HTTP/1.") || line.size() < 12) return base::Err("malformed status line: " + line);
  Response response;
  response.status = std::atoi(line.c_str() + 9);
  while (true) {
    auto field = TRY(ReadHeadLine(timeout_));
    if (field.empty()) break;
    const size_t colon = field.find(':');
    if (colon == std::string::npos) return base::Err("malformed field: " + field);
    std::string name = field.substr(0, colon);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const size_t value = field.find_first_not_of(' ', colon + 1);
    response.headers.Add(name, value == std::string::npos ? "" : field.substr(value));
  }
  remaining_ = 0;
  chunk_open_ = false;
  if (is_head || response.status < 200 || response.status == 204 || response.status == 304) {
    framing_ = Framing::kNone;
  } else if (response.headers.Get("transfer-encoding") == "chunked") {
    framing_ = Framing::kChunked;
  } else if (auto length = response.headers.Get("content-length")) {
    framing_ = Framing::kLength;
    remaining_ = std::strtoull(std::string(*length).c_str(), nullptr, 10);
  } else {
    framing_ = Framing::kUntilClose;
  }
  return response;
}

std::string HttpsClient::TakeBody(uint64_t limit) {
  std::string bytes;
  if (in_.size() <= limit) {
    bytes.swap(in_);
  } else {
    bytes = in_.substr(0, limit);
    in_.erase(0, limit);
  }
  return bytes;
}

base::Result<std::string, std::string> HttpsClient::ReadBody(std::chrono::milliseconds timeout) {
  if (framing_ == Framing::kChunked && remaining_ == 0) {
    if (std::exchange(chunk_open_, true)) TRY(ReadHeadLine(timeout));
    auto size = TRY(ReadHeadLine(timeout));
    remaining_ = std::strtoull(size.c_str(), nullptr, 16);
    if (remaining_ == 0) {
      framing_ = Framing::kNone;
      TRY(ReadHeadLine(timeout));
    }
  }
  if (framing_ == Framing::kNone || (framing_ == Framing::kLength && remaining_ == 0)) return std::string();
  if (in_.empty()) {
    auto more = TRY(Fill(timeout));
    if (!more) {
      if (framing_ == Framing::kUntilClose) return std::string();
      return base::Err(std::string("connection closed inside a body"));
    }
  }
  if (framing_ == Framing::kUntilClose) return TakeBody(in_.size());
  std::string bytes = TakeBody(remaining_);
  remaining_ -= bytes.size();
  return bytes;
}

base::Result<std::string, std::string> HttpsClient::Reader::ReadSome(std::chrono::milliseconds timeout) {
  if (!line_.empty()) return std::exchange(line_, {});
  return client_->ReadBody(timeout);
}

base::Result<std::optional<std::string>, std::string> HttpsClient::Reader::ReadLine(
    std::chrono::milliseconds timeout) {
  using Line = std::optional<std::string>;
  while (true) {
    if (const size_t end = line_.find('\n'); end != std::string::npos) {
      Line line = line_.substr(0, end);
      line_.erase(0, end + 1);
      return line;
    }
    auto piece = TRY(client_->ReadBody(timeout));
    if (piece.empty()) return line_.empty() ? Line() : Line(std::exchange(line_, {}));
    line_ += piece;
  }
}

}  // namespace keelson::net::testing
