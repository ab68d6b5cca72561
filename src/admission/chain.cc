#include "admission/chain.h"

#include <algorithm>

#include "admission/plugins/certificate_approval.h"
#include "admission/plugins/certificate_signing.h"
#include "admission/plugins/certificate_subject_restriction.h"
#include "admission/plugins/default_ingress_class.h"
#include "admission/plugins/default_storage_class.h"
#include "admission/plugins/default_toleration_seconds.h"
#include "admission/plugins/limit_ranger.h"
#include "admission/plugins/node_declared_features.h"
#include "admission/plugins/node_restriction.h"
#include "admission/plugins/persistent_volume_claim_resize.h"
#include "admission/plugins/pod_resize_validator.h"
#include "admission/plugins/pod_security.h"
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
template <class P>
std::unique_ptr<const Plugin> Authorizing(const Environment& environment) {
  return std::make_unique<P>(environment.authorizer);
}
template <class P>
std::unique_ptr<const Plugin> ReadingAndAuthorizing(const Environment& environment) {
  return std::make_unique<P>(*environment.objects, environment.authorizer);
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
    {"NodeRestriction", ReadingAndAuthorizing<NodeRestriction>, false},
    {"TaintNodesByCondition", Plain<TaintNodesByCondition>},
    {"AlwaysPullImages"},
    {"ImagePolicyWebhook"},
    {"PodSecurity", Reading<PodSecurity>},
    {"PodNodeSelector"},
    {"Priority", Reading<Priority>},
    {"DefaultTolerationSeconds",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<DefaultTolerationSeconds>(e.not_ready_toleration_seconds,
                                                         e.unreachable_toleration_seconds);
     }},
    {"PodTolerationRestriction"},
    {"EventRateLimit"},
    {"ExtendedResourceToleration"},
    {"DefaultStorageClass", Reading<DefaultStorageClass>},
    {"StorageObjectInUseProtection", Plain<StorageObjectInUseProtection>},
    {"PodGroupProtection"},
    {"OwnerReferencesPermissionEnforcement"},
    {"PersistentVolumeClaimResize", Reading<PersistentVolumeClaimResize>},
    {"RuntimeClass", Reading<RuntimeClass>},
    {"CertificateApproval", Authorizing<CertificateApproval>},
    {"CertificateSigning", Authorizing<CertificateSigning>},
    {"ClusterTrustBundleAttest"},
    {"CertificateSubjectRestriction", Plain<CertificateSubjectRestriction>},
    {"DefaultIngressClass", Reading<DefaultIngressClass>},
    {"DenyServiceExternalIPs"},
    {"PodTopologyLabels"},
    {"PodGroupWorkloadExists"},
    {"NodeDeclaredFeatureValidator", Reading<NodeDeclaredFeatures>},
    {"JobValidation"},
    {"PodResizeValidator", Reading<PodResizeValidator>},
    {"MutatingAdmissionPolicy", ReadingAndAuthorizing<MutatingAdmissionPolicy>},
    {"MutatingAdmissionWebhook"},
    {"ValidatingAdmissionPolicy", ReadingAndAuthorizing<ValidatingAdmissionPolicy>},
    {"ValidatingAdmissionWebhook"},
    {"ResourceQuota",
     [](const Environment& e) -> std::unique_ptr<const Plugin> {
       return std::make_unique<ResourceQuota>(*e.objects);
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

Chain::Chain(const Selection& selection, const Environment& environment) {
  for (const Known& known : kKnown) {
    const bool on = known.on_by_default ? !Contains(selection.disabled, known.name)
                                        : Contains(selection.enabled, known.name);
    if (known.make && on) plugins_.push_back(known.make(environment));
  }
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
