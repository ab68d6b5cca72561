#include "net/outbound/http_client.h"

#include <charconv>

#include "net/http/text.h"
#include "net/http1/parser.h"
#include "net/outbound/http2_answer.h"
#include "net/outbound/http2_links.h"
#include "net/outbound/idle_links.h"
#include "net/outbound/link.h"
#include "net/outbound/undertaking.h"
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
constexpr int kMaxInterimHeads = 5;
constexpr size_t kJoinedBytes = 12 * 1024;  // of a body, that a copy is cheaper for than a write of their own

// How the end of an answer's body is known.
enum class Framing : uint8_t { kNone, kLength, kChunked, kUntilClose, kUpgraded };

std::string HexSize(size_t n) {
  char text[20];
  return std::string(text, std::to_chars(text, text + sizeof(text), n, 16).ptr);
}

// Sends a request's body, or all that comes after an upgrade, until it ends. What is there of it at once goes
// out with the head, in one piece: each piece costs the kernel, and the peer, as much as kilobytes do.
base::Task<void> SendBody(std::shared_ptr<Undertaking> undertaking, std::shared_ptr<Link> link,
                          BodyReader& body, bool chunked) {
  while (!link->ended()) {
    auto piece = co_await body.Read();
    if (!piece) co_return link->Close();  // the server must not take it for the whole
    if (!*piece) break;
    const std::string_view bytes = (*piece)->view();
    if (bytes.empty()) continue;
    std::string before = undertaking->TakeHead();
    if (chunked) before += HexSize(bytes.size()) + "\r\n";
    const std::string_view after = chunked ? "\r\n" : "";
    if (!before.empty() && bytes.size() <= kJoinedBytes) {
      link->Write(before.append(bytes).append(after));
    } else {
      for (const std::string_view part : {std::string_view(before), bytes, after}) link->Write(part);
    }
    co_await link->Drained();
    undertaking->BodyProgressed();
  }
  if (chunked) link->Write(undertaking->TakeHead() + "0\r\n\r\n");
  undertaking->BodySent();
}

// Gets the link of an answer that ended so that the next one can follow on it.
using KeepLink = std::function<void(std::shared_ptr<Link>)>;

