#include "app/webhook_sender.h"

#include <charconv>
#include <functional>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "api/meta/status.h"
#include "api/validation/quote.h"
#include "app/service_resolver.h"
#include "auth/authn/remote.h"
#include "base/ascii.h"
#include "base/lru_map.h"
#include "base/mutex.h"
#include "net/http/client_span.h"
#include "net/http/text.h"
#include "net/outbound/address.h"
#include "net/outbound/http_client.h"
#include "net/tls/client_context.h"

namespace keelson::app {
namespace {

using admission::SendFailure;
using admission::WebhookTarget;
using Answer = base::Result<std::string, SendFailure>;

constexpr size_t kMostClients = 200;
constexpr int kMostTries = 10;

// Clients that trust one bundle of authorities.
struct TrustingClients {
  std::unique_ptr<net::tls::ClientContext> tls;
  std::unique_ptr<net::http::Client>
      http;  // over HTTP/1.1, so that the endpoints of a service share the load
  std::unique_ptr<net::http::Client> local;  // over HTTP/2 as well
};

// Bundles are looked up for each call and have kilobytes. The end of one is a signature, before the last
// line.
struct BundleHash {
  size_t operator()(std::string_view bundle) const {
    constexpr size_t kHashed = 96;
    return std::hash<std::string_view>()(bundle.substr(bundle.size() - std::min(bundle.size(), kHashed)));
  }
};

// A path without "." and "..", repeated and trailing slashes; at least "/".
std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (step == ".." && !steps.empty()) steps.pop_back();
    if (!step.empty() && step != "." && step != "..") steps.push_back(step);
  }
  std::string clean;
  for (const std::string_view step : steps) clean.append("/").append(step);
  return clean.empty() ? "/" : clean;
}

// Whether the webhook is behind the service of this very server, which passes the review on to an aggregated
// API.
bool IsThisServer(const WebhookTarget& target) {
  return target.url.empty() && target.service_namespace == "default" && target.service_name == "kubernetes" &&
         target.service_port == 443;
}

// Whether a URL names this machine, where upstream offers HTTP/2.
bool IsLocal(const std::string& host) {
  if (net::http::EqualsIgnoreCase(host, "localhost")) return true;
  const auto address = net::outbound::Address::Parse(host);
  return address && address->IsLoopback();
}

// How errors of Go's client begin.
std::string PostTo(const auth::RemoteUrl& url) {
  return "Post " + api::Quoted("https://" + url.authority + url.target) + ": ";
}

std::string TimeoutParameter(std::chrono::nanoseconds timeout) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout).count();
  return "?timeout=" + (seconds >= 60 ? std::to_string(seconds / 60) + "m" : "") +
         std::to_string(seconds % 60) + "s";
}

SendFailure CallFailed(const std::string& why, int32_t code = 503, bool timed_out = false) {
  return {.cause = why, .code = code, .timed_out = timed_out};
}

SendFailure NotCallable(const std::string& why) { return {.cause = why, .code = 500, .called = false}; }

bool IsText(const net::http::Headers& headers) {
  const auto type = headers.Get("content-type");
  return !type || type->empty() || type->starts_with("text/");
}

// What a status other than 2xx means, in the words of upstream's client.
SendFailure Refusal(const auth::RemoteAnswer& answer) {
  const std::string_view said = IsText(answer.headers) ? base::Trimmed(answer.body) : "unknown";
  const api::Status generic = api::GenericServerResponse(answer.status, "POST", {"", ""}, "", said);
  if (const auto meta = api::json::PeekTypeMeta(answer.body);
      meta && (meta->kind.empty() || meta->kind == "Status") &&
      (meta->api_version.empty() || meta->api_version == "v1")) {
    api::Arena arena;
    const auto root = api::json::Decode(answer.body, api::meta_v1::kStatusType, arena, nullptr);
    if (root)
      if (const api::meta_v1::StatusView status(*root); status.status() == "Failure")
        return CallFailed(std::string(status.message()), status.code());
  }
  return CallFailed(generic.message, generic.code);
}

// How long a busy webhook wants to be left alone; nullopt: it does not say.
std::optional<std::chrono::seconds> RetryAfter(const auth::RemoteAnswer& answer) {
  if (answer.status != 429 && answer.status < 500) return std::nullopt;
  const auto given = answer.headers.Get("retry-after");
  int seconds = 0;
  if (!given || std::from_chars(given->data(), given->data() + given->size(), seconds).ec != std::errc())
    return std::nullopt;
  return std::chrono::seconds(std::max(seconds, 0));
}

class HttpsWebhookSender final : public admission::WebhookSender {
 public:
  explicit HttpsWebhookSender(const WebhookSenderOptions& options)
      : options_(options), clients_(kMostClients) {}

