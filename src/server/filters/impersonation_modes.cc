#include "server/filters/impersonation_modes.h"

#include <algorithm>
#include <functional>

#include "api/validation/domain_path.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "auth/authn/authenticators.h"
#include "auth/node_identity.h"
#include "auth/service_account_user.h"
#include "endpoints/request_attributes.h"
#include "server/filters/authorization.h"

namespace keelson::server {
namespace {

constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
constexpr std::string_view kModeNames[] = {"associated-node", "arbitrary-node", "serviceaccount", "user-info",
                                           "legacy"};

// From so many values on, all are asked for at once before each by itself.
constexpr size_t kManyChecks = 4;

// The name in "system:node:<name>"; nullopt: it is no node's.
std::optional<std::string_view> NodeOf(std::string_view user) {
  if (!user.starts_with(auth::kNodeUserPrefix)) return std::nullopt;
  user.remove_prefix(auth::kNodeUserPrefix.size());
  if (!api::NameIsDnsSubdomain(user, false).empty()) return std::nullopt;
  return user;
}

bool OnlyNamed(const auth::User& user) {
  return user.uid.empty() && user.groups.empty() && user.extra.empty();
}

bool Applies(ImpersonationMode mode, const auth::User& wanted, const auth::User& requester) {
  const auto node = NodeOf(wanted.name);
  switch (mode) {
    case ImpersonationMode::kAssociatedNode:
      return OnlyNamed(wanted) && node && auth::RunsOnNode(requester, *node);
    case ImpersonationMode::kArbitraryNode: return OnlyNamed(wanted) && node.has_value();
    case ImpersonationMode::kServiceAccount: return OnlyNamed(wanted) && auth::ServiceAccountOf(wanted.name);
    case ImpersonationMode::kUserInfo: return !node && !auth::ServiceAccountOf(wanted.name);
    case ImpersonationMode::kLegacy: return true;
  }
  return false;
}

// What is wrong with the extra for a constrained mode; empty: nothing.
std::string WhyBadExtra(const auth::User& user) {
  for (const auto& [key, values] : user.extra) {
    if (key.empty()) return "impersonating the empty string key in extra is not allowed";
    api::field::ErrorList errors;
    const api::field::Path extra("extra");
    api::CheckDomainPrefixedPath(key, extra.Child("key"), errors);
    if (!errors.empty()) return "impersonating an invalid key in extra is not allowed: " + errors.Aggregate();
    if (std::ranges::any_of(key, [](char c) { return c >= 'A' && c <= 'Z'; }))
      return "impersonating a non-lowercase key in extra is not allowed: " + api::Quoted(key);
    if (values.empty()) return "impersonating empty values in extra is not allowed";
    if (std::ranges::find(values, "") != values.end())
      return "impersonating the empty string value in extra is not allowed";
  }
  return {};
}

// One mode's questions to the authorizer, in upstream's order: user, uid, groups, extra.
class Attempt {
 public:
  Attempt(auth::Authorizer& authorizer, const IncomingRequest& incoming, const auth::User& wanted,
          ImpersonationMode mode)
      : authorizer_(authorizer),
        incoming_(incoming),
        wanted_(wanted),
        mode_(mode),
        constrained_(mode != ImpersonationMode::kLegacy),
        mode_name_(kModeNames[static_cast<size_t>(mode)]),
        verb_(constrained_ ? ConstraintOf(mode) : "impersonate"),
        requester_(incoming.user.get()) {
    if (mode != ImpersonationMode::kAssociatedNode) return;
    // The decision is to hold for every node that the account runs on, so what differs is left out.
    unnamed_ = auth::User{.name = requester_->name, .uid = requester_->uid, .groups = requester_->groups};
    auto& keys = unnamed_->extra["authentication.kubernetes.io/associated-node-keys"];
    for (const auto& [key, values] : requester_->extra) keys.push_back(key);
    requester_ = &*unnamed_;
  }

  base::Task<ImpersonationOutcome> Run() {
    auth::User user = wanted_;
    const bool allowed = co_await MayOnRequest() && co_await MayBeUser(user) && co_await MayHaveUid() &&
                         co_await MayHaveGroups() && co_await MayHaveExtra();
    if (!allowed) co_return ImpersonationOutcome{.refused = std::move(refused_)};
    if (user.name == auth::kAnonymousUser) {
      if (!user.InGroup(auth::kUnauthenticatedGroup)) user.groups.emplace_back(auth::kUnauthenticatedGroup);
    } else {
      auth::AddAuthenticatedGroup(user);
    }
    co_return ImpersonationOutcome{.user = std::move(user)};
  }

 private:
  base::Task<bool> MayOnRequest() {
    if (!constrained_) co_return true;
    const endpoints::RequestAttributes asked(incoming_.info, incoming_.request.query, incoming_.user.get());
    auth::Attributes attributes = *asked;
    const std::string verb = "impersonate-on:" + std::string(mode_name_) + ":" + std::string(attributes.verb);
    attributes.user = requester_;
    attributes.verb = verb;
    co_return co_await May(attributes);
  }

