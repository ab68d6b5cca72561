// Inquiry: what is found out about one request while policies judge it.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "admission/policies/decisions.h"
#include "admission/policies/evaluation.h"
#include "admission/policies/matching.h"

namespace keelson::admission {

// Evaluates expressions that may ask the authorizer: calls `evaluate`, has the decisions made that it asked
// for, and calls it again, until it needs no more. Borrows `decisions`.
template <class Evaluate>
base::Task<std::invoke_result_t<Evaluate>> AskWithDecisions(Decisions& decisions, Evaluate evaluate) {
  std::optional<std::invoke_result_t<Evaluate>> result;
  while (!result) {
    bool needs_decisions = false;
    try {
      result.emplace(evaluate());
    } catch (const Decisions::Needed&) {
      needs_decisions = true;  // an exception handler cannot await
    }
    if (needs_decisions) co_await decisions.FindOut();
  }
  co_return std::move(*result);
}

// Belongs to one request, which it borrows with the rest.
struct Inquiry {
  Inquiry(const Attributes& request, const client::Client& objects, auth::Authorizer* authorizer)
      : matched(request, objects), decisions(request.user, authorizer) {}

  MatchedRequest matched;
  Decisions decisions;
  std::optional<RequestValues> values;  // from Prepare on

  // Before anything is evaluated; costs something the first time only.
  base::Task<Verdict> Prepare() {
    if (values) co_return Verdict();
    const auto ns = CO_TRY(co_await matched.Namespace());
    values.emplace(matched, ns, decisions);
    co_return Verdict();
  }

  // What `evaluate` returns once every decision that it asks for is known.
  template <class Evaluate>
  base::Task<std::invoke_result_t<Evaluate>> Ask(Evaluate evaluate) {
    return AskWithDecisions(decisions, std::move(evaluate));
  }
};

}  // namespace keelson::admission