// The body of an answer as it arrives; closes the link at its own end, unless that is kept.
class AnswerBody final : public BodySource {
 public:
  // `keep` is empty where the link cannot serve another request.
  AnswerBody(std::shared_ptr<Undertaking> undertaking, std::shared_ptr<Link> link, Framing framing,
             uint64_t length, BodyReader* upgraded, KeepLink keep)
      : undertaking_(std::move(undertaking)),
        link_(std::move(link)),
        framing_(framing),
        left_(length),
        upgraded_(upgraded),
        keep_(std::move(keep)) {
    link_->set_on_input([this] { Wake(); });
  }
  ~AnswerBody() override {
    link_->set_on_input(nullptr);
    if (ended_ && keep_ && undertaking_->body_sent() && link_->input().empty() && !link_->ended()) {
      undertaking_->LetGo();
      keep_(link_);
    } else {
      link_->Close();
    }
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    if (BodyReader* body = std::exchange(upgraded_, nullptr))
      base::Spawn(SendBody(undertaking_, link_, *body, /*chunked=*/false));
    if (draining_) return framing_ == Framing::kUpgraded ? State::kEnd : State::kFailed;
    const size_t before = out.size();
    const State state = framing_ == Framing::kChunked ? Chunks(limit, out) : Plain(limit, out);
    ended_ = ended_ || state == State::kEnd;
    return state == State::kSleep && out.size() > before ? State::kMore : state;
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
  // Both: kSleep as long as more is to come.
  State Plain(size_t limit, std::vector<base::Slice>& out) {
    std::string_view bytes = link_->input().substr(0, limit);
    if (framing_ == Framing::kLength) bytes = bytes.substr(0, left_);
    if (!bytes.empty()) {
      out.push_back(base::Slice::Copy(bytes));
      left_ -= framing_ == Framing::kLength ? bytes.size() : 0;
      link_->Consume(bytes.size());
    }
    if (framing_ == Framing::kLength && left_ == 0) return State::kEnd;
    if (!link_->input().empty() || !link_->ended()) return State::kSleep;
    const bool whole =
        framing_ == Framing::kUpgraded || (framing_ == Framing::kUntilClose && link_->ended_cleanly());
    return whole ? State::kEnd : State::kFailed;
  }

  State Chunks(size_t limit, std::vector<base::Slice>& out) {
    for (size_t given = 0; given < limit;) {
      std::string_view input = link_->input(), payload;
      const size_t had = input.size();
      if (had == 0) return link_->ended() ? State::kFailed : State::kSleep;
      const auto status = chunks_.Next(input, payload);
      if (!payload.empty()) out.push_back(base::Slice::Copy(payload));
      given += payload.size();
      link_->Consume(had - input.size());
      using Status = http1::ChunkedDecoder::Status;
      if (status == Status::kEnd) return State::kEnd;
      if (status == Status::kBad) return State::kFailed;
    }
    return State::kSleep;
  }

  const std::shared_ptr<Undertaking> undertaking_;
  const std::shared_ptr<Link> link_;
  const Framing framing_;
  uint64_t left_;
  BodyReader* upgraded_;
  const KeepLink keep_;
  http1::ChunkedDecoder chunks_;
  bool draining_ = false, ended_ = false;
};

bool IsFraming(std::string_view name) { return name == "content-length" || name == "transfer-encoding"; }

// What is wrong with the head of a request, in the words of Go's client; nullopt: it can be sent. A
// line end in it would begin another field, or another request.
std::optional<std::string> WhyUnsendable(const ClientRequest& request) {
  if (!http1::IsToken(request.method)) return "net/http: invalid method";
  if (!request.target.starts_with('/') || !http1::IsTarget(request.target))
    return "net/http: can't write control character in Request.URL";
  for (const auto& [name, value] : request.headers) {
    if (IsFraming(name)) continue;
    if (!http1::IsToken(name)) return "net/http: invalid header field name";
    if (!http1::IsFieldValue(value)) return "net/http: invalid header field value for \"" + name + "\"";
  }
  return std::nullopt;
}

// Requires: it can be sent.
std::string HeadOf(const ClientRequest& request, std::optional<uint64_t> size) {
  std::string head;
  // With the body, where that follows in one piece.
  head.reserve(512 + (size && *size <= kJoinedBytes ? *size : 0));
  head.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : request.headers)
    if (!IsFraming(name)) head.append(name).append(": ").append(value).append("\r\n");
  if (!request.body) return head + "\r\n";
  if (!size) return head + "transfer-encoding: chunked\r\n\r\n";
  if (*size > 0 || (request.method != "GET" && request.method != "HEAD"))
    head += "content-length: " + std::to_string(*size) + "\r\n";
  return head + "\r\n";
}

// The protocol that an answer of 101 switches to; empty: it does not say.
std::string_view SwitchedTo(const http1::ResponseHead& head) {
  if (!http::ListHas(head.headers.Joined("connection"), "upgrade")) return {};
  return head.headers.Get("upgrade").value_or("");
}

Framing FramingOf(const http1::ResponseHead& head, std::string_view method) {
  if (head.status == 101) return Framing::kUpgraded;
  if (method == "HEAD" || !StatusAllowsBody(head.status)) return Framing::kNone;
  if (head.chunked) return Framing::kChunked;
  if (head.content_length) return *head.content_length ? Framing::kLength : Framing::kNone;
  return Framing::kUntilClose;
}

// Whether the server goes on listening after this answer.
bool StaysOpen(const http1::ResponseHead& head, Framing framing) {
  return head.minor_version >= 1 && !http::ListHas(head.headers.Joined("connection"), "close") &&
         framing != Framing::kUntilClose && framing != Framing::kUpgraded;
}