  base::Task<bool> MayBeUser(auth::User& user) {
    auth::Attributes attributes = About("users", wanted_.name);
    if (!constrained_) attributes.group = "";
    if (const auto node = NodeOf(wanted_.name); constrained_ && node) {
      attributes.resource = "nodes";
      attributes.name = mode_ == ImpersonationMode::kAssociatedNode ? "*" : *node;
      user.groups = {std::string(auth::kNodesGroup)};
    }
    if (const auto account = auth::ServiceAccountOf(wanted_.name)) {
      attributes.resource = "serviceaccounts";
      attributes.ns = account->ns;
      attributes.name = account->name;
      if (wanted_.groups.empty())
        user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string(account->ns)};
    }
    co_return co_await May(attributes);
  }

  base::Task<bool> MayHaveUid() {
    if (wanted_.uid.empty()) co_return true;
    co_return co_await May(About("uids", wanted_.uid));
  }

  base::Task<bool> MayHaveGroups() {
    if (wanted_.groups.empty()) co_return true;
    auth::Attributes attributes = About("groups", "");
    if (!constrained_) attributes.group = "";
    if (constrained_) {
      if (std::ranges::find(wanted_.groups, "") != wanted_.groups.end())
        co_return Refuse(attributes, "impersonating the empty string group is not allowed");
      if (wanted_.InGroup(auth::kMastersGroup)) {
        attributes.name = auth::kMastersGroup;
        co_return Refuse(attributes, "impersonating the system:masters group is not allowed");
      }
      attributes.name = "*";
      if (wanted_.groups.size() >= kManyChecks && co_await Asks(attributes)) co_return true;
    }
    for (const std::string& group : wanted_.groups) {
      attributes.name = group;
      if (!co_await May(attributes)) co_return false;
    }
    co_return true;
  }

  base::Task<bool> MayHaveExtra() {
    if (wanted_.extra.empty()) co_return true;
    auth::Attributes attributes = About("userextras", "");
    if (constrained_) {
      if (const std::string why = WhyBadExtra(wanted_); !why.empty()) co_return Refuse(attributes, why);
      size_t values = 0;
      for (const auto& entry : wanted_.extra) values += entry.second.size();
      attributes.subresource = attributes.name = "*";
      if (std::max(values, wanted_.extra.size()) >= kManyChecks && co_await Asks(attributes)) co_return true;
    }
    for (const auto& [key, values] : wanted_.extra) {
      attributes.subresource = key;
      for (const std::string& value : values) {
        attributes.name = value;
        if (!co_await May(attributes)) co_return false;
      }
    }
    co_return true;
  }

  auth::Attributes About(std::string_view resource, std::string_view name) const {
    return {.user = requester_,
            .verb = verb_,
            .resource_request = true,
            .group = kAuthenticationGroup,
            .version = "v1",
            .resource = resource,
            .name = name};
  }

  base::Task<bool> Asks(auth::Attributes attributes) {
    verdict_ = co_await authorizer_.Authorize(attributes);
    co_return verdict_.decision == auth::Decision::kAllow;
  }

  // With the refusal kept when it is not.
  base::Task<bool> May(auth::Attributes attributes) {
    if (co_await Asks(attributes)) co_return true;
    co_return Refuse(attributes, verdict_.reason);
  }

  bool Refuse(const auth::Attributes& attributes, std::string_view reason) {
    refused_ = ForbiddenResponse(attributes, reason, incoming_.accept());
    return false;
  }

  auth::Authorizer& authorizer_;
  const IncomingRequest& incoming_;
  const auth::User& wanted_;
  const ImpersonationMode mode_;
  const bool constrained_;
  const std::string_view mode_name_;
  const std::string verb_;
  const auth::User* requester_;
  std::optional<auth::User> unnamed_;
  auth::Verdict verdict_;
  std::optional<net::http::Response> refused_;
};

size_t PlaceOf(std::string_view user, size_t places) { return std::hash<std::string_view>()(user) % places; }

}  // namespace

base::Task<ImpersonationOutcome> TryImpersonation(auth::Authorizer& authorizer,
                                                  const IncomingRequest& incoming, const auth::User& wanted,
                                                  ImpersonationMode mode) {
  if (!Applies(mode, wanted, *incoming.user)) co_return ImpersonationOutcome();
  Attempt attempt(authorizer, incoming, wanted, mode);
  co_return co_await attempt.Run();
}

std::string ConstraintOf(ImpersonationMode mode) {
  if (mode == ImpersonationMode::kLegacy) return {};
  return "impersonate:" + std::string(kModeNames[static_cast<size_t>(mode)]);
}

std::optional<ImpersonationMode> LastModes::Get(std::string_view user) const {
  const uint8_t mode = modes_[PlaceOf(user, kPlaces)].load(std::memory_order_relaxed);
  if (mode == 0) return std::nullopt;
  return static_cast<ImpersonationMode>(mode - 1);
}

void LastModes::Set(std::string_view user, ImpersonationMode mode) {
  modes_[PlaceOf(user, kPlaces)].store(static_cast<uint8_t>(mode) + 1, std::memory_order_relaxed);
}

}  // namespace keelson::server
