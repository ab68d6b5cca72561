#include "controllers/root_ca_publisher.h"

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "controllers/active_namespace.h"

namespace keelson::controllers {
namespace {

using api::core_v1::ConfigMapEditor;
using api::core_v1::ConfigMapView;

constexpr std::string_view kRootCaMap = "kube-root-ca.crt", kRootCaKey = "ca.crt";
constexpr std::string_view kDescriptionKey = "kubernetes.io/description";
// What clients know from kube-controller-manager.
constexpr std::string_view kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such "
    "as "
    "the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of "
    "Kubernetes clusters.";

bool IsKeptByOthers(const ConfigMapView& map) {
  for (const auto entry : map.metadata().managed_fields())
    if (entry.manager() == "kube-controller-manager") return true;
  return false;
}

bool IsRight(const ConfigMapView& map, std::string_view pem) {
  const api::Value* const data = map.data().Find(kRootCaKey);
  const api::Value* const description = map.metadata().annotations().Find(kDescriptionKey);
  return map.data().size() == 1 && data && data->string() == pem && description &&
         !description->string().empty();
}

bool PutRootCa(api::Doc& doc, const std::string& pem) {
  ConfigMapEditor map(doc);
  if (IsKeptByOthers(map) || IsRight(map, pem)) return false;
  map.clear_data();
  map.put_data(kRootCaKey, pem);
  map.mutable_metadata().put_annotations(kDescriptionKey, kDescription);
  return true;
}

api::Doc MakeMap(std::string_view ns, const std::string& pem) {
  api::Doc doc(ConfigMapView::Type());
  ConfigMapEditor map(doc);
  map.set_kind_static("ConfigMap");
  map.set_api_version_static("v1");
  map.mutable_metadata().set_name_static(kRootCaMap);
  map.mutable_metadata().set_namespace(ns);
  PutRootCa(doc, pem);
  return doc;
}

}  // namespace

RootCaPublisher::RootCaPublisher(client::Collection& namespaces, client::Collection& config_maps,
                                 std::string root_ca_pem, base::Executor& loop)
    : namespaces_(namespaces),
      config_maps_(config_maps),
      root_ca_pem_(std::move(root_ca_pem)),
      queue_(loop, [this](std::string ns) { return Publish(std::move(ns)); }) {}

void RootCaPublisher::Start() {
  queue_.Start();
  namespaces_.Watch([this](const client::Collection::Change& change) {
    if (!change.gone) queue_.Add(std::string(change.name));
  });
  config_maps_.Watch([this](const client::Collection::Change& change) {
    if (change.name == kRootCaMap) queue_.Add(std::string(change.ns));
  });
}

void RootCaPublisher::Stop() {
  namespaces_.StopWatching();
  config_maps_.StopWatching();
  queue_.Stop();
}

base::Task<bool> RootCaPublisher::Publish(std::string ns) {
  const auto active = co_await IsActive(namespaces_, ns);
  if (!active) co_return false;
  if (!*active) co_return true;
  const auto read = co_await config_maps_.Get(ns, std::string(kRootCaMap));
  if (!read) co_return false;
  client::Collection::Result<void> written;
  if (!*read) {
    api::Doc map = MakeMap(ns, root_ca_pem_);
    written = co_await config_maps_.Create(ns, std::move(map));
  } else {
    written = co_await config_maps_.Update(ns, std::string(kRootCaMap),
                                           [this](api::Doc& doc) { return PutRootCa(doc, root_ca_pem_); });
  }
  if (written || IsBenign(written.error())) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot publish the root certificate",
            {{"namespace", ns}, {"why", written.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
