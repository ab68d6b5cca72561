#include "admission/chain.h"

#include <algorithm>

#include "admission/plugins/default_ingress_class.h"
#include "admission/plugins/default_storage_class.h"
#include "admission/plugins/default_toleration_seconds.h"
#include "admission/plugins/event_rate_limit.h"
#include "admission/plugins/image_policy_webhook.h"
#include "admission/plugins/limit_ranger.h"
#include "admission/plugins/node_declared_features.h"
#include "admission/plugins/persistent_volume_claim_resize.h"
#include "admission/plugins/pod_node_selector.h"
#include "admission/plugins/pod_resize_validator.h"
#include "admission/plugins/pod_security.h"
#include "admission/plugins/pod_toleration_restriction.h"
#include "admission/plugins/priority.h"
#include "admission/plugins/resource_quota.h"
#include "admission/plugins/runtime_class.h"
#include "admission/plugins/service_account.h"
#include "admission/plugins/storage_object_in_use_protection.h"
#include "admission/plugins/taint_nodes_by_condition.h"
#include "admission/policies/mutating_admission_policy.h"
#include "admission/policies/validating_admission_policy.h"

namespace keelson::admission {
namespace {

using Make = std::unique_ptr<const Plugin> (*)(const Environment&);

template <class P>
std::unique_ptr<const Plugin> Plain(const Environment&) {
  return std::make_unique<P>();
}
template <class P>
std::unique_ptr<const Plugin> Reading(const Environment& environment) {
  return std::make_unique<P>(*environment.objects);
}

struct Known {
  std::string_view name;
  Make make = nullptr;        // null: upstream's alone
  bool on_by_default = true;  // of no meaning while `make` is null
};

// All of upstream's plug-ins, in its order, which plug-ins rely on, and on or off by default as there.
constexpr Known kKnown[] = {
    {"AlwaysAdmit"},
    {"NamespaceAutoProvision"},
    {"NamespaceLifecycle",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<NamespaceLifecycle>(*e.namespaces);
     }},
    {"NamespaceExists"},
    {"LimitPodHardAntiAffinityTopology"},
    {"LimitRanger", Reading<LimitRanger>},
    {"ServiceAccount", Reading<ServiceAccount>},
    {"NodeRestriction"},
    {"TaintNodesByCondition", Plain<TaintNodesByCondition>},
    {"AlwaysPullImages"},
    {"ImagePolicyWebhook",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ImagePolicyWebhook>(e.settings.image_policy, *e.image_reviewer);
     },
     /*on_by_default=*/false},
    {"PodSecurity",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodSecurity>(*e.objects, e.settings.pod_security);
     }},
    {"PodNodeSelector",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodNodeSelector>(*e.objects, e.settings.node_selectors);
     },
     /*on_by_default=*/false},
    {"Priority", Reading<Priority>},
    {"DefaultTolerationSeconds",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<DefaultTolerationSeconds>(e.not_ready_toleration_seconds,
                                                         e.unreachable_toleration_seconds);
     }},
    {"PodTolerationRestriction",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<PodTolerationRestriction>(*e.objects, e.settings.toleration_restrictions);
     },
     /*on_by_default=*/false},
    {"EventRateLimit",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<EventRateLimit>(e.settings.event_limits);
     },
     /*on_by_default=*/false},
    {"ExtendedResourceToleration"},
    {"DefaultStorageClass", Reading<DefaultStorageClass>},
    {"StorageObjectInUseProtection", Plain<StorageObjectInUseProtection>},
    {"PodGroupProtection"},
    {"OwnerReferencesPermissionEnforcement"},
    {"PersistentVolumeClaimResize", Reading<PersistentVolumeClaimResize>},
    {"RuntimeClass", Reading<RuntimeClass>},
    {"CertificateApproval"},
    {"CertificateSigning"},
    {"ClusterTrustBundleAttest"},
    {"CertificateSubjectRestriction"},
    {"DefaultIngressClass", Reading<DefaultIngressClass>},
    {"DenyServiceExternalIPs"},
    {"PodTopologyLabels"},
    {"PodGroupWorkloadExists"},
    {"NodeDeclaredFeatureValidator", Reading<NodeDeclaredFeatures>},
    {"JobValidation"},
    {"PodResizeValidator", Reading<PodResizeValidator>},
    {"MutatingAdmissionPolicy",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<MutatingAdmissionPolicy>(*e.objects, e.authorizer);
     }},
    {"MutatingAdmissionWebhook"},
    {"ValidatingAdmissionPolicy",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ValidatingAdmissionPolicy>(*e.objects, e.authorizer);
     }},
    {"ValidatingAdmissionWebhook"},
    {"ResourceQuota",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ResourceQuota>(*e.objects, e.settings.limited_resources);
     }},
    {"AlwaysDeny"},
};

const Known* Find(std::string_view name) {
  const auto* const found = std::ranges::find(kKnown, name, &Known::name);
  return found == std::end(kKnown) ? nullptr : found;
}

base::Result<void, std::string> CheckName(std::string_view flag, std::string_view name, bool must_work) {
  const Known* const known = Find(name);
  if (known && (known->make || !must_work)) return {};
  std::string why(flag);
  why.append(" plugin \"").append(name).append(known ? "\" is not implemented by keelson" : "\" is unknown");
  return base::Err(std::move(why));
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool Runs(const Selection& selection, const Known& known) {
  const bool on = known.on_by_default ? !Contains(selection.disabled, known.name)
                                      : Contains(selection.enabled, known.name);
  return known.make && on;
}

}  // namespace

base::Result<void, std::string> CheckSelection(const Selection& selection) {
  for (const std::string& name : selection.enabled) {
    TRY(CheckName("enable-admission-plugins", name, true));
    if (Contains(selection.disabled, name))
      return base::Err("[" + name + "] in enable-admission-plugins and disable-admission-plugins overlapped");
  }
  for (const std::string& name : selection.disabled) TRY(CheckName("disable-admission-plugins", name, false));
  return {};
}

bool RunsPlugin(const Selection& selection, std::string_view name) {
  const Known* const known = Find(name);
  return known && Runs(selection, *known);
}

Chain::Chain(const Selection& selection, const Environment& environment) {
  for (const Known& known : kKnown)
    if (Runs(selection, known)) plugins_.push_back(known.make(environment));
}

Chain::Plugins Chain::Mutating(const api::ResourceDesc& resource, std::string_view subresource) const {
  Plugins chosen;
  for (const auto& plugin : plugins_)
    if (plugin->ConcernWith(resource, subresource).mutates) chosen.push_back(plugin.get());
  return chosen;
}

Chain::Plugins Chain::Validating(const api::ResourceDesc& resource, std::string_view subresource) const {
  Plugins chosen;
  for (const auto& plugin : plugins_)
    if (plugin->ConcernWith(resource, subresource).validates) chosen.push_back(plugin.get());
  return chosen;
}

base::Task<Verdict> Mutate(const Chain::Plugins& plugins, Attributes request) {
  for (const Plugin* const plugin : plugins) CO_TRY(co_await plugin->Mutate(request));
  co_return Verdict();
}

base::Task<Verdict> Validate(const Chain::Plugins& plugins, Attributes request) {
  for (const Plugin* const plugin : plugins) CO_TRY(co_await plugin->Validate(request));
  co_return Verdict();
}

}  // namespace keelson::admission
