#include "admission/chain.h"

#include <algorithm>
#include <chrono>

#include "admission/plugins/always_admit.h"
#include "admission/plugins/always_deny.h"
#include "admission/plugins/always_pull_images.h"
#include "admission/plugins/certificate_approval.h"
#include "admission/plugins/certificate_signing.h"
#include "admission/plugins/certificate_subject_restriction.h"
#include "admission/plugins/cluster_trust_bundle_attest.h"
#include "admission/plugins/default_ingress_class.h"
#include "admission/plugins/default_storage_class.h"
#include "admission/plugins/default_toleration_seconds.h"
#include "admission/plugins/deny_service_external_ips.h"
#include "admission/plugins/event_rate_limit.h"
#include "admission/plugins/extended_resource_toleration.h"
#include "admission/plugins/image_policy_webhook.h"
#include "admission/plugins/job_validation.h"
#include "admission/plugins/limit_pod_hard_anti_affinity_topology.h"
#include "admission/plugins/limit_ranger.h"
#include "admission/plugins/namespace_auto_provision.h"
#include "admission/plugins/namespace_exists.h"
#include "admission/plugins/node_declared_features.h"
#include "admission/plugins/node_restriction.h"
#include "admission/plugins/owner_references.h"
#include "admission/plugins/persistent_volume_claim_resize.h"
#include "admission/plugins/pod_group_protection.h"
#include "admission/plugins/pod_group_workload_exists.h"
#include "admission/plugins/pod_node_selector.h"
#include "admission/plugins/pod_resize_validator.h"
#include "admission/plugins/pod_security.h"
#include "admission/plugins/pod_toleration_restriction.h"
#include "admission/plugins/pod_topology_labels.h"
#include "admission/plugins/priority.h"
#include "admission/plugins/resource_quota.h"
#include "admission/plugins/runtime_class.h"
#include "admission/plugins/service_account.h"
#include "admission/plugins/storage_object_in_use_protection.h"
#include "admission/plugins/taint_nodes_by_condition.h"
#include "admission/policies/mutating_admission_policy.h"
#include "admission/policies/validating_admission_policy.h"
#include "admission/reinvocation.h"
#include "admission/webhooks/mutating_admission_webhook.h"
#include "admission/webhooks/validating_admission_webhook.h"

