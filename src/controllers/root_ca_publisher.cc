#include "controllers/root_ca_publisher.h"

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "controllers/active_namespace.h"

namespace keelson::controllers {
namespace {

using api::core_v1::ConfigMapEditor;
using api::core_v1::ConfigMapView;

constexpr client::Resource kRootCaMaps{"", "configmaps"};
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

RootCaPublisher::RootCaPublisher(const client::Client& client, std::string root_ca_pem, base::Executor& loop)
    : client_(client),
      root_ca_pem_(std::move(root_ca_pem)),
      namespaces_(client, {"", "namespaces"}, loop),
      config_maps_(client, kRootCaMaps, loop),
      queue_(loop, [this](std::string ns) { return Publish(std::move(ns)); }) {}

void RootCaPublisher::Start() {
  running_ = true;
  queue_.Start();
  namespaces_.Start([this](const client::Change& change) {
    if (!change.gone) queue_.Add(std::string(change.object.name()));
  });
  config_maps_.Start([this](const client::Change& change) {
    if (change.object.name() == kRootCaMap) queue_.Add(std::string(change.object.ns()));
  });
}

void RootCaPublisher::SetRootCa(std::string root_ca_pem) {
  root_ca_pem_ = std::move(root_ca_pem);
  if (!running_) return;
  // Every namespace is told again, and so looked at again.
  Stop();
  Start();
}

void RootCaPublisher::Stop() {
  running_ = false;
  namespaces_.Stop();
  config_maps_.Stop();
  queue_.Stop();
}

base::Task<bool> RootCaPublisher::Publish(std::string ns) {
  const auto active = co_await IsActive(client_, ns);
  if (!active) co_return false;
  if (!*active) co_return true;
  const auto read = co_await client_.Get(kRootCaMaps, ns, std::string(kRootCaMap), client::Fresh::kNewest);
  if (!read) co_return false;
  client::Result<client::Written> written;
  if (!*read) {
    api::Doc map = MakeMap(ns, root_ca_pem_);
    written = co_await client_.Create(kRootCaMaps, ns, std::move(map));
  } else {
    written = co_await client_.Update(kRootCaMaps, ns, std::string(kRootCaMap),
                                      [this](api::Doc& doc) { return PutRootCa(doc, root_ca_pem_); });
  }
  if (written || IsBenign(written.error())) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot publish the root certificate",
            {{"namespace", ns}, {"why", written.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
