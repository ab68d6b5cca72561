#include "registry/resource/claim_authorization.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api/generated/resource_v1.h"
#include "api/validation/core/checks.h"
#include "auth/forbidden_message.h"
#include "auth/service_account_user.h"

namespace keelson::registry::resource {
namespace {

using namespace api::resource_v1;
using api::field::ErrorList;
using api::field::Path;

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";
constexpr std::string_view kAdminNeedsLabel =
    "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the "
    "containing "
    "namespace";

// ---- administrative access

// Where administrative access is asked for; empty: nowhere. Upstream names the same path in templates.
std::string RequestedAdminAccess(ResourceClaimSpecView spec) {
  size_t i = 0;
  for (const auto request : spec.devices().requests()) {
    if (request.exactly().admin_access())
      return "spec.devices.requests[" + std::to_string(i) + "].adminAccess";
    ++i;
  }
  return {};
}

// Where it is allocated; empty: nowhere.
std::string AllocatedAdminAccess(ResourceClaimStatusView status) {
  size_t i = 0;
  for (const auto result : status.allocation().devices().results()) {
    if (result.admin_access())
      return "status.allocation.devices.results[" + std::to_string(i) + "].adminAccess";
    ++i;
  }
  return {};
}

class AdminAccess {
 public:
  explicit AdminAccess(const Dependencies& dependencies) : stores_(dependencies.stores) {}

  // `at`: where access is asked for; empty: it is not.
  base::Task<ErrorList> Check(std::string ns, std::string at) const {
    ErrorList errors;
    if (at.empty()) co_return errors;
    const Path path(at);
    const auto found = co_await stores_->Find({"", "namespaces"})->Get("", ns, {});
    if (!found)
      errors.Add(api::field::Internal(
          path, "could not retrieve namespace to verify admin access: " + found.error().message));
    else if (!HasLabel(**found))
      errors.Add(api::field::Forbidden(path, kAdminNeedsLabel));
    co_return errors;
  }

 private:
  static bool HasLabel(const rest::Object& ns) {
    for (size_t i = 0; i < ns.label_count(); ++i)
      if (ns.label(i).first == kAdminLabel) return ns.label(i).second == "true";
    return false;
  }

  const Stores* const stores_;
};

// No update can change what is asked for.
template <class View>
class AdminAccessCheck final : public WriteCheck {
 public:
  explicit AdminAccessCheck(const Dependencies& dependencies) : admin_(dependencies) {}

  base::Task<ErrorList> BesideValidation(const admission::Attributes& request) const override {
    if (request.operation != admission::Operation::kCreate) co_return ErrorList();
    co_return co_await admin_.Check(std::string(request.ns), RequestedAdminAccess(SpecOf(*request.object)));
  }

 private:
  static ResourceClaimSpecView SpecOf(const api::Doc& doc) {
    if constexpr (std::is_same_v<View, ResourceClaimTemplateView>)
      return View(doc).spec().spec();
    else
      return View(doc).spec();
  }

  const AdminAccess admin_;
};

// ---- the status

bool ReservesAsBefore(ResourceClaimStatusView now, ResourceClaimStatusView was) {
  const auto after = now.reserved_for(), before = was.reserved_for();
  if (after.size() != before.size()) return false;
  for (size_t i = 0; i < after.size(); ++i)
    if (!api::core::SameStruct(after[i], before[i])) return false;
  return true;
}

// The drivers of devices whose status comes, changes or goes, sorted.
std::set<std::string_view> ChangedDrivers(ResourceClaimStatusView now, ResourceClaimStatusView was) {
  using Device = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  const auto identity = [](AllocatedDeviceStatusView device) {
    return Device(device.driver(), device.pool(), device.device(), device.share_id());
  };
  std::map<Device, AllocatedDeviceStatusView> before;
  for (const auto device : was.devices()) before.insert_or_assign(identity(device), device);
  std::set<std::string_view> drivers;
  for (const auto device : now.devices()) {
    const auto known = before.find(identity(device));
    if (known == before.end() || !api::core::SameStruct(known->second, device))
      drivers.insert(device.driver());
    if (known != before.end()) before.erase(known);
  }
  for (const auto& [device, status] : before) drivers.insert(std::get<0>(device));
  return drivers;
}

// The node that an allocation is for, where there is only one; else empty.
std::string_view NodeOf(AllocationResultView allocation) {
  const auto terms = allocation.node_selector().node_selector_terms();
  if (terms.size() != 1 || !terms[0].match_expressions().empty() || terms[0].match_fields().size() != 1)
    return {};
  const auto field = terms[0].match_fields()[0];
  if (field.key() != "metadata.name" || field.operator_() != "In" || field.values().size() != 1) return {};
  return field.values()[0].string();
}

// As Go prints a list.
std::string ListText(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) text.append(text.size() > 1 ? " " : "").append(word);
  return text + "]";
}

class ClaimStatusCheck final : public WriteCheck {
 public:
  explicit ClaimStatusCheck(const Dependencies& dependencies)
      : admin_(dependencies), authorizer_(*dependencies.authorizer) {}

