#include "bootstrap/service_cidr.h"

#include <algorithm>
#include <utility>

#include "api/generated/networking_v1.h"
#include "api/meta/object_meta.h"
#include "base/clock.h"
#include "base/log.h"
#include "bootstrap/kubernetes_endpoints.h"
#include "client/events.h"

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

// As Go prints a slice of strings.
std::string RangesOf(ServiceCIDRView cidr) {
  std::string text;
  for (const api::Value& range : cidr.spec().cidrs())
    text.append(text.empty() ? "" : " ").append(range.string());
  return "[" + text + "]";
}

// An event that cannot be written is told by the log alone.
base::Task<void> TellOfOther(const client::Client& client, std::string uid, std::string found,
                             const std::vector<api::Cidr>& ranges) {
  std::string wanted;
  for (const api::Cidr& range : ranges) wanted.append(wanted.empty() ? "" : " ").append(range.ToString());
  const std::string message = "The default ServiceCIDR " + found +
                              " does not match the controller flag configurations [" + wanted + "]";
  base::Log(base::LogLevel::kWarning, message);
  const client::SourcePtr source = client.Find(kServiceCidrs);
  if (!source) co_return;
  api::Doc event = client::MakeEvent({*source->desc, "", kKubernetes, uid},
                                     {.type = "Warning",
                                      .reason = "KubernetesDefaultServiceCIDRInconsistent",
                                      .message = message,
                                      .component = "kubernetes-service-cidr-controller"});
  const auto written = co_await client.Create({"", "events"}, client::EventNamespace(""), std::move(event));
  if (!written)
    base::Log(base::LogLevel::kWarning, "an event cannot be written", {{"why", written.error().message}});
}

}  // namespace

base::Task<Done> EnsureDefaultServiceCidr(const client::Client& client, std::vector<api::Cidr> ranges,
                                          bool& told) {
  CO_TRY(co_await CreateIfAbsent(client, kServiceCidrs, MakeServiceCidr(ranges)));
  const std::string name(kKubernetes);
  auto written = co_await client.Update(kServiceCidrs, "", name,
                                        [&](api::Doc& doc) { return AddSecondFamily(doc, ranges); });
  std::string found, uid;  // of one that is made of other ranges
  if (written)
    written = co_await client.Update(kServiceCidrs.Sub("status"), "", name, [&](api::Doc& doc) {
      const ServiceCIDRView cidr(doc);
      const bool differs = !cidr.metadata().has_deletion_timestamp() && !IsMadeOf(cidr, ranges);
      found = differs ? RangesOf(cidr) : std::string();
      uid = cidr.metadata().uid();
      return MarkReady(doc, ranges);
    });
  if (!written) co_return base::Err("cannot update the default ServiceCIDR: " + written.error().message);
  if (!found.empty() && !std::exchange(told, true)) co_await TellOfOther(client, uid, found, ranges);
  co_return Done();
}

}  // namespace keelson::bootstrap
