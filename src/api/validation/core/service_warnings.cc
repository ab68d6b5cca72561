#include <string>
#include <vector>

#include "api/validation/core/service.h"
#include "api/validation/ip.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::Path;

constexpr std::string_view kNone = "None";

class Warnings {
 public:
  void Add(std::string text) { list_.push_back(std::move(text)); }
  void Ip(const Path& path, std::string_view ip) {
    if (auto warning = WarningForIp(path, ip)) Add(std::move(*warning));
  }
  void Ips(const Path& path, ScalarList ips) {
    for (size_t i = 0; i < ips.size(); ++i) Ip(path.Index(i), ips[i].string());
  }
  std::vector<std::string> Take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

void WarnOfHeadless(ServiceSpecView spec, Warnings& warnings) {
  if (!spec.load_balancer_ip().empty()) warnings.Add("spec.loadBalancerIP is ignored for headless services");
  if (!spec.external_ips().empty()) warnings.Add("spec.externalIPs is ignored for headless services");
  if (spec.session_affinity() != ServiceAffinity::kNone)
    warnings.Add("spec.SessionAffinity is ignored for headless services");
}

}  // namespace

std::vector<std::string> WarningsForService(ServiceView service) {
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  Warnings warnings;
  const auto spec = service.spec();
  const Path path("spec"), ranges = path.Child("loadBalancerSourceRanges");
  const bool external = spec.type() == ServiceType::kExternalName;
  const bool headless = spec.type() == ServiceType::kClusterIP && spec.cluster_ip() == kNone;
  if (service.metadata().annotations().Find(kHints)) {
    warnings.Add("annotation " + std::string(kHints) +
                 " is deprecated, please use service.kubernetes.io/topology-mode instead");
  }
  if (!spec.cluster_ip().empty() && spec.cluster_ip() != kNone)
    warnings.Ips(path.Child("clusterIPs"), spec.cluster_ips());
  if (headless) WarnOfHeadless(spec, warnings);
  warnings.Ips(path.Child("externalIPs"), spec.external_ips());
  if (!spec.external_ips().empty() && !headless && !external)
    warnings.Add("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (!spec.load_balancer_ip().empty()) warnings.Ip(path.Child("loadBalancerIP"), spec.load_balancer_ip());
  for (size_t i = 0; i < spec.load_balancer_source_ranges().size(); ++i)
    for (std::string& warning :
         WarningsForCidr(ranges.Index(i), spec.load_balancer_source_ranges()[i].string()))
      warnings.Add(std::move(warning));
  if (external && !spec.external_ips().empty())
    warnings.Add("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (!external && !spec.external_name().empty())
    warnings.Add("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  if (spec.traffic_distribution() == "PreferClose")
    warnings.Add("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  return warnings.Take();
}

std::vector<std::string> WarningsForServiceStatus(ServiceView service) {
  Warnings warnings;
  const Path status("status"), balancer = status.Child("loadBalancer"), path = balancer.Child("ingress");
  size_t i = 0;
  for (const auto ingress : service.status().load_balancer().ingress()) {
    const Path at = path.Index(i++);
    if (!ingress.ip().empty()) warnings.Ip(at, ingress.ip());
  }
  return warnings.Take();
}

}  // namespace keelson::api::core