// The next head that is not an interim one; it is consumed.
base::Task<base::Result<http1::ResponseHead, std::string>> ReadHead(std::shared_ptr<Link> link) {
  using Head = base::Result<http1::ResponseHead, std::string>;
  for (int interim = 0; interim <= kMaxInterimHeads; ++interim) {
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
      co_await link->MoreInput(known);
    }
    auto head = http1::ParseResponseHead(link->input().substr(0, size));
    link->Consume(size);
    if (!head) co_return Head(base::Err("malformed HTTP response: " + std::string(head.error().detail)));
    if (head->status >= 200 || head->status == 101) co_return Head(*std::move(head));
  }
  co_return Head(base::Err(std::string("net/http: too many 1xx informational responses")));
}

class HttpClient final : public http::Client {
 public:
  HttpClient(const tls::ClientContext& tls, Resolver& resolver, HttpClientOptions options)
      : tls_(tls), resolver_(resolver), options_(options) {}

  base::Task<base::Result<Response, ClientError>> Send(Destination destination,
                                                       ClientRequest request) override {
    using Answer = base::Result<Response, ClientError>;
    if (auto why = WhyUnsendable(request))
      co_return Answer(base::Err(ClientError{ClientError::Kind::kMalformed, *std::move(why)}));
    auto& loop = static_cast<EventLoop&>(*base::Executor::Current());
    auto undertaking = std::make_shared<Undertaking>(loop, request);
    if (request.on_behalf_of)
      request.on_behalf_of->WhenGone([held = std::weak_ptr(undertaking)] {
        if (const auto left = held.lock()) left->GiveUp("context canceled");
      });
    const std::string where = Where(destination);
    const auto asked = request.headers.Get("upgrade");
    const bool http2 = options_.http2 && destination.tls && !asked;
    if (http2)
      if (auto shared = shared_->Find(loop, where))
        co_return co_await SendByHttp2(std::move(shared), request, std::move(undertaking));
    std::shared_ptr<Link> link = options_.keep_connections ? idle_->Take(loop, where) : nullptr;
    const bool reused = link != nullptr;
    if (reused) {
      undertaking->Use(link);
    } else {
      std::optional<Http2Links::Opening> opening;
      if (http2) {
        if (auto shared = co_await OfAnother(undertaking, loop, where))
          co_return co_await SendByHttp2(std::move(shared), request, std::move(undertaking));
        opening.emplace(shared_, loop, where);
      }
      auto opened = co_await Open(undertaking, std::move(destination), http2);
      if (!opened) co_return Answer(base::Err(std::move(opened.error())));
      link = *std::move(opened);
      if (link->chose_http2()) {
        auto shared = Http2Link::Start(loop, std::move(link), options_.idle_timeout);
        opening->Share(shared);
        opening.reset();
        co_return co_await SendByHttp2(std::move(shared), request, std::move(undertaking));
      }
      if (opening) opening->Decline();
    }

    BodyReader* const body = asked ? nullptr : request.body;
    const auto size = body ? body->Size() : std::optional<uint64_t>(0);
    undertaking->SetHead(HeadOf(request, size));
    if (body && size != 0) {
      base::Spawn(SendBody(undertaking, link, *body, /*chunked=*/!size));
    } else {
      undertaking->BodySent();
    }
    link->Write(undertaking->TakeHead());
    auto head = co_await ReadHead(link);
    if (!head) {
      const bool unheard = reused && link->input().empty() && undertaking->why_given_up().empty();
      link->Close();
      co_return Answer(base::Err(ClientError{ClientError::Kind::kBroken, std::move(head.error()),
                                             undertaking->timed_out(), unheard}));
    }
    undertaking->HeadArrived();
    co_return Answered(*std::move(head), request, std::move(undertaking), std::move(link), where);
  }

