#include "admission/plugins/pod_security.h"

#include <algorithm>
#include <map>
#include <set>

#include "admission/audit_annotations.h"
#include "admission/pod_security/evaluate.h"
#include "api/generated/apps_v1.h"
#include "api/generated/batch_v1.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodTemplateSpecView;
using api::core_v1::PodView;
using pod_security::Details;
using pod_security::Evaluate;
using pod_security::Level;
using pod_security::LevelVersion;
using pod_security::Policy;
using pod_security::PolicyOf;
using pod_security::Reasons;
using pod_security::Subject;
using pod_security::Violations;

constexpr size_t kMaxPodsToCheck = 3000;

// Resources that hold a template of pods, and where they have it.
struct Holder {
  std::string_view group, plural;
  PodTemplateSpecView (*template_of)(const api::Doc& doc);
};
template <class View>
PodTemplateSpecView OfSpec(const api::Doc& doc) {
  return View(doc).spec().template_();
}
constexpr Holder kHolders[] = {
    {"", "podtemplates", [](const api::Doc& doc) { return api::core_v1::PodTemplateView(doc).template_(); }},
    {"", "replicationcontrollers", OfSpec<api::core_v1::ReplicationControllerView>},
    {"apps", "daemonsets", OfSpec<api::apps_v1::DaemonSetView>},
    {"apps", "deployments", OfSpec<api::apps_v1::DeploymentView>},
    {"apps", "replicasets", OfSpec<api::apps_v1::ReplicaSetView>},
    {"apps", "statefulsets", OfSpec<api::apps_v1::StatefulSetView>},
    {"batch", "cronjobs",
     [](const api::Doc& doc) {
       return api::batch_v1::CronJobView(doc).spec().job_template().spec().template_();
     }},
    {"batch", "jobs", OfSpec<api::batch_v1::JobView>},
};

const Holder* FindHolder(const api::ResourceDesc& resource) {
  for (const Holder& holder : kHolders)
    if (holder.plural == resource.plural && holder.group == resource.group) return &holder;
  return nullptr;
}

bool IsCore(const api::ResourceDesc& resource, std::string_view plural) {
  return resource.group.empty() && resource.plural == plural;
}

// Only a new image, or a new container, is a reason to look at a pod again.
bool IsSignificant(PodView now, PodView was) {
  const auto same_images = [](auto a, auto b) {
    bool same = a.size() == b.size();
    for (size_t i = 0; same && i < a.size(); ++i) same = a[i].image() == b[i].image();
    return same;
  };
  if (!same_images(now.spec().containers(), was.spec().containers()) ||
      !same_images(now.spec().init_containers(), was.spec().init_containers()))
    return true;
  std::map<std::string_view, std::string_view> images;  // by name
  for (auto old : was.spec().ephemeral_containers())
    images.try_emplace(old.ephemeral_container_common().name(), old.ephemeral_container_common().image());
  for (auto container : now.spec().ephemeral_containers()) {
    const auto own = container.ephemeral_container_common();
    const auto image = images.find(own.name());
    if (image == images.end() || image->second != own.image()) return true;
  }
  return false;
}

void Audit(const Attributes& request, std::string_view key, std::string value) {
  AddAuditAnnotation(request, "pod-security.kubernetes.io/" + std::string(key), std::move(value));
}

std::string Would(const LevelVersion& level, const Violations& violations) {
  return "would violate PodSecurity \"" + level.ToString() + "\": " + Details(violations);
}

// Tells that the labels of an exempt namespace have no effect: the modes that they set and that are strict.
std::string ExemptWarning(std::string_view ns, const Policy& policy, api::MapView labels) {
  std::string modes;
  const auto add = [&](std::string_view mode, const LevelVersion& level) {
    if (level.level == Level::kPrivileged || !pod_security::Sets(labels, mode)) return;
    modes.append(modes.empty() ? "" : ", ").append(mode).append("=").append(level.ToString());
  };
  add("enforce", policy.enforce);
  add("audit", policy.audit);
  add("warn", policy.warn);
  return "namespace \"" + std::string(ns) + "\" is exempt from Pod Security, and the policy (" + modes +
         ") will be ignored";
}

