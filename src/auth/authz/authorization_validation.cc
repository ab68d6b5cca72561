#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "api/codec/time_format.h"
#include "api/validation/names.h"
#include "auth/aggregate_error.h"
#include "auth/authz/authorization_config.h"
#include "auth/authz/match_conditions.h"

namespace keelson::auth {
namespace {

namespace field = api::field;
using field::ErrorList;
using field::Path;
using field::RenderValue;
using std::chrono::nanoseconds;

constexpr std::string_view kAuthorizerTypes[] = {"ABAC", "AlwaysAllow", "AlwaysDeny",
                                                 "Node", "RBAC",        "Webhook"};
constexpr std::string_view kReviewVersions[] = {"v1", "v1beta1"};
constexpr std::string_view kConditionVersions[] = {"v1"};
constexpr std::string_view kFailurePolicies[] = {"NoOpinion", "Deny"};
constexpr std::string_view kConnectionTypes[] = {"InClusterConfig", "KubeConfigFile"};
constexpr nanoseconds kLongestWebhookTimeout = std::chrono::seconds(30);

bool OneOf(std::span<const std::string_view> values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

std::string RenderDuration(nanoseconds duration) {
  char text[api::kMaxDurationSize];
  return RenderValue(std::string(text, api::FormatDuration(duration.count(), text)));
}

void CheckTtl(nanoseconds ttl, const Path& path, ErrorList& errors) {
  if (ttl.count() < 0) errors.Add(field::Invalid(path, RenderDuration(ttl), "must be > 0s"));
}

void CheckKubeconfigFile(const std::optional<std::string>& file, const Path& path, ErrorList& errors) {
  if (!file || file->empty()) return errors.Add(field::Required(path, ""));
  const auto invalid = [&](std::string_view why) {
    errors.Add(field::Invalid(path, RenderValue(*file), why));
  };
  const std::filesystem::path named(*file);
  if (!named.is_absolute()) return invalid("must be an absolute path");
  std::error_code error;
  const auto status = std::filesystem::status(named, error);
  if (!std::filesystem::exists(status)) {
    std::string why = error ? error.message() : std::strerror(ENOENT);
    if (!why.empty() && why.front() >= 'A' && why.front() <= 'Z')
      why.front() = static_cast<char>(why.front() - 'A' + 'a');
    return invalid("error loading file: stat " + *file + ": " + why);
  }
  if (!std::filesystem::is_regular_file(status)) invalid("must be a regular file");
}

void CheckConnection(const WebhookAuthorizerConfig& webhook, const Path& path, ErrorList& errors) {
  const Path type = path.Child("type"), file = path.Child("kubeConfigFile");
  if (webhook.connection_type.empty()) {
    errors.Add(field::Required(type, ""));
  } else if (webhook.connection_type == "InClusterConfig") {
    if (webhook.kubeconfig_file)
      errors.Add(field::Invalid(file, RenderValue(*webhook.kubeconfig_file),
                                "can only be set when type=KubeConfigFile"));
  } else if (webhook.connection_type == "KubeConfigFile") {
    CheckKubeconfigFile(webhook.kubeconfig_file, file, errors);
  } else {
    const std::string named = webhook.kubeconfig_file ? RenderValue(*webhook.kubeconfig_file) : "null";
    errors.Add(field::NotSupported(
        type, "{\"Type\":" + RenderValue(webhook.connection_type) + ",\"KubeConfigFile\":" + named + "}",
        kConnectionTypes));
  }
}

// Its fields are named as if they were the authorizer's own, as upstream names them.
void CheckWebhook(const WebhookAuthorizerConfig& webhook, const Path& path, ErrorList& errors) {
  const auto timeout = path.Child("timeout");
  if (webhook.timeout.count() == 0)
    errors.Add(field::Required(timeout, ""));
  else if (webhook.timeout > kLongestWebhookTimeout || webhook.timeout.count() < 0)
    errors.Add(field::Invalid(timeout, RenderDuration(webhook.timeout), "must be > 0s and <= 30s"));
  CheckTtl(webhook.authorized_ttl, path.Child("authorizedTTL"), errors);
  CheckTtl(webhook.unauthorized_ttl, path.Child("unauthorizedTTL"), errors);

  const auto check = [&](std::string_view name, const std::string& value,
                         std::span<const std::string_view> known) {
    if (value.empty())
      errors.Add(field::Required(path.Child(name), ""));
    else if (!OneOf(known, value))
      errors.Add(field::NotSupported(path.Child(name), RenderValue(value), known));
  };
  check("subjectAccessReviewVersion", webhook.review_version, kReviewVersions);
  const Path condition_version = path.Child("matchConditionSubjectAccessReviewVersion");
  if (!webhook.condition_version.empty())
    check("matchConditionSubjectAccessReviewVersion", webhook.condition_version, kConditionVersions);
  else if (!webhook.match_conditions.empty())
    errors.Add(field::Required(condition_version, "required if match conditions are specified"));
  check("failurePolicy", webhook.failure_policy, kFailurePolicies);
  CheckConnection(webhook, path.Child("connectionInfo"), errors);
  MatchConditions::Compile(webhook.match_conditions, path.Child("matchConditions"), errors);
}

class AuthorizerCheck {
 public:
  explicit AuthorizerCheck(ErrorList& errors) : errors_(errors) {}

  void Run(const AuthorizerConfig& authorizer, const Path& path) {
    const Path type = path.Child("type"), webhook = path.Child("webhook");
    if (authorizer.type.empty()) return errors_.Add(field::Required(type, ""));
    if (!OneOf(kAuthorizerTypes, authorizer.type))
      return errors_.Add(field::NotSupported(type, RenderValue(authorizer.type), kAuthorizerTypes));
    if (!types_.insert(authorizer.type).second && authorizer.type != kWebhookType)
      return errors_.Add(field::Duplicate(type, RenderValue(authorizer.type)));
    CheckName(authorizer.name, path.Child("name"));
    if (authorizer.type != kWebhookType) {
      if (authorizer.webhook)
        errors_.Add(
            field::Invalid(webhook, RenderValue("non-null"), "may only be specified when type=Webhook"));
    } else if (!authorizer.webhook) {
      errors_.Add(field::Required(webhook, "required when type=Webhook"));
    } else {
      CheckWebhook(*authorizer.webhook, path, errors_);
    }
  }

 private:
  void CheckName(const std::string& name, const Path& path) {
    const bool first = names_.insert(name).second;
    if (name.empty()) return errors_.Add(field::Required(path, ""));
    if (!first) return errors_.Add(field::Duplicate(path, RenderValue(name)));
    std::string wrong;
    for (const std::string& message : api::IsDns1123Subdomain(name))
      wrong.append(wrong.empty() ? "" : ", ").append(message);
    if (!wrong.empty())
      errors_.Add(field::Invalid(path, RenderValue(name), "authorizer name is invalid: " + wrong));
  }

  ErrorList& errors_;
  std::set<std::string> types_, names_;
};

}  // namespace

base::Result<void, std::string> ValidateAuthorizationConfig(const AuthorizationConfig& config,
                                                            const std::vector<std::string>& required_types) {
  ErrorList errors;
  const Path root("authorizers");
  if (config.authorizers.empty())
    errors.Add(field::Required(root, "at least one authorization mode must be defined"));
  AuthorizerCheck check(errors);
  for (size_t i = 0; i < config.authorizers.size(); ++i) check.Run(config.authorizers[i], root.Index(i));
  if (!errors.empty()) return base::Err(errors.Aggregate());

  AggregateError wrong;
  std::set<std::string> missing(required_types.begin(), required_types.end());
  for (const AuthorizerConfig& authorizer : config.authorizers) {
    missing.erase(authorizer.type);
    const std::string expected = AuthorizerNameOf(authorizer.type);
    if (authorizer.type != kWebhookType && authorizer.name != expected)
      wrong.Add("expected name " + expected + " for authorizer " + authorizer.type + " instead of " +
                authorizer.name);
  }
  if (!missing.empty()) {
    std::string list;
    for (const std::string& type : missing) list.append(list.empty() ? "" : " ").append(type);
    wrong.Add("missing required types: [" + list + "]");
  }
  if (!wrong.empty()) return base::Err(wrong.ToString());
  return {};
}

}  // namespace keelson::auth