 private:
  // Connections to one destination are alike.
  static std::string Where(const Destination& destination) {
    return std::string(destination.tls ? "https " : "http ") + destination.host + " " +
           std::to_string(destination.port) + (destination.global_only ? " " : " * ") + destination.tls_name;
  }

  base::Result<Response, ClientError> Answered(http1::ResponseHead head, const ClientRequest& request,
                                               std::shared_ptr<Undertaking> undertaking,
                                               std::shared_ptr<Link> link, const std::string& where) {
    const Framing framing = FramingOf(head, request.method);
    const auto asked = request.headers.Get("upgrade");
    if (framing == Framing::kUpgraded && !http::ListHas(asked.value_or(""), SwitchedTo(head))) {
      link->Close();
      return base::Err(Unasked(SwitchedTo(head), asked.value_or("")));
    }
    KeepLink keep;
    if (options_.keep_connections && StaysOpen(head, framing)) {
      auto& loop = static_cast<EventLoop&>(*base::Executor::Current());
      keep = [&loop, idle = std::weak_ptr(idle_), where](std::shared_ptr<Link> done) {
        const auto links = idle.lock();
        links ? links->Keep(loop, where, std::move(done)) : done->Close();
      };
    }
    Response response;
    response.status = head.status;
    response.headers = std::move(head.headers);
    BodyReader* const upgraded = framing == Framing::kUpgraded ? request.body : nullptr;
    if (framing != Framing::kNone) {
      response.body =
          std::make_unique<AnswerBody>(std::move(undertaking), std::move(link), framing,
                                       head.content_length.value_or(0), upgraded, std::move(keep));
    } else if (keep && undertaking->body_sent() && link->input().empty()) {
      undertaking->LetGo();
      keep(std::move(link));
    } else {
      link->Close();
    }
    return response;
  }

  static ClientError Unasked(std::string_view switched_to, std::string_view asked) {
    ClientError error{ClientError::Kind::kUnasked, "backend tried to switch protocol \""};
    error.message.append(switched_to).append("\" when \"").append(asked).append("\" was requested");
    return error;
  }

  bool Allows(const Destination& destination, const Address& address) const {
    return !destination.global_only || address.IsGlobalUnicast() ||
           (options_.allow_loopback && address.IsLoopback());
  }

  // Where somebody else is making a connection that may be shared, that one. Null: there is none, or its
  // server does not speak HTTP/2.
  base::Task<std::shared_ptr<Http2Link>> OfAnother(std::shared_ptr<Undertaking> undertaking, EventLoop& loop,
                                                   const std::string& where) {
    const auto wait = shared_->Join(loop, where);
    if (!wait) co_return nullptr;
    undertaking->Use(wait);
    co_await wait->Over();
    co_return undertaking->why_given_up().empty() ? shared_->Find(loop, where) : nullptr;
  }

  // Whom a connection leads to. `http2`: HTTP/2 is offered.
  Link::Peer PeerAt(const Destination& destination, bool http2) const {
    return {.tls = destination.tls ? &tls_ : nullptr,
            .name = destination.tls_name.empty() ? destination.host : destination.tls_name,
            .http2 = http2};
  }

