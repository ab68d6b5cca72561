#include "auth/authn/remote.h"

#include <charconv>
#include <utility>
#include <vector>

namespace keelson::auth {
namespace {

// A body that is there already.
class WholeBody final : public net::http::BodyReader {
 public:
  explicit WholeBody(base::Slice text) : size_(text.size()), text_(std::move(text)) {}
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, net::http::BodyError>;
    if (text_.empty()) co_return Piece(std::nullopt);
    co_return Piece(std::optional(std::exchange(text_, {})));
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  const uint64_t size_;
  base::Slice text_;
};

// How often a request is sent again whose connection was gone before any answer, and one that the server has
// refused to begin with; Go's client refuses to go on after as many of the latter.
constexpr int kMostGone = 32, kMostRefused = 6;

enum class NotRead : uint8_t { kBroken, kTooLong };

base::Task<base::Result<std::string, NotRead>> ReadWhole(net::http::BodySource& body, size_t limit) {
  using State = net::http::BodySource::State;
  std::string text;
  std::vector<base::Slice> slices;
  std::optional<base::Completion<bool>>
      woken;  // once there was nothing to read: most answers are there at once
  for (;;) {
    slices.clear();
    const State state = body.Next(limit - text.size() + 1, slices);
    for (const base::Slice& slice : slices) text.append(slice.view());
    if (state == State::kFailed) co_return base::Err(NotRead::kBroken);
    if (text.size() > limit) co_return base::Err(NotRead::kTooLong);
    if (state == State::kEnd) co_return text;
    const bool sleeps = state == State::kSleep;
    if (sleeps && woken) co_await *std::exchange(woken, std::nullopt);
    if (!sleeps || woken) continue;
    // It is read again before it is waited for, as more may have come before it could say so.
    woken.emplace();
    body.set_waker([told = *woken, once = false]() mutable {
      if (!std::exchange(once, true)) told.Set(true);
    });
  }
}

RemoteError BodyError(const std::string& where, NotRead why, bool late, size_t limit) {
  const bool too_long = why == NotRead::kTooLong;
  return {.may_pass = true,
          .message = "the answer of " + where + " breaks off or is too long",
          .timed_out = late && !too_long,
          .answered = true,
          .cause = too_long ? "the answer is longer than " + std::to_string(limit) + " bytes"
                   : late   ? "context deadline exceeded"
                            : "unexpected EOF"};
}

// When a request that was refused so often may be sent again: at once, and then after pauses that double.
std::chrono::nanoseconds PauseAfter(int refused) {
  return refused == 1 ? std::chrono::seconds(0) : std::chrono::seconds(1 << (refused - 2));
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
  request.headers.Set("host", request.url.authority);
  if (!request.headers.Get("user-agent")) request.headers.Set("user-agent", "kube-apiserver");
  const std::string& where = request.url.authority;
  const auto began = std::chrono::steady_clock::now();
  std::chrono::nanoseconds left = request.timeout;
  for (int gone = 0, refused = 0;;) {
    WholeBody body(request.body);
    net::http::ClientRequest asked{.method = request.method,
                                   .target = request.url.target,
                                   .headers = request.headers,
                                   .body = *body.Size() > 0 ? &body : nullptr,
                                   .head_timeout = left,
                                   .whole_timeout = left};
    auto response = co_await client.Send(request.url.destination, std::move(asked));
    if (!response) {
      const net::http::ClientError& error = response.error();
      left = request.timeout - (std::chrono::steady_clock::now() - began);
      // Each of these takes a connection that is gone out of the way.
      if (error.reused && ++gone <= kMostGone && left.count() > 0) continue;
      if (error.unprocessed && ++refused <= kMostRefused && left > PauseAfter(refused)) {
        if (refused > 1) co_await WaitFor(PauseAfter(refused));
        left = request.timeout - (std::chrono::steady_clock::now() - began);
        if (left.count() > 0) continue;
      }
      co_return base::Err(
          RemoteError{.may_pass = error.kind == net::http::ClientError::Kind::kBroken && !error.timed_out,
                      .message = "cannot ask " + where + ": " + error.message,
                      .timed_out = error.timed_out,
                      .cause = error.message});
    }
    RemoteAnswer answer{.status = response->status, .headers = std::move(response->headers)};
    if (response->body) {
      auto text = co_await ReadWhole(*response->body, request.limit_bytes);
      if (!text) {
        const bool late = std::chrono::steady_clock::now() - began >= request.timeout;
        co_return base::Err(BodyError(where, text.error(), late, request.limit_bytes));
      }
      answer.body = *std::move(text);
    }
    co_return answer;
  }
}

base::Task<void> WaitFor(std::chrono::nanoseconds delay) {
  base::Executor* const executor = base::Executor::Current();
  if (!executor) co_return;
  const base::Completion<bool> due;
  executor->PostAfter(delay, [due] { due.Set(true); });
  co_await due;
}

}  // namespace keelson::auth