// Pods without a controller, and one pod of each controller, come first. Pods of an exempt runtime class are
// left out.
std::vector<const api::Doc*> Prioritized(const std::vector<api::Doc>& pods,
                                         const PodSecurityConfig::Names& exempt_classes) {
  std::vector<const api::Doc*> first, others;
  std::set<std::string_view> controllers;
  for (const api::Doc& pod : pods) {
    if (exempt_classes.contains(PodView(pod).spec().runtime_class_name())) continue;
    std::string_view controller;
    for (auto owner : PodView(pod).metadata().owner_references())
      if (owner.controller()) controller = owner.uid();
    const bool again = !controller.empty() && !controllers.insert(controller).second;
    (again ? others : first).push_back(&pod);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// What the pods of a namespace have against a new level.
void WarnOfPods(const std::vector<api::Doc>& pods, std::string_view ns, const LevelVersion& level,
                const PodSecurityConfig::Names& exempt_classes, std::vector<std::string>& warnings) {
  struct Seen {
    std::string_view name;  // the first in order
    size_t count = 0;
  };
  std::map<std::string, Seen> seen;
  std::vector<const api::Doc*> checked = Prioritized(pods, exempt_classes);
  if (const size_t all = checked.size(); all > kMaxPodsToCheck) {
    checked.resize(kMaxPodsToCheck);
    warnings.push_back("new PodSecurity enforce level only checked against the first " +
                       std::to_string(checked.size()) + " of " + std::to_string(all) + " existing pods");
  }
  for (const api::Doc* const doc : checked) {
    const PodView pod(*doc);
    const Violations violations = Evaluate(level, {pod.metadata(), pod.spec()});
    if (violations.empty()) continue;
    Seen& same = seen[Reasons(violations)];
    if (same.count++ == 0 || pod.metadata().name() < same.name) same.name = pod.metadata().name();
  }
  if (seen.empty()) return;
  warnings.push_back("existing pods in namespace \"" + std::string(ns) +
                     "\" violate the new PodSecurity enforce level \"" + level.ToString() + "\"");
  std::vector<std::string> of_pods;
  for (const auto& [reasons, pod] : seen) {
    std::string others;
    if (pod.count == 2) others = " (and 1 other pod)";
    if (pod.count > 2) others = " (and " + std::to_string(pod.count - 1) + " other pods)";
    of_pods.push_back(std::string(pod.name) + others + ": " + reasons);
  }
  std::ranges::sort(of_pods);
  std::ranges::move(of_pods, std::back_inserter(warnings));
}

}  // namespace

Concern PodSecurity::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  // The other subresources of pods leave their specs alone.
  if (IsCore(resource, "pods"))
    return {.validates =
                subresource.empty() || subresource == "ephemeralcontainers" || subresource == "resize"};
  return {.validates = subresource.empty() && (IsCore(resource, "namespaces") || FindHolder(resource))};
}

base::Task<Verdict> PodSecurity::Validate(Attributes request) const {
  if (request.operation == Operation::kDelete) return Plugin::Validate(request);
  return IsCore(*request.resource, "namespaces") ? ValidateNamespace(request) : ValidatePods(request);
}

