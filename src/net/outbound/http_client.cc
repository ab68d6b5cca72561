#include "net/outbound/http_client.h"

#include <charconv>
#include <forward_list>

#include "net/http1/parser.h"
#include "net/outbound/link.h"
#include "net/session/response_head.h"

namespace keelson::net::outbound {
namespace {

using http::BodyReader;
using http::BodySource;
using http::ClientError;
using http::ClientRequest;
using http::Destination;
using http::Response;

constexpr size_t kMaxHeadBytes = 256 * 1024;

// How the end of an answer's body is known.
enum class Framing : uint8_t { kNone, kLength, kChunked, kUntilClose, kUpgraded };

std::string HexSize(size_t n) {
  char text[20];
  return std::string(text, std::to_chars(text, text + sizeof(text), n, 16).ptr);
}

// Sends a request's body, or all that comes after an upgrade, until it ends.
base::Task<void> SendBody(std::shared_ptr<Link> link, BodyReader& body, bool chunked) {
  while (!link->ended()) {
    auto reading = body.Read();
    auto piece = co_await std::move(reading);
    if (!piece) co_return link->Close();  // the server must not take it for the whole
    if (!*piece) break;
    const std::string_view bytes = (*piece)->view();
    if (bytes.empty()) continue;
    if (chunked) link->Write(HexSize(bytes.size()) + "\r\n");
    link->Write(bytes);
    if (chunked) link->Write("\r\n");
    auto drained = link->Drained();
    co_await std::move(drained);
  }
  if (chunked) link->Write("0\r\n\r\n");
}

// The body of an answer as it arrives; closes the link at its own end.
class AnswerBody final : public BodySource {
 public:
  AnswerBody(std::shared_ptr<Link> link, Framing framing, uint64_t length, BodyReader* upgraded)
      : link_(std::move(link)), framing_(framing), left_(length), upgraded_(upgraded) {
    link_->set_on_input([this] { Wake(); });
  }
  ~AnswerBody() override {
    link_->set_on_input(nullptr);
    link_->Close();
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    if (BodyReader* body = std::exchange(upgraded_, nullptr))
      base::Spawn(SendBody(link_, *body, /*chunked=*/false));
    if (draining_) return State::kEnd;
    const size_t before = out.size();
    const bool ended = framing_ == Framing::kChunked ? Chunks(limit, out) : Plain(limit, out);
    if (ended) return State::kEnd;
    return out.size() > before ? State::kMore : State::kSleep;
  }
  std::optional<uint64_t> Size() const override {
    return framing_ == Framing::kLength ? std::optional(left_) : std::nullopt;
  }
  void Drain() override {
    if (framing_ == Framing::kLength) return;
    draining_ = true;
    Wake();
  }

 private:
  // Both: whether that was the end.
  bool Plain(size_t limit, std::vector<base::Slice>& out) {
    std::string_view bytes = link_->input().substr(0, limit);
    if (framing_ == Framing::kLength) bytes = bytes.substr(0, left_);
    if (!bytes.empty()) {
      out.push_back(base::Slice::Copy(bytes));
      left_ -= framing_ == Framing::kLength ? bytes.size() : 0;
      link_->Consume(bytes.size());
    }
    if (framing_ == Framing::kLength && left_ == 0) return true;
    return link_->input().empty() && link_->ended();
  }

  bool Chunks(size_t limit, std::vector<base::Slice>& out) {
    for (size_t given = 0; given < limit;) {
      std::string_view input = link_->input(), payload;
      const size_t had = input.size();
      if (had == 0) return link_->ended();
      const auto status = chunks_.Next(input, payload);
      if (!payload.empty()) out.push_back(base::Slice::Copy(payload));
      given += payload.size();
      link_->Consume(had - input.size());
      using Status = http1::ChunkedDecoder::Status;
      if (status == Status::kEnd || status == Status::kBad) return true;
      if (status == Status::kNeedMore && link_->input().empty()) return link_->ended();
    }
    return false;
  }

