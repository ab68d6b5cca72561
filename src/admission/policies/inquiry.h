// Inquiry: what is found out about one request while policies judge it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "admission/policies/decisions.h"
#include "admission/policies/evaluation.h"
#include "admission/policies/matching.h"
#include "admission/versioned_request.h"

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
class Inquiry {
 public:
  Inquiry(const Attributes& request, const client::Client& objects, auth::Authorizer* authorizer)
      : matched(request, objects), decisions(request.user, authorizer), objects_(objects) {}

  // The request as a policy sees it whose rules are for `version`.
  struct View {
    View(Inquiry& inquiry, std::unique_ptr<VersionedRequest> request)
        : versioned(std::move(request)),
          matched(versioned->request, inquiry.objects_),
          values(matched, inquiry.namespace_, inquiry.decisions) {}

    const std::unique_ptr<VersionedRequest> versioned;
    MatchedRequest matched;
    RequestValues values;
  };

  MatchedRequest matched;
  Decisions decisions;

  // Before anything is evaluated; costs something the first time only.
  base::Task<Verdict> Prepare() {
    if (prepared_) co_return Verdict();
    namespace_ = CO_TRY(co_await matched.Namespace());
    prepared_ = true;
    co_return Verdict();
  }

  // Made once for each version, and anew after another one's object has changed. The error is the answer to
  // the request: its objects cannot be converted. Requires: Prepare.
  base::Task<base::Result<View*, api::Status>> In(const api::ResourceDesc& version) {
    if (const auto known = views_.find(&version); known != views_.end()) co_return known->second.get();
    auto versioned = CO_TRY(co_await VersionedRequest::Make(matched.request(), version));
    auto& view = views_[&version];
    view = std::make_unique<View>(*this, std::move(versioned));
    co_return view.get();
  }
  // The object in `view` has changed: so does the request's own.
  base::Task<Verdict> Changed(View& view) {
    const VersionedRequest& versioned = *view.versioned;
    if (versioned.object) {
      auto back = co_await versioned.Back(versioned.object.Clone(), matched.request());
      if (!back) co_return base::Err(std::move(back.error()));
      *matched.request().object = *std::move(back);
    }
    view.values.SetObject(versioned.request.object);
    std::erase_if(views_, [&](const auto& entry) { return entry.second.get() != &view; });
    co_return Verdict();
  }

  // What `evaluate` returns once every decision that it asks for is known.
  template <class Evaluate>
  base::Task<std::invoke_result_t<Evaluate>> Ask(Evaluate evaluate) {
    return AskWithDecisions(decisions, std::move(evaluate));
  }

 private:
  const client::Client& objects_;
  bool prepared_ = false;
  const api::Doc* namespace_ = nullptr;
  std::map<const api::ResourceDesc*, std::unique_ptr<View>> views_;
};

}  // namespace keelson::admission