base::Task<Verdict> PodSecurity::ValidateNamespace(Attributes request) const {
  api::field::ErrorList errors, old_errors;
  const auto metadata = api::MetadataOf(*request.object);
  const Policy policy = PolicyOf(metadata.labels(), config_.defaults, errors);
  const Policy old_policy = request.old_object ? PolicyOf(api::MetadataOf(*request.old_object).labels(),
                                                          config_.defaults, old_errors)
                                               : Policy();
  const auto text = [](const api::field::Error& error) { return error.ToString(); };
  if (!errors.empty() && !std::ranges::equal(errors, old_errors, {}, text, text))
    co_return base::Err(api::Invalid({"", "Namespace"}, metadata.name(), errors));
  const bool exempt = config_.exempt_namespaces.contains(metadata.name());
  const auto warn_of_exemption = [&] {
    if (exempt && !policy.FullyPrivileged() && !policy.Equivalent(config_.defaults))
      AddWarning(request.warnings, ExemptWarning(metadata.name(), policy, metadata.labels()));
  };
  if (!request.old_object) warn_of_exemption();
  if (!request.old_object || !request.warnings) co_return Verdict();
  const LevelVersion &now = policy.enforce, &was = old_policy.enforce;
  if (now == was || now.level == Level::kPrivileged || (now.minor == was.minor && now.level <= was.level))
    co_return Verdict();
  if (exempt) {
    warn_of_exemption();
    co_return Verdict();
  }
  auto pods = co_await objects_.List({"", "pods"}, std::string(metadata.name()));
  if (!pods) {
    request.warnings->emplace_back("failed to list pods while checking new PodSecurity enforce level");
    co_return Verdict();
  }
  WarnOfPods(**pods, metadata.name(), now, config_.exempt_runtime_classes, *request.warnings);
  co_return Verdict();
}

base::Task<Verdict> PodSecurity::ValidatePods(Attributes request) const {
  const bool is_pod = IsCore(*request.resource, "pods");
  const bool exempt_namespace = config_.exempt_namespaces.contains(request.ns);
  if (exempt_namespace || (request.user && config_.exempt_usernames.contains(request.user->name))) {
    Audit(request, "exempt", exempt_namespace ? "namespace" : "user");
    co_return Verdict();
  }
  const bool insignificant =
      is_pod && request.old_object && !IsSignificant(PodView(*request.object), PodView(*request.old_object));
  if (insignificant && !request.audit) co_return Verdict();
  const auto found =
      co_await objects_.Get({"", "namespaces"}, "", std::string(request.ns), client::Fresh::kAbsenceIsSure);
  if (!found || !*found) {
    const std::string why = "failed to lookup namespace \"" + std::string(request.ns) + "\"";
    Audit(request, "error", (is_pod ? "Internal error occurred: " : "") + why);
    if (!is_pod) co_return Verdict();
    co_return base::Err(api::InternalError(why));
  }
  api::field::ErrorList errors;  // labels that make no sense were refused when they came
  const Policy policy = PolicyOf(api::MetadataOf(**found).labels(), config_.defaults, errors);
  if (policy.FullyPrivileged()) {
    if (is_pod) Audit(request, "enforce-policy", LevelVersion().ToString());
    co_return Verdict();
  }
  if (insignificant) co_return Verdict();
  const bool audits = request.audit && policy.audit.level != Level::kPrivileged;
  if (!is_pod && policy.warn.level == Level::kPrivileged && !audits) co_return Verdict();

  Subject subject;
  if (is_pod) {
    const PodView pod(*request.object);
    subject = {pod.metadata(), pod.spec()};
  } else {
    const PodTemplateSpecView pods = FindHolder(*request.resource)->template_of(*request.object);
    if (!pods) co_return Verdict();
    subject = {pods.metadata(), pods.spec()};
  }
  if (config_.exempt_runtime_classes.contains(subject.spec.runtime_class_name())) {
    Audit(request, "exempt", "runtimeClass");
    co_return Verdict();
  }
  if (!errors.empty()) Audit(request, "error", "Failed to parse policy: " + errors.Aggregate());
  if (is_pod) Audit(request, "enforce-policy", policy.enforce.ToString());
  if (audits)
    if (const Violations violations = Evaluate(policy.audit, subject); !violations.empty())
      Audit(request, "audit-violations", Would(policy.audit, violations));
  if (is_pod) {
    if (const Violations violations = Evaluate(policy.enforce, subject); !violations.empty())
      co_return Refuse(request,
                       "violates PodSecurity \"" + policy.enforce.ToString() + "\": " + Details(violations));
    if (policy.warn == policy.enforce) co_return Verdict();
  }
  const Violations violations = Evaluate(policy.warn, subject);
  if (!violations.empty()) AddWarning(request.warnings, Would(policy.warn, violations));
  co_return Verdict();
}

}  // namespace keelson::admission
