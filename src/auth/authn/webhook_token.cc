#include "api/codec/config_reader.h"
#include "api/codec/json_writer.h"
#include "auth/authn/audiences.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/review_webhook.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

constexpr std::chrono::seconds kTokenWebhookTimeout{30};

// What a webhook says of a token.
struct ReviewStatus {
  bool authenticated = false;
  std::string error;
  std::vector<std::string> audiences;
  User user;
};

std::string WriteReview(std::string_view api_version, std::string_view token,
                        std::span<const std::string> audiences) {
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject().Member("kind", std::string_view("TokenReview")).Member("apiVersion", api_version);
  json.Key("metadata").BeginObject().EndObject();
  json.Key("spec").BeginObject().Member("token", token);
  if (!audiences.empty())
    json.Member("audiences", std::vector<std::string>(audiences.begin(), audiences.end()));
  json.EndObject();
  json.Key("status").BeginObject().Key("user").BeginObject().EndObject().EndObject();
  json.EndObject();
  return std::string(out.view());
}

class ReviewReader {
 public:
  explicit ReviewReader(std::string_view json) : reader_(json, /*strict=*/false) {}

  base::Result<ReviewStatus, std::string> Run(std::string_view api_version) {
    ReviewStatus status;
    std::string version, kind;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(version);
      if (name == "kind") return reader_.Text(kind);
      return name == "status" ? Status(status) : reader_.Skip();
    });
    if (!read || !reader_.AtEnd()) return base::Err("the answer is no TokenReview: " + reader_.error());
    if (kind != "TokenReview" || version != api_version)
      return base::Err("the answer is no TokenReview of " + std::string(api_version));
    return status;
  }

 private:
  bool Status(ReviewStatus& status) {
    return reader_.Object([&](std::string_view name) {
      if (name == "authenticated") return reader_.Bool(status.authenticated);
      if (name == "error") return reader_.Text(status.error);
      if (name == "audiences") return Texts(status.audiences);
      return name == "user" ? UserInfo(status.user) : reader_.Skip();
    });
  }
  bool UserInfo(User& user) {
    return reader_.Object([&](std::string_view name) {
      if (name == "username") return reader_.Text(user.name);
      if (name == "uid") return reader_.Text(user.uid);
      if (name == "groups") return Texts(user.groups);
      if (name != "extra") return reader_.Skip();
      return reader_.Object([&](std::string_view key) { return Texts(user.extra[std::string(key)]); });
    });
  }
  bool Texts(std::vector<std::string>& out) {
    return reader_.List([&] { return reader_.Text(out.emplace_back()); });
  }

  api::ConfigReader reader_;
};

class WebhookTokenAuthenticator final : public TokenAuthenticator {
 public:
  WebhookTokenAuthenticator(WebhookTokenOptions options, std::unique_ptr<ReviewWebhook> webhook)
      : options_(std::move(options)),
        api_version_("authentication.k8s.io/" + options_.version),
        webhook_(std::move(webhook)) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& /*remarks*/) override {
    auto status = co_await Review(WriteReview(api_version_, token, audiences));
    if (!status) {
      base::Log(base::LogLevel::kError, "the token webhook cannot be asked", {{"why", status.error()}});
      co_return base::Err(std::move(status.error()));
    }
    // A webhook that knows nothing of audiences vouches for those of this server alone.
    const auto& got = status->audiences.empty() ? options_.audiences : status->audiences;
    auto common = CommonAudiences(got, audiences);
    if (common.empty() && !audiences.empty()) co_return Known();
    if (!status->authenticated) {
      if (status->error.empty()) co_return Known();
      co_return base::Err(std::move(status->error));
    }
    AddAuthenticatedGroup(status->user);
    co_return Known{std::make_shared<const User>(std::move(status->user)), std::move(common)};
  }

 private:
  base::Task<base::Result<ReviewStatus, std::string>> Review(std::string review) {
    const auto answer = co_await WithRetries([&] { return webhook_->Post(review); });
    if (!answer) co_return base::Err(answer.error().message);
    co_return ReviewReader(*answer).Run(api_version_);
  }

  const WebhookTokenOptions options_;
  const std::string api_version_;
  const std::unique_ptr<ReviewWebhook> webhook_;
};

}  // namespace

base::Result<std::unique_ptr<TokenAuthenticator>, std::string> WebhookTokens(
    WebhookTokenOptions options, const MakeRemoteClient& make_client) {
  if (options.version != "v1" && options.version != "v1beta1")
    return base::Err("unsupported authentication webhook version \"" + options.version +
                     "\", supported versions are \"v1\", \"v1beta1\"");
  auto webhook = TRY(ReviewWebhook::Make(options.config, kTokenWebhookTimeout, make_client));
  const auto ttl = options.cache_ttl;
  const TokenCacheMetrics* const metrics = options.cache_metrics;
  std::unique_ptr<TokenAuthenticator> tokens =
      std::make_unique<WebhookTokenAuthenticator>(std::move(options), std::move(webhook));
  return CachedTokens(std::move(tokens), {.known_ttl = ttl, .unknown_ttl = ttl, .metrics = metrics});
}

}  // namespace keelson::auth
