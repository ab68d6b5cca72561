#include "auth/authn/review_webhook.h"

#include "api/codec/time_format.h"

namespace keelson::auth {
namespace {

std::string GoDuration(std::chrono::nanoseconds duration) {
  char text[api::kMaxDurationSize];
  return {text, api::FormatDuration(duration.count(), text)};
}

}  // namespace

base::Result<std::unique_ptr<ReviewWebhook>, std::string> ReviewWebhook::Make(
    const pki::KubeconfigClient& config, std::chrono::nanoseconds timeout,
    const MakeRemoteClient& make_client) {
  auto url = TRY(ParseRemoteUrl(config.server_url));
  url.target += (url.target.find('?') == std::string::npos ? "?timeout=" : "&timeout=") + GoDuration(timeout);
  auto client = TRY(make_client({.ca_pem = config.ca_pem,
                                 .certificate_pem = config.certificate_pem,
                                 .private_key_pem = config.key_pem,
                                 .verify = !config.insecure_skip_tls_verify}));
  return std::unique_ptr<ReviewWebhook>(
      new ReviewWebhook(std::move(url), timeout, config, std::move(client)));
}

base::Task<base::Result<std::string, ReviewFailure>> ReviewWebhook::Post(std::string review) const {
  RemoteRequest request{
      .method = "POST", .url = url_, .body = base::Slice::Copy(review), .timeout = timeout_};
  request.headers.Add("content-type", "application/json");
  request.headers.Add("accept", "application/json");
  if (const std::string field = authorization_.Value(); !field.empty())
    request.headers.Add("authorization", field);
  auto answer = co_await AskRemote(*client_, std::move(request));
  if (!answer) {
    const RemoteError& error = answer.error();
    co_return base::Err(ReviewFailure{error.message, error.may_pass, error.timed_out});
  }
  const int status = answer->status;
  if (status < 200 || status > 299)
    co_return base::Err(ReviewFailure{.message = "the webhook answers with status " + std::to_string(status),
                                      .may_pass = status == 429 || status == 500 || status == 504,
                                      .timed_out = status == 504});
  co_return std::move(answer->body);
}

}  // namespace keelson::auth
