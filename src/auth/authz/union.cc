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
  explicit UnionAuthorizer(std::vector<UnionPart> parts) : parts_(std::move(parts)) {}

  base::Task<Verdict> Authorize(const Attributes& attributes) override {
    Undecided undecided;
    for (const UnionPart& part : parts_) {
      std::optional<Verdict> verdict = part.authorizer->AuthorizeNow(attributes);
      if (!verdict) verdict = co_await part.authorizer->Authorize(attributes);
      if (Decides(part, *verdict)) co_return *std::move(verdict);
      undecided.Add(*verdict);
    }
    co_return undecided.Take();
  }

  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override {
    Undecided undecided;
    for (const UnionPart& part : parts_) {
      std::optional<Verdict> verdict = part.authorizer->AuthorizeNow(attributes);
      if (!verdict || Decides(part, *verdict)) return verdict;
      undecided.Add(*verdict);
    }
    return undecided.Take();
  }

  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override {
    Rules all;
    AggregateError errors;
    for (const UnionPart& part : parts_) {
      Rules rules = co_await part.authorizer->RulesFor(user, ns);
      for (auto& rule : rules.resources) all.resources.push_back(std::move(rule));
      for (auto& rule : rules.non_resources) all.non_resources.push_back(std::move(rule));
      all.incomplete |= rules.incomplete;
      errors.Add(rules.error);
    }
    all.error = errors.ToString();
    co_return all;
  }

 private:
  // Whether `verdict` is the last word; then it is counted.
  static bool Decides(const UnionPart& part, const Verdict& verdict) {
    if (verdict.decision == Decision::kNoOpinion) return false;
    if (base::Counter* const counter = verdict.decision == Decision::kAllow ? part.allowed : part.denied)
      counter->Add();
    return true;
  }

  const std::vector<UnionPart> parts_;
};

}  // namespace

std::unique_ptr<Authorizer> UnionOf(std::vector<UnionPart> parts) {
  return std::make_unique<UnionAuthorizer>(std::move(parts));
}

}  // namespace keelson::auth