  const std::shared_ptr<Link> link_;
  const Framing framing_;
  uint64_t left_;
  BodyReader* upgraded_;
  http1::ChunkedDecoder chunks_;
  bool draining_ = false;
};

std::string HeadOf(const ClientRequest& request, std::optional<uint64_t> size) {
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : request.headers) {
    if (name == "content-length" || name == "transfer-encoding") continue;
    std::forward_list<std::string> cleaned;
    head.append(name).append(": ").append(WireValue(value, cleaned)).append("\r\n");
  }
  if (!request.body) return head + "\r\n";
  if (!size) return head + "transfer-encoding: chunked\r\n\r\n";
  if (*size > 0 || (request.method != "GET" && request.method != "HEAD"))
    head += "content-length: " + std::to_string(*size) + "\r\n";
  return head + "\r\n";
}

Framing FramingOf(const http1::ResponseHead& head, std::string_view method) {
  if (head.status == 101) return Framing::kUpgraded;
  if (method == "HEAD" || !StatusAllowsBody(head.status)) return Framing::kNone;
  if (head.chunked) return Framing::kChunked;
  if (head.content_length) return *head.content_length ? Framing::kLength : Framing::kNone;
  return Framing::kUntilClose;
}

// The next head that is not an interim one; it is consumed.
base::Task<base::Result<http1::ResponseHead, std::string>> ReadHead(std::shared_ptr<Link> link) {
  using Head = base::Result<http1::ResponseHead, std::string>;
  for (;;) {
    http1::HeadScanner scanner;
    size_t size = 0;
    for (;;) {
      const auto scanned = scanner.Scan(link->input());
      if (!scanned)
        co_return Head(base::Err("malformed HTTP response: " + std::string(scanned.error().detail)));
      size = *scanned;
      if (size > 0) break;
      const size_t known = link->input().size();
      if (known > kMaxHeadBytes) co_return Head(base::Err(std::string("the response's header is too large")));
      if (link->ended())
        co_return Head(base::Err(link->error().empty() ? std::string("EOF") : link->error()));
      auto more = link->MoreInput(known);
      co_await std::move(more);
    }
    auto head = http1::ParseResponseHead(link->input().substr(0, size));
    link->Consume(size);
    if (!head) co_return Head(base::Err("malformed HTTP response: " + std::string(head.error().detail)));
    if (head->status >= 200 || head->status == 101) co_return Head(*std::move(head));
  }
}

class HttpClient final : public http::Client {
 public:
  explicit HttpClient(const tls::ClientContext& tls) : tls_(tls) {}

  base::Task<base::Result<Response, ClientError>> Send(Destination destination,
                                                       ClientRequest request) override {
    using Answer = base::Result<Response, ClientError>;
    auto opening = Open(destination);
    auto opened = co_await std::move(opening);
    if (!opened) co_return Answer(base::Err(std::move(opened.error())));
    const std::shared_ptr<Link> link = *std::move(opened);

    const bool upgrade = request.headers.Get("upgrade").has_value();
    BodyReader* const body = upgrade ? nullptr : request.body;
    const auto size = body ? body->Size() : std::optional<uint64_t>(0);
    link->Write(HeadOf(request, size));
    if (body && size != 0) base::Spawn(SendBody(link, *body, /*chunked=*/!size));
    auto reading = ReadHead(link);
    auto head = co_await std::move(reading);
    if (!head) {
      link->Close();
      co_return Answer(base::Err(ClientError{ClientError::Kind::kBroken, std::move(head.error())}));
    }
    Response response;
    response.status = head->status;
    response.headers = std::move(head->headers);
    const Framing framing = FramingOf(*head, request.method);
    if (framing == Framing::kNone) {
      link->Close();
      co_return Answer(std::move(response));
    }
    response.body = std::make_unique<AnswerBody>(link, framing, head->content_length.value_or(0),
                                                 framing == Framing::kUpgraded ? request.body : nullptr);
    co_return Answer(std::move(response));
  }

 private:
  base::Task<base::Result<std::shared_ptr<Link>, ClientError>> Open(Destination destination) {
    using Opened = base::Result<std::shared_ptr<Link>, ClientError>;
    ClientError error;
    auto resolving = Resolve(destination.host, destination.port);
    const Resolved resolved = co_await std::move(resolving);
    if (!resolved.error.empty()) {
      error.message = resolved.error;
      co_return Opened(base::Err(std::move(error)));
    }
    // All, not only the one that would be taken: what a name stands for must be allowed.
    for (const Address& address : resolved.addresses)
      if (destination.global_only && !address.IsGlobalUnicast())
        co_return Opened(base::Err(ClientError{ClientError::Kind::kNotAllowed, "address not allowed"}));
    auto& loop = static_cast<EventLoop&>(*base::Executor::Current());
    for (const Address& address : resolved.addresses) {
      auto opening = Link::Open(loop, address, destination.tls ? &tls_ : nullptr, destination.host);
      auto link = co_await std::move(opening);
      if (link) co_return Opened(*std::move(link));
      error.message = std::move(link.error());
    }
    co_return Opened(base::Err(std::move(error)));
  }

  const tls::ClientContext& tls_;
};

}  // namespace

std::unique_ptr<http::Client> MakeHttpClient(const tls::ClientContext& tls) {
  return std::make_unique<HttpClient>(tls);
}

}  // namespace keelson::net::outbound
