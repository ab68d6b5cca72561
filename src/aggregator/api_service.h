// ApiService: who serves a group and version, as an APIService says it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/types/doc.h"

namespace keelson::aggregator {

struct ServiceReference {
  std::string ns, name;
  uint16_t port = 443;

  // The name that the certificate of the backend must be for: "metrics-server.kube-system.svc".
  std::string TlsName() const { return name + "." + ns + ".svc"; }
  auto operator<=>(const ServiceReference&) const = default;
};

struct ApiService {
  std::string name, group, version;
  int32_t group_priority = 0, version_priority = 0;  // higher comes first
  std::optional<ServiceReference> service;           // none: this server
  std::string ca_bundle;
  bool insecure = false;   // any certificate of the backend will do
  bool available = false;  // its condition says so
  bool custom = false;     // kept for a custom resource definition

  // Below which its requests are: "/apis/GROUP/VERSION"; "/api" for the core group.
  std::string Path() const { return IsCore() ? "/api" : "/apis/" + group + "/" + version; }
  // The path of the APIResourceList, which every backend serves: "/apis/metrics.k8s.io/v1beta1".
  std::string DiscoveryPath() const { return IsCore() ? "/api/" + version : Path(); }
  bool IsCore() const { return group.empty(); }

  bool operator==(const ApiService&) const = default;
};
using ApiServicePtr = std::shared_ptr<const ApiService>;

// Requires: an APIService.
ApiService ReadApiService(const api::Doc& doc);

}  // namespace keelson::aggregator
