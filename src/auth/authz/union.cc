#include "auth/aggregate_error.h"
#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

// What the parts said so far that had no opinion.
struct Undecided {
  std::string reasons;
  AggregateError errors;

  void Add(const Verdict& verdict) {
    if (!verdict.reason.empty()) (reasons += reasons.empty() ? "" : "\n") += verdict.reason;
    errors.Add(verdict.error);
  }
  Verdict Take() { return {Decision::kNoOpinion, std::move(reasons), errors.ToString()}; }
};

class UnionAuthorizer final : public Authorizer {
 public:
  explicit UnionAuthorizer(std::vector<std::unique_ptr<Authorizer>> parts) : parts_(std::move(parts)) {}

  base::Task<Verdict> Authorize(const Attributes& attributes) override {
    Undecided undecided;
    for (const auto& part : parts_) {
      std::optional<Verdict> verdict = part->AuthorizeNow(attributes);
      if (!verdict) verdict = co_await part->Authorize(attributes);
      if (verdict->decision != Decision::kNoOpinion) co_return *std::move(verdict);
      undecided.Add(*verdict);
    }
    co_return undecided.Take();
  }

  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override {
    Undecided undecided;
    for (const auto& part : parts_) {
      std::optional<Verdict> verdict = part->AuthorizeNow(attributes);
      if (!verdict || verdict->decision != Decision::kNoOpinion) return verdict;
      undecided.Add(*verdict);
    }
    return undecided.Take();
  }

  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override {
    Rules all;
    AggregateError errors;
    for (const auto& part : parts_) {
      Rules rules = co_await part->RulesFor(user, ns);
      for (auto& rule : rules.resources) all.resources.push_back(std::move(rule));
      for (auto& rule : rules.non_resources) all.non_resources.push_back(std::move(rule));
      all.incomplete |= rules.incomplete;
      errors.Add(rules.error);
    }
    all.error = errors.ToString();
    co_return all;
  }

 private:
  const std::vector<std::unique_ptr<Authorizer>> parts_;
};

}  // namespace

std::unique_ptr<Authorizer> UnionOf(std::vector<std::unique_ptr<Authorizer>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<UnionAuthorizer>(std::move(parts));
}

}  // namespace keelson::auth