namespace keelson::admission {
namespace {

using Make = std::unique_ptr<const Plugin> (*)(const PluginInitializer&);

template <class P>
std::unique_ptr<const Plugin> Plain(const PluginInitializer&) {
  return std::make_unique<P>();
}
template <class P>
std::unique_ptr<const Plugin> Reading(const PluginInitializer& initializer) {
  return std::make_unique<P>(*initializer.objects);
}
template <class P>
std::unique_ptr<const Plugin> Authorizing(const PluginInitializer& initializer) {
  return std::make_unique<P>(initializer.authorizer);
}
template <class P>
std::unique_ptr<const Plugin> ReadingAndAuthorizing(const PluginInitializer& initializer) {
  return std::make_unique<P>(*initializer.objects, initializer.authorizer);
}

template <class P>
std::unique_ptr<const Plugin> AskingPolicies(const PluginInitializer& initializer) {
  return std::make_unique<P>(*initializer.objects, initializer.authorizer, initializer.metrics);
}

template <class P>
std::unique_ptr<const Plugin> AskingWebhooks(const PluginInitializer& initializer) {
  return std::make_unique<P>(WebhookParts{.objects = initializer.objects,
                                          .authorizer = initializer.authorizer,
                                          .sender = initializer.webhook_sender,
                                          .metrics = initializer.metrics,
                                          .events = initializer.events});
}

struct Known {
  std::string_view name;
  Make make = nullptr;  // never null
  bool on_by_default = true;
};

// All of upstream's plug-ins, in its order, which plug-ins rely on, and on or off by default as there.
constexpr Known kKnown[] = {
    {"AlwaysAdmit", Plain<AlwaysAdmit>, false},
    {"NamespaceAutoProvision",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<NamespaceAutoProvision>(*e.namespaces, *e.objects);
     },
     false},
    {"NamespaceLifecycle",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<NamespaceLifecycle>(*e.namespaces);
     }},
    {"NamespaceExists",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<NamespaceExists>(*e.namespaces);
     },
     false},
    {"LimitPodHardAntiAffinityTopology", Plain<LimitPodHardAntiAffinityTopology>, false},
    {"LimitRanger", Reading<LimitRanger>},
    {"ServiceAccount", Reading<ServiceAccount>},
    {"NodeRestriction", ReadingAndAuthorizing<NodeRestriction>, false},
    {"TaintNodesByCondition", Plain<TaintNodesByCondition>},
    {"AlwaysPullImages", Plain<AlwaysPullImages>, /*on_by_default=*/false},
    {"ImagePolicyWebhook",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ImagePolicyWebhook>(e.settings.image_policy, *e.image_reviewer);
     },
     /*on_by_default=*/false},
    {"PodSecurity",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodSecurity>(*e.objects, e.settings.pod_security);
     }},
    {"PodNodeSelector",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodNodeSelector>(*e.objects, e.settings.node_selectors);
     },
     /*on_by_default=*/false},
    {"Priority",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<Priority>(*e.objects, e.pod_groups_have_priority);
     }},
    {"DefaultTolerationSeconds",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<DefaultTolerationSeconds>(e.not_ready_toleration_seconds,
                                                         e.unreachable_toleration_seconds);
     }},
    {"PodTolerationRestriction",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodTolerationRestriction>(*e.objects, e.settings.toleration_restrictions);
     },
     /*on_by_default=*/false},
    {"EventRateLimit",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<EventRateLimit>(e.settings.event_limits);
     },
     /*on_by_default=*/false},
    {"ExtendedResourceToleration", Plain<ExtendedResourceToleration>, /*on_by_default=*/false},
    {"DefaultStorageClass", Reading<DefaultStorageClass>},
    {"StorageObjectInUseProtection", Plain<StorageObjectInUseProtection>},
    {"PodGroupProtection", Plain<PodGroupProtection>},
    {"OwnerReferencesPermissionEnforcement",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<OwnerReferencesPermissionEnforcement>(*e.objects, *e.authorizer);
     },
     false},
    {"PersistentVolumeClaimResize", Reading<PersistentVolumeClaimResize>},
    {"RuntimeClass", Reading<RuntimeClass>},
    {"CertificateApproval", Authorizing<CertificateApproval>},
    {"CertificateSigning", Authorizing<CertificateSigning>},
    {"ClusterTrustBundleAttest", Authorizing<ClusterTrustBundleAttest>},
    {"CertificateSubjectRestriction", Plain<CertificateSubjectRestriction>},
    {"DefaultIngressClass", Reading<DefaultIngressClass>},
    {"DenyServiceExternalIPs", Plain<DenyServiceExternalIps>, false},
    {"PodTopologyLabels", Reading<PodTopologyLabels>},
    {"PodGroupWorkloadExists", Reading<PodGroupWorkloadExists>},
    {"NodeDeclaredFeatureValidator", Reading<NodeDeclaredFeatures>},
    {"JobValidation", Reading<JobValidation>},
    {"PodResizeValidator", Reading<PodResizeValidator>},
    {"MutatingAdmissionPolicy", AskingPolicies<MutatingAdmissionPolicy>},
    {"MutatingAdmissionWebhook", AskingWebhooks<MutatingAdmissionWebhook>},
    {"ValidatingAdmissionPolicy", AskingPolicies<ValidatingAdmissionPolicy>},
    {"ValidatingAdmissionWebhook", AskingWebhooks<ValidatingAdmissionWebhook>},
    {"ResourceQuota",
     [](const PluginInitializer& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ResourceQuota>(*e.objects, e.settings.limited_resources);
     }},
    {"AlwaysDeny", Plain<AlwaysDeny>, false},
};

const Known* Find(std::string_view name) {
  const auto* const found = std::ranges::find(kKnown, name, &Known::name);
  return found == std::end(kKnown) ? nullptr : found;
}

