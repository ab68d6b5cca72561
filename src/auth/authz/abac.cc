// ABAC: a file with one policy a line, read once.
#include <algorithm>
#include <optional>

#include "api/codec/json.h"
#include "auth/authz/authorizers.h"
#include "base/file.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

using base::Err;

struct AbacPolicy {
  std::string user, group, ns, resource, api_group, path;
  bool readonly = false;
};

constexpr std::string_view kAbacGroup = "abac.authorization.kubernetes.io";

// The members of one object; what has another type than expected is remembered.
class AbacFields {
 public:
  explicit AbacFields(const api::MapNode* map) : map_(map) {}

  std::string Text(std::string_view name) {
    const api::Value* const value = map_ ? map_->Find(name) : nullptr;
    if (!value || value->is(api::Value::Tag::kNull)) return {};
    if (value->is(api::Value::Tag::kString)) return std::string(value->string());
    wrong_ = name;
    return {};
  }
  bool Flag(std::string_view name) {
    const api::Value* const value = map_ ? map_->Find(name) : nullptr;
    if (!value || value->is(api::Value::Tag::kNull)) return false;
    if (value->is(api::Value::Tag::kBool)) return value->boolean();
    wrong_ = name;
    return false;
  }
  std::string_view wrong() const { return wrong_; }  // empty: nothing

 private:
  const api::MapNode* const map_;
  std::string_view wrong_;
};

// A policy of before they had versions: what is left out stands for all.
AbacPolicy Unversioned(AbacFields& fields) {
  AbacPolicy policy{.user = fields.Text("user"),
                    .group = fields.Text("group"),
                    .ns = fields.Text("namespace"),
                    .resource = fields.Text("resource"),
                    .api_group = "*",
                    .readonly = fields.Flag("readonly")};
  if (policy.user.empty() && policy.group.empty()) policy.group = kAuthenticatedGroup;
  if (policy.ns.empty() && policy.resource.empty()) policy.path = "*";
  if (policy.ns.empty()) policy.ns = "*";
  if (policy.resource.empty()) policy.resource = "*";
  return policy;
}

AbacPolicy Versioned(AbacFields& fields) {
  return {.user = fields.Text("user"),
          .group = fields.Text("group"),
          .ns = fields.Text("namespace"),
          .resource = fields.Text("resource"),
          .api_group = fields.Text("apiGroup"),
          .path = fields.Text("nonResourcePath"),
          .readonly = fields.Flag("readonly")};
}

base::Result<AbacPolicy, std::string> ParseAbacLine(std::string_view line, bool& unversioned) {
  api::Arena arena;
  const auto value = api::json::DecodeAny(line, arena);
  if (!value) return Err(value.error().message);
  if (!value->map()) return Err(std::string("a policy is a JSON object"));
  AbacFields head(value->map());
  const std::string version = head.Text("apiVersion"), kind = head.Text("kind");
  if (!head.wrong().empty()) return Err(std::string(head.wrong()) + " must be a string");
  const bool known = version == std::string(kAbacGroup) + "/v1beta1" && kind == "Policy";
  unversioned = !known;
  const api::Value* const spec = value->map()->Find("spec");
  if (known && spec && !spec->map()) return Err(std::string("spec must be an object"));
  AbacFields fields(known ? (spec ? spec->map() : nullptr) : value->map());
  AbacPolicy policy = known ? Versioned(fields) : Unversioned(fields);
  if (!fields.wrong().empty()) return Err(std::string(fields.wrong()) + " has a value of the wrong type");
  if (policy.user == "*" || policy.group == "*") {
    policy.group = kAuthenticatedGroup;
    policy.user.clear();
  }
  return policy;
}

bool IsFor(const AbacPolicy& policy, const User& user) {
  if (policy.user.empty() && policy.group.empty()) return false;
  return (policy.user.empty() || policy.user == user.name) &&
         (policy.group.empty() || user.InGroup(policy.group));
}

bool IsOrAll(std::string_view pattern, std::string_view text) { return pattern == "*" || pattern == text; }

bool AbacPathMatches(std::string_view pattern, std::string_view path) {
  if (IsOrAll(pattern, path)) return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

bool AbacAllows(const AbacPolicy& policy, const Attributes& a) {
  const bool reads = a.verb == "get" || a.verb == "list" || a.verb == "watch";
  if (!a.user || !IsFor(policy, *a.user) || (policy.readonly && !reads)) return false;
  if (!a.resource_request) return AbacPathMatches(policy.path, a.path);
  return IsOrAll(policy.ns, a.ns) && IsOrAll(policy.resource, a.resource) &&
         IsOrAll(policy.api_group, a.group);
}

class AbacAuthorizer final : public Authorizer {
 public:
  explicit AbacAuthorizer(std::vector<AbacPolicy> policies) : policies_(std::move(policies)) {}

  base::Task<Verdict> Authorize(const Attributes& attributes) override {
    co_return *AuthorizeNow(attributes);
  }
  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override {
    for (const AbacPolicy& policy : policies_)
      if (AbacAllows(policy, attributes)) return Verdict{Decision::kAllow, {}};
    return Verdict{Decision::kNoOpinion, "No policy matched."};
  }
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override {
    Rules rules;
    for (const AbacPolicy& policy : policies_) {
      if (!IsFor(policy, user) || !IsOrAll(policy.ns, ns)) continue;
      const std::vector<std::string> verbs =
          policy.readonly ? std::vector<std::string>{"get", "list", "watch"} : std::vector<std::string>{"*"};
      if (!policy.resource.empty())
        rules.resources.push_back({verbs, {policy.api_group}, {policy.resource}, {}});
      if (!policy.path.empty()) rules.non_resources.push_back({verbs, {policy.path}});
    }
    co_return rules;
  }

 private:
  const std::vector<AbacPolicy> policies_;
};

}  // namespace

base::Result<std::unique_ptr<Authorizer>, std::string> ParseAbac(std::string_view text,
                                                                 std::string_view path) {
  std::vector<AbacPolicy> policies;
  size_t number = 0;
  int64_t unversioned_lines = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '\r'))
      line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    bool unversioned = false;
    auto policy = ParseAbacLine(line, unversioned);
    if (!policy)
      return Err("error reading policy file " + std::string(path) + ", line " + std::to_string(number) +
                 ": " + std::string(line) + ": " + policy.error());
    unversioned_lines += unversioned;
    policies.push_back(*std::move(policy));
  }
  if (unversioned_lines > 0)
    base::Log(base::LogLevel::kWarning, "policies without a version",
              {{"file", path}, {"lines", unversioned_lines}});
  return std::make_unique<AbacAuthorizer>(std::move(policies));
}

base::Result<std::unique_ptr<Authorizer>, std::string> Abac(const std::filesystem::path& file) {
  const auto text = TRY(base::ReadFile(file));
  return ParseAbac(text, file.string());
}

}  // namespace keelson::auth