  base::Task<Answer> Post(const WebhookTarget& target, base::Slice review, std::chrono::nanoseconds timeout,
                          size_t limit_bytes, base::SpanParent span = {}) override {
    auto made = ClientFor(target.ca_bundle, target.url.empty() ? options_.proxy : nullptr);
    if (!made) co_return base::Err(NotCallable(made.error()));
    const std::shared_ptr<TrustingClients> clients = *std::move(made);
    auto parsed = auth::ParseRemoteUrl(UrlOf(target));
    if (!parsed) co_return base::Err(NotCallable(parsed.error()));
    parsed->target =
        CleanPath(parsed->target.substr(0, parsed->target.find('?'))) + TimeoutParameter(timeout);
    const bool own = options_.self && IsThisServer(target);
    if (target.url.empty() && !own) {
      auto address = co_await ResolveService(options_.objects, {.ns = target.service_namespace,
                                                                .name = target.service_name,
                                                                .port = target.service_port,
                                                                .to_endpoints = options_.to_endpoints});
      if (!address) co_return base::Err(CallFailed(PostTo(*parsed) + address.error()));
      parsed->destination.tls_name = std::move(parsed->destination.host);
      parsed->destination.host = address->host;
      parsed->destination.port = address->port;
    }
    const bool local = !target.url.empty() && IsLocal(parsed->destination.host);
    net::http::Client& client = own ? *options_.self : local ? *clients->local : *clients->http;
    co_return co_await Ask(client, *std::move(parsed), std::move(review), timeout, limit_bytes, span);
  }

 private:
  static std::string UrlOf(const WebhookTarget& target) {
    if (!target.url.empty()) return target.url;
    const std::string path = CleanPath(target.service_path);
    return "https://" + target.service_name + "." + target.service_namespace +
           ".svc:" + std::to_string(target.service_port) + path;
  }

  static base::Task<Answer> Ask(net::http::Client& client, auth::RemoteUrl url, base::Slice review,
                                std::chrono::nanoseconds timeout, size_t limit_bytes,
                                base::SpanParent parent) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (int tries = 1;; ++tries) {
      auth::RemoteRequest request{.method = "POST",
                                  .url = url,
                                  .body = review,
                                  .limit_bytes = limit_bytes,
                                  .timeout = deadline - std::chrono::steady_clock::now()};
      request.headers.Add("accept", "application/json, */*");
      request.headers.Add("content-type", "application/json");
      request.headers.Add("user-agent", "kube-apiserver-admission");
      base::ScopedSpan span(parent, "HTTP POST", base::SpanKind::kClient);
      net::http::SetTraceContext(span.context(), request.headers);
      if (span) net::http::DescribeClientRequest(*span, "POST", url.authority, url.target);
      auto answer = co_await auth::AskRemote(client, std::move(request));
      if (span && answer) net::http::DescribeClientAnswer(*span, answer->status);
      if (span && !answer) span->Fail(answer.error().cause);
      span.End();
      if (!answer) {
        const auth::RemoteError& error = answer.error();
        const std::string cause = error.timed_out ? "context deadline exceeded" : error.cause;
        co_return base::Err(CallFailed(
            (error.answered ? "unexpected error when reading response body. Please retry. Original error: "
                            : PostTo(url)) +
                cause,
            error.answered ? 500 : 503, error.timed_out));
      }
      if (answer->status >= 200 && answer->status <= 206) {
        if (answer->body.empty())
          co_return base::Err(
              CallFailed("0-length response with status code: " + std::to_string(answer->status) +
                         " and content type: " +
                         std::string(answer->headers.Get("content-type").value_or("application/json"))));
        co_return std::move(answer->body);
      }
      const auto pause = RetryAfter(*answer);
      if (!pause || tries > kMostTries || std::chrono::steady_clock::now() + *pause >= deadline)
        co_return base::Err(Refusal(*answer));
      co_await auth::WaitFor(*pause);
    }
  }

  base::Result<std::shared_ptr<TrustingClients>, std::string> ClientFor(
      const std::string& ca_bundle, const net::outbound::ConnectProxy* proxy) {
    const base::MutexLock lock(mu_);
    const std::string proxied = proxy ? "proxied " + ca_bundle : std::string();
    const std::string& key = proxy ? proxied : ca_bundle;
    if (const auto* const known = clients_.Find(key)) return *known;
    auto made = std::make_shared<TrustingClients>();
    made->tls = TRY(net::tls::ClientContext::Create({.ca_pem = ca_bundle, .keep_buffers = true}));
    made->http = net::outbound::MakeHttpClient(*made->tls, options_.resolver,
                                               {.keep_connections = true, .proxy = proxy});
    made->local = net::outbound::MakeHttpClient(*made->tls, options_.resolver,
                                                {.keep_connections = true, .http2 = true});
    clients_.Put(key, made);
    return made;
  }

  const WebhookSenderOptions options_;
  base::Mutex mu_;
  base::LruMap<std::string, std::shared_ptr<TrustingClients>, BundleHash> clients_ GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<admission::WebhookSender> MakeWebhookSender(const WebhookSenderOptions& options) {
  return std::make_unique<HttpsWebhookSender>(options);
}

}  // namespace keelson::app