  base::Task<base::Result<std::shared_ptr<Link>, ClientError>> Open(std::shared_ptr<Undertaking> undertaking,
                                                                    Destination destination, bool http2) {
    using Opened = base::Result<std::shared_ptr<Link>, ClientError>;
    if (options_.proxy)
      co_return co_await OpenThrough(*options_.proxy, undertaking, std::move(destination), http2);
    const Resolved resolved = co_await resolver_.Resolve(destination.host, destination.port);
    ClientError error{ClientError::Kind::kUnreachable, resolved.error};
    // All, not only the one that would be taken: what a name stands for must be allowed.
    for (const Address& address : resolved.addresses)
      if (!Allows(destination, address))
        co_return Opened(base::Err(ClientError{ClientError::Kind::kNotAllowed, "address not allowed"}));
    auto& loop = static_cast<EventLoop&>(*base::Executor::Current());
    for (const Address& address : resolved.addresses) {
      if (!undertaking->why_given_up().empty()) break;
      const auto link = Link::Open(loop, address, PeerAt(destination, http2), options_.connect_timeout);
      undertaking->Use(link);
      if (co_await link->Opened()) co_return Opened(link);
      error.message = link->error();
    }
    if (!undertaking->why_given_up().empty()) error.message = undertaking->why_given_up();
    error.timed_out = undertaking->timed_out();
    co_return Opened(base::Err(std::move(error)));
  }

  // The proxy resolves names: only of addresses can be said here whether they are allowed.
  base::Task<base::Result<std::shared_ptr<Link>, ClientError>> OpenThrough(
      const ConnectProxy& proxy, std::shared_ptr<Undertaking> undertaking, Destination destination,
      bool http2) {
    using Opened = base::Result<std::shared_ptr<Link>, ClientError>;
    auto& loop = static_cast<EventLoop&>(*base::Executor::Current());
    if (Address::Parse(destination.host)) {
      const Resolved meant = co_await resolver_.Resolve(destination.host, destination.port);
      for (const Address& address : meant.addresses)
        if (!Allows(destination, address))
          co_return Opened(base::Err(ClientError{ClientError::Kind::kNotAllowed, "address not allowed"}));
    }
    const Resolved resolved = co_await resolver_.Resolve(proxy.host, proxy.port);
    ClientError error{ClientError::Kind::kUnreachable, resolved.error};
    for (const Address& address : resolved.addresses) {
      if (!undertaking->why_given_up().empty()) break;
      const auto link =
          Link::Open(loop, address, {.tls = proxy.tls, .name = proxy.host}, options_.connect_timeout);
      undertaking->Use(link);
      if (!co_await link->Opened()) {
        error.message = link->error();
        continue;
      }
      error.message = co_await Tunnel(link, destination, http2);
      if (error.message.empty()) co_return Opened(link);
      link->Close();
      break;  // the proxy has spoken
    }
    if (!undertaking->why_given_up().empty()) error.message = undertaking->why_given_up();
    error.timed_out = undertaking->timed_out();
    co_return Opened(base::Err(std::move(error)));
  }

  // Has the proxy behind `link` connect it to the destination, with TLS there if that is wanted. Empty: done;
  // else why not.
  base::Task<std::string> Tunnel(std::shared_ptr<Link> link, const Destination& destination, bool http2) {
    const bool v6 = destination.host.find(':') != std::string::npos;
    const std::string target =
        (v6 ? "[" + destination.host + "]" : destination.host) + ":" + std::to_string(destination.port);
    link->Write("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
    const auto head = co_await ReadHead(link);
    if (!head)
      co_return "reading HTTP response from CONNECT to " + target + " via proxy failed: " + head.error();
    if (head->status != 200)
      co_return "proxy error while dialing " + target + ", code " + std::to_string(head->status);
    if (!destination.tls) co_return std::string();
    co_return co_await link->Secure(PeerAt(destination, http2)) ? std::string() : link->error();
  }

  const tls::ClientContext& tls_;
  Resolver& resolver_;
  const HttpClientOptions options_;
  // Bodies, and connections that are being made, may outlive this.
  const std::shared_ptr<IdleLinks> idle_ = std::make_shared<IdleLinks>();
  const std::shared_ptr<Http2Links> shared_ = std::make_shared<Http2Links>();
};

}  // namespace

std::unique_ptr<http::Client> MakeHttpClient(const tls::ClientContext& tls, Resolver& resolver,
                                             HttpClientOptions options) {
  return std::make_unique<HttpClient>(tls, resolver, options);
}

}  // namespace keelson::net::outbound
