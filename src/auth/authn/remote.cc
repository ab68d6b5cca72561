#include "auth/authn/remote.h"

#include <charconv>
#include <utility>
#include <vector>

namespace keelson::auth {
namespace {

// A body that is there already.
class WholeBody final : public net::http::BodyReader {
 public:
  explicit WholeBody(std::string text) : size_(text.size()), text_(std::move(text)) {}
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, net::http::BodyError>;
    if (text_.empty()) co_return Piece(std::nullopt);
    co_return Piece(std::optional(base::Slice::Copy(std::exchange(text_, {}))));
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  const uint64_t size_;
  std::string text_;
};

// nullopt: the answer broke off or is too long.
base::Task<std::optional<std::string>> ReadWhole(net::http::BodySource& body, size_t limit) {
  using State = net::http::BodySource::State;
  std::string text;
  for (;;) {
    const base::Completion<bool> woken;
    body.set_waker([woken, once = false]() mutable {
      if (!std::exchange(once, true)) woken.Set(true);
    });
    std::vector<base::Slice> slices;
    const State state = body.Next(limit - text.size() + 1, slices);
    for (const base::Slice& slice : slices) text.append(slice.view());
    if (state == State::kFailed || text.size() > limit) co_return std::nullopt;
    if (state == State::kEnd) co_return text;
    if (state == State::kSleep) co_await woken;
  }
}

// A URL as errors show it: who it names as a user, and its query, may be secret.
std::string WithoutSecrets(std::string_view url) {
  std::string shown(url.substr(0, url.find_first_of("?#")));
  if (const size_t at = shown.rfind('@'); at != std::string::npos) {
    const size_t scheme = shown.find("://");
    const size_t begin = scheme == std::string::npos || scheme > at ? 0 : scheme + 3;
    shown.replace(begin, at - begin, "...");
  }
  return shown;
}

}  // namespace

base::Result<RemoteUrl, std::string> ParseRemoteUrl(std::string_view url) {
  const auto bad = [&](std::string_view why) {
    return base::Err("\"" + WithoutSecrets(url) + "\" cannot be asked: " + std::string(why));
  };
  RemoteUrl parsed;
  std::string_view rest = url;
  parsed.destination.tls = rest.starts_with("https://");
  if (!parsed.destination.tls && !rest.starts_with("http://")) return bad("it is no URL of http or https");
  rest.remove_prefix(parsed.destination.tls ? 8 : 7);
  for (const char c : rest)
    if (c <= ' ' || c == 0x7f) return bad("it has a character that no URL has");
  if (rest.find('#') != std::string_view::npos) return bad("it has a fragment");
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos) return bad("it has a user");
  parsed.authority = authority;
  parsed.target = rest.substr(end);
  if (!parsed.target.starts_with('/')) parsed.target.insert(0, "/");

  std::string_view host = authority, port;
  if (host.starts_with('[')) {
    const size_t close = host.find(']');
    if (close == std::string_view::npos) return bad("its address has no end");
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
  } else if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (host.empty()) return bad("it has no host");
  parsed.destination.host = host;
  parsed.destination.port = parsed.destination.tls ? 443 : 80;
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto [last, error] =
        std::from_chars(port.data(), port.data() + port.size(), parsed.destination.port);
    if (error != std::errc() || last != port.data() + port.size() || parsed.destination.port == 0)
      return bad("its port is none");
  }
  return parsed;
}

base::Task<base::Result<RemoteAnswer, RemoteError>> AskRemote(net::http::Client& client,
                                                              RemoteRequest request) {
  WholeBody body(std::move(request.body));
  net::http::ClientRequest asked{.method = std::move(request.method),
                                 .target = std::move(request.url.target),
                                 .headers = std::move(request.headers),
                                 .body = *body.Size() > 0 ? &body : nullptr,
                                 .head_timeout = request.timeout,
                                 .whole_timeout = request.timeout};
  asked.headers.Set("host", request.url.authority);
  if (!asked.headers.Get("user-agent")) asked.headers.Set("user-agent", "kube-apiserver");
  const std::string where = request.url.authority;
  auto response = co_await client.Send(std::move(request.url.destination), std::move(asked));
  if (!response) {
    const net::http::ClientError& error = response.error();
    co_return base::Err(
        RemoteError{.may_pass = error.kind == net::http::ClientError::Kind::kBroken && !error.timed_out,
                    .message = "cannot ask " + where + ": " + error.message,
                    .timed_out = error.timed_out});
  }
  RemoteAnswer answer{.status = response->status};
  if (response->body) {
    auto text = co_await ReadWhole(*response->body, request.limit_bytes);
    if (!text)
      co_return base::Err(RemoteError{true, "the answer of " + where + " breaks off or is too long"});
    answer.body = *std::move(text);
  }
  co_return answer;
}

base::Task<void> WaitFor(std::chrono::nanoseconds delay) {
  base::Executor* const executor = base::Executor::Current();
  if (!executor) co_return;
  const base::Completion<bool> due;
  executor->PostAfter(delay, [due] { due.Set(true); });
  co_await due;
}

}  // namespace keelson::auth
