#include "auth/authn/webhook_client.h"

#include <utility>

#include "base/base64.h"

namespace keelson::auth {
namespace {

constexpr int kMostTries = 5;

}  // namespace

base::Result<std::unique_ptr<WebhookClient>, std::string> WebhookClient::Create(
    pki::KubeconfigClient config, WebhookClientOptions options, const MakeRemoteClient& make_client) {
  auto url = TRY(ParseRemoteUrl(config.server_url));
  url.target += url.target.find('?') == std::string::npos ? "?timeout=30s" : "&timeout=30s";
  auto client = TRY(make_client({.ca_pem = config.ca_pem,
                                 .certificate_pem = config.certificate_pem,
                                 .private_key_pem = config.key_pem,
                                 .verify = !config.insecure_skip_tls_verify}));
  return std::unique_ptr<WebhookClient>(
      new WebhookClient(std::move(config), std::move(options), std::move(url), std::move(client)));
}

WebhookClient::WebhookClient(pki::KubeconfigClient config, WebhookClientOptions options, RemoteUrl url,
                             std::unique_ptr<net::http::Client> client)
    : config_(std::move(config)),
      options_(std::move(options)),
      url_(std::move(url)),
      client_(std::move(client)) {}

base::Task<base::Result<std::string, std::string>> WebhookClient::Post(std::string review) {
  std::chrono::nanoseconds delay = options_.first_delay;
  for (int tries = 1;; ++tries, delay += delay / 2) {
    RemoteRequest request{.method = "POST", .url = url_, .headers = Fields(), .body = review};
    auto answer = co_await AskRemote(*client_, std::move(request));
    const bool may_pass = answer ? answer->status == 429 || answer->status == 500 || answer->status == 504
                                 : answer.error().may_pass;
    if (may_pass && tries < kMostTries) {
      co_await WaitFor(delay);
      continue;
    }
    if (!answer) co_return base::Err(answer.error().message);
    if (answer->status < 200 || answer->status > 299)
      co_return base::Err("the " + options_.name + " answers with status " + std::to_string(answer->status));
    co_return std::move(answer->body);
  }
}

net::http::Headers WebhookClient::Fields() const {
  net::http::Headers fields;
  fields.Add("content-type", "application/json");
  fields.Add("accept", "application/json");
  if (!config_.bearer_token.empty())
    fields.Add("authorization", "Bearer " + config_.bearer_token);
  else if (!config_.username.empty())
    fields.Add("authorization", "Basic " + base::Base64(config_.username + ":" + config_.password));
  return fields;
}

}  // namespace keelson::auth
