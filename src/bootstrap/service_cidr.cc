#include "bootstrap/service_cidr.h"

#include <algorithm>

#include "api/generated/networking_v1.h"
#include "api/meta/object_meta.h"
#include "base/clock.h"
#include "bootstrap/kubernetes_endpoints.h"

namespace keelson::bootstrap {
namespace {

using api::networking_v1::ServiceCIDREditor;
using api::networking_v1::ServiceCIDRView;

constexpr client::Resource kServiceCidrs{"networking.k8s.io", "servicecidrs"};

api::Doc MakeServiceCidr(const std::vector<api::Cidr>& ranges) {
  api::Doc doc(ServiceCIDRView::Type());
  ServiceCIDREditor cidr(doc);
  cidr.set_kind_static("ServiceCIDR");
  cidr.set_api_version_static("networking.k8s.io/v1");
  cidr.mutable_metadata().set_name_static(kKubernetes);
  for (const api::Cidr& range : ranges) cidr.mutable_spec().add_cidrs(range.ToString());
  return doc;
}

bool IsMadeOf(ServiceCIDRView cidr, const std::vector<api::Cidr>& ranges) {
  return std::ranges::equal(cidr.spec().cidrs(), ranges, [](const api::Value& text, const api::Cidr& range) {
    return text.string() == range.ToString();
  });
}

// One family may become two; other differences are for the cluster's owner to settle.
bool AddSecondFamily(api::Doc& doc, const std::vector<api::Cidr>& ranges) {
  const auto cidrs = ServiceCIDRView(doc).spec().cidrs();
  if (ranges.size() != 2 || cidrs.size() != 1 || cidrs[0].string() != ranges[0].ToString()) return false;
  ServiceCIDREditor(doc).mutable_spec().add_cidrs(ranges[1].ToString());
  return true;
}

bool MarkReady(api::Doc& doc, const std::vector<api::Cidr>& ranges) {
  ServiceCIDREditor cidr(doc);
  if (cidr.metadata().has_deletion_timestamp() || !IsMadeOf(cidr, ranges)) return false;
  for (const auto condition : cidr.status().conditions())
    if (condition.type() == "Ready") return false;
  auto ready = cidr.mutable_status().add_conditions();
  ready.set_type_static("Ready");
  ready.set_status_static("True");
  ready.set_last_transition_time(api::NowSeconds(base::Clock::Real()));
  ready.set_message_static("Kubernetes default Service CIDR is ready");
  return true;
}

}  // namespace

base::Task<Done> EnsureDefaultServiceCidr(const client::Client& client, std::vector<api::Cidr> ranges) {
  CO_TRY(co_await CreateIfAbsent(client, kServiceCidrs, MakeServiceCidr(ranges)));
  const std::string name(kKubernetes);
  auto written = co_await client.Update(kServiceCidrs, "", name,
                                        [&](api::Doc& doc) { return AddSecondFamily(doc, ranges); });
  if (written)
    written = co_await client.Update(kServiceCidrs.Sub("status"), "", name,
                                     [&](api::Doc& doc) { return MarkReady(doc, ranges); });
  if (!written) co_return base::Err("cannot update the default ServiceCIDR: " + written.error().message);
  co_return Done();
}

}  // namespace keelson::bootstrap