  base::Task<ErrorList> BesideValidation(const admission::Attributes& request) const override {
    ErrorList errors;
    if (request.operation != admission::Operation::kUpdate) co_return errors;
    const ResourceClaimStatusView now = ResourceClaimView(*request.object).status();
    const ResourceClaimStatusView was = ResourceClaimView(*request.old_object).status();
    if (AllocatedAdminAccess(was).empty())
      errors = co_await admin_.Check(std::string(request.ns), AllocatedAdminAccess(now));
    if (!api::core::SameStruct(now.allocation(), was.allocation()) || !ReservesAsBefore(now, was))
      errors.Append(co_await CheckBinding(request));
    // Without an allocation there is no device whose status could be kept.
    if (now.allocation())
      for (const std::string_view driver : ChangedDrivers(now, was))
        errors.Append(co_await CheckDriver(request, driver, NodeOf(now.allocation())));
    co_return errors;
  }

 private:
  base::Task<ErrorList> CheckBinding(const admission::Attributes& request) const {
    const std::string verb(request.verb);
    const std::string refusal = co_await Refusal(request, "binding", verb, "", "");
    ErrorList errors;
    if (!refusal.empty())
      errors.Add(api::field::Forbidden(
          Path("status").Child("allocation"),
          "changing status.allocation or status.reservedFor requires resource=\"resourceclaims/binding\", "
          "verb=\"" +
              verb + "\" permission: " + refusal));
    co_return errors;
  }

  // Who runs on the node of the claim needs less.
  base::Task<ErrorList> CheckDriver(const admission::Attributes& request, std::string_view driver,
                                    std::string_view node) const {
    std::vector<std::string> verbs;
    if (auth::RunsOnNode(*request.user, node))
      verbs.push_back("associated-node:" + std::string(request.verb));
    verbs.push_back("arbitrary-node:" + std::string(request.verb));
    std::string first;
    ErrorList errors;
    for (const std::string& verb : verbs) {
      std::string refusal = co_await Refusal(request, "driver", verb, request.ns, driver);
      if (refusal.empty()) co_return errors;
      if (first.empty()) first = std::move(refusal);
    }
    errors.Add(api::field::Forbidden(Path("status").Child("devices"),
                                     "changing status.devices requires resource=\"resourceclaims/driver\", "
                                     "verb=\"" +
                                         ListText(verbs) + "\" permission: " + first));
    co_return errors;
  }

  // What a client is told that may not; empty: it may.
  base::Task<std::string> Refusal(const admission::Attributes& request, std::string_view subresource,
                                  std::string_view verb, std::string_view ns, std::string_view name) const {
    const auth::Attributes question{.user = request.user,
                                    .verb = verb,
                                    .resource_request = true,
                                    .group = request.resource->group,
                                    .version = request.resource->version,
                                    .resource = request.resource->plural,
                                    .subresource = subresource,
                                    .ns = ns,
                                    .name = name};
    const auth::Verdict verdict = co_await authorizer_.Authorize(question);
    if (verdict.decision == auth::Decision::kAllow) co_return std::string();
    std::string why = verdict.error;
    if (!why.empty() && !verdict.reason.empty()) why += ": ";
    why += verdict.reason;
    co_return api::Forbidden(request.group_resource(), name, auth::ForbiddenMessage(question, why)).message;
  }

  const AdminAccess admin_;
  auth::Authorizer& authorizer_;
};

}  // namespace

std::unique_ptr<WriteCheck> MakeClaimCheck(const Dependencies& dependencies) {
  return std::make_unique<AdminAccessCheck<ResourceClaimView>>(dependencies);
}
std::unique_ptr<WriteCheck> MakeClaimTemplateCheck(const Dependencies& dependencies) {
  return std::make_unique<AdminAccessCheck<ResourceClaimTemplateView>>(dependencies);
}
std::unique_ptr<WriteCheck> MakeClaimStatusCheck(const Dependencies& dependencies) {
  return std::make_unique<ClaimStatusCheck>(dependencies);
}

}  // namespace keelson::registry::resource