base::Result<void, std::string> CheckName(std::string_view flag, std::string_view name) {
  if (Find(name)) return {};
  std::string why(flag);
  return base::Err(why.append(" plugin \"").append(name).append("\" is unknown"));
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const DurationMetric* IfMeasured(const DurationMetric& metric) {
  return metric.measures() ? &metric : nullptr;
}

// Tells `took` of what began then, and gives the time of now.
std::chrono::steady_clock::time_point Tell(const DurationMetric* took, const Attributes& request,
                                           const Verdict& verdict,
                                           std::chrono::steady_clock::time_point began) {
  if (!took) return began;
  const auto now = std::chrono::steady_clock::now();
  took->Observe(request.operation, !verdict, now - began);
  return now;
}

// One after the other, until one refuses. The end of one is the beginning of the next: the clock is read once
// for each.
base::Task<Verdict> AskEach(const Chain::Plugins& plugins,
                            base::Task<Verdict> (Plugin::*ask)(Attributes) const, const Attributes& request) {
  auto began = std::chrono::steady_clock::now();
  for (const auto& [plugin, took] : plugins.asked) {
    Verdict verdict = co_await (plugin->*ask)(request);
    began = Tell(took, request, verdict, began);
    if (!verdict) co_return verdict;
  }
  co_return Verdict();
}

bool Runs(const Selection& selection, const Known& known) {
  return known.on_by_default ? !Contains(selection.disabled, known.name)
                             : Contains(selection.enabled, known.name);
}

}  // namespace

base::Result<void, std::string> CheckSelection(const Selection& selection) {
  for (const std::string& name : selection.enabled) {
    TRY(CheckName("enable-admission-plugins", name));
    if (Contains(selection.disabled, name))
      return base::Err("[" + name + "] in enable-admission-plugins and disable-admission-plugins overlapped");
  }
  for (const std::string& name : selection.disabled) TRY(CheckName("disable-admission-plugins", name));
  return {};
}

bool RunsPlugin(const Selection& selection, std::string_view name) {
  const Known* const known = Find(name);
  return known && Runs(selection, *known);
}

Chain::Chain(const Selection& selection, const PluginInitializer& initializer)
    : admit_(initializer.metrics, "", "admit"), validate_(initializer.metrics, "", "validate") {
  for (const Known& known : kKnown) {
    if (!Runs(selection, known)) continue;
    if (auto plugin = known.make(initializer))
      members_.push_back(std::make_unique<const Member>(known.name, std::move(plugin), initializer.metrics));
  }
}

Chain::Plugins Chain::Mutating(const api::ResourceDesc& resource, std::string_view subresource) const {
  Plugins chosen{.took = IfMeasured(admit_)};
  for (const auto& member : members_)
    if (member->plugin->ConcernWith(resource, subresource).mutates)
      chosen.asked.push_back({member->plugin.get(), IfMeasured(member->admit)});
  return chosen;
}

Chain::Plugins Chain::Validating(const api::ResourceDesc& resource, std::string_view subresource) const {
  Plugins chosen{.took = IfMeasured(validate_)};
  for (const auto& member : members_)
    if (member->plugin->ConcernWith(resource, subresource).validates)
      chosen.asked.push_back({member->plugin.get(), IfMeasured(member->validate)});
  return chosen;
}

base::Task<Verdict> Mutate(const Chain::Plugins& plugins, Attributes request) {
  Reinvocation reinvocation;
  request.reinvocation = &reinvocation;
  const auto began = std::chrono::steady_clock::now();
  Verdict verdict = co_await AskEach(plugins, &Plugin::Mutate, request);
  if (verdict && reinvocation.BeginSecondRound())
    verdict = co_await AskEach(plugins, &Plugin::Mutate, request);
  Tell(plugins.took, request, verdict, began);
  co_return verdict;
}

base::Task<Verdict> Validate(const Chain::Plugins& plugins, Attributes request) {
  const auto began = std::chrono::steady_clock::now();
  Verdict verdict = co_await AskEach(plugins, &Plugin::Validate, request);
  Tell(plugins.took, request, verdict, began);
  co_return verdict;
}

}  // namespace keelson::admission
