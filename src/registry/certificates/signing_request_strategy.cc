#include <map>
#include <string_view>
#include <utility>

#include "api/meta/object_meta.h"
#include "api/validation/certificates/signing_request.h"
#include "api/validation/names.h"
#include "auth/certificate_text.h"
#include "registry/certificates/strategies.h"
#include "registry/core/fields.h"
#include "registry/user_fields.h"

namespace keelson::registry::certificates {
namespace {

using api::certificates::Change;
using api::field::ErrorList;
using namespace api::certificates_v1;

// The conditions get the times that the client left out: of this update, or when they came
// to be what they are.
void SetConditionTimes(CertificateSigningRequestEditor now, CertificateSigningRequestView was,
                       const base::Clock& clock) {
  const int64_t time = api::NowSeconds(clock);
  if (!now.status()) return;
  std::map<std::pair<std::string_view, std::string_view>, int64_t> times;  // by type and status
  for (const auto old : was.status().conditions())
    if (old.has_last_transition_time())
      times.try_emplace({old.type(), old.status()}, old.last_transition_time());
  for (auto condition : now.edit_status().edit_conditions()) {
    if (!condition.has_last_update_time()) condition.set_last_update_time(time);
    if (condition.has_last_transition_time()) continue;
    const auto since = times.find({condition.type(), condition.status()});
    condition.set_last_transition_time(since == times.end() ? time : since->second);
  }
}

// CertificateSigningRequest: what is asked, and by whom, never changes; status and approval
// do, each through its own resource.
class SigningRequestStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return prefix ? std::vector<std::string>() : api::IsPathSegmentName(name);
  }

  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    CertificateSigningRequestEditor request(doc);
    auto spec = request.mutable_spec();
    spec.clear_username();
    spec.clear_uid();
    spec.clear_groups();
    spec.clear_extra();
    if (context.user) SetUser(spec, *context.user, doc.arena());
    request.clear_status();
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    const CertificateSigningRequestView request(doc);
    return api::certificates::ValidateSigningRequest(
        request, {.request = auth::WhyBadCertificateRequest(request.spec().request())});
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return CheckUpdate(now, was, Change::kObject);
  }

 protected:
  static ErrorList CheckUpdate(const api::Doc& now_doc, const api::Doc& was_doc, Change change) {
    const CertificateSigningRequestView now(now_doc), was(was_doc);
    api::certificates::CertificateFaults faults;
    faults.request = auth::WhyBadCertificateRequest(now.spec().request());
    const std::string_view is = now.status().certificate(), had = was.status().certificate();
    const bool had_bad_one = !had.empty() && !auth::WhyBadCertificates(had).empty();
    if (!is.empty() && is != had && !had_bad_one) faults.certificate = auth::WhyBadCertificates(is);
    return api::certificates::ValidateSigningRequestUpdate(now, was, change, faults);
  }
};

class SigningRequestStatusStrategy final : public SigningRequestStrategy {
 public:
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    for (const std::string_view type : {"Approved", "Denied"}) KeepDecision(now, was, type);
    SetConditionTimes(CertificateSigningRequestEditor(now), CertificateSigningRequestView(was),
                      *context.clock);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return CheckUpdate(now, was, Change::kStatus);
  }

 private:
  // Conditions of the approval stay as they are; where some were added or removed, that
  // is for validation to refuse.
  static void KeepDecision(api::Doc& now, const api::Doc& was, std::string_view type) {
    CertificateSigningRequestEditor request(now);
    if (!request.status()) return;
    std::vector<api::Value*> is;
    for (api::Value& condition : request.edit_status().mutable_conditions().items())
      if (CertificateSigningRequestConditionView(condition.node()).type() == type) is.push_back(&condition);
    std::vector<const api::StructNode*> had;
    for (const auto condition : CertificateSigningRequestView(was).status().conditions())
      if (condition.type() == type) had.push_back(condition.node());
    if (is.size() != had.size()) return;
    for (size_t i = 0; i < is.size(); ++i)
      *is[i] = api::DeepCopy(api::Value::Of(const_cast<api::StructNode*>(had[i])), now.arena());
  }
};

class SigningRequestApprovalStrategy final : public SigningRequestStrategy {
 public:
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    CertificateSigningRequestEditor request(now);
    SetConditionTimes(request, CertificateSigningRequestView(was), *context.clock);
    api::ListNode* conditions = request.status() ? &request.edit_status().mutable_conditions() : nullptr;
    core::KeepField(now, was, "spec");
    core::KeepField(now, was, "status");
    auto& list = request.mutable_status().mutable_conditions();
    list = conditions ? *conditions : api::ListNode{list.element};
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return CheckUpdate(now, was, Change::kApproval);
  }
};

}  // namespace

const Strategy& SigningRequests() {
  static const SigningRequestStrategy strategy;
  return strategy;
}

const Strategy& SigningRequestStatus() {
  static const SigningRequestStatusStrategy strategy;
  return strategy;
}

const Strategy& SigningRequestApproval() {
  static const SigningRequestApprovalStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::certificates
