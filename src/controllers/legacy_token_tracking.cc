#include "controllers/legacy_token_tracking.h"

#include "api/codec/time_format.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "controllers/active_namespace.h"

namespace keelson::controllers {
namespace {

using api::core_v1::ConfigMapEditor;
using api::core_v1::ConfigMapView;

constexpr std::string_view kNamespace = "kube-system", kSince = "since";
constexpr std::string_view kTrackingMap = "kube-apiserver-legacy-service-account-token-tracking";

constexpr client::Resource kTrackingMaps{"", "configmaps"};

constexpr size_t kDateSize = std::string_view("2006-01-02").size();

std::string Date(int64_t seconds) {
  char text[api::kMaxTimeSize];
  api::FormatTime(seconds, text);
  return {text, kDateSize};
}

bool IsDate(std::string_view text) {
  return text.size() == kDateSize && api::ParseTime(std::string(text) + "T00:00:00Z");
}

bool PutDate(api::Doc& doc, const std::string& today) {
  ConfigMapEditor map(doc);
  const api::Value* const since = map.data().Find(kSince);
  if (since && IsDate(since->string())) return false;
  map.put_data(kSince, today);
  return true;
}

api::Doc MakeMap(const std::string& today) {
  api::Doc doc(ConfigMapView::Type());
  ConfigMapEditor map(doc);
  map.set_kind_static("ConfigMap");
  map.set_api_version_static("v1");
  map.mutable_metadata().set_name_static(kTrackingMap);
  map.mutable_metadata().set_namespace_static(kNamespace);
  PutDate(doc, today);
  return doc;
}

}  // namespace

LegacyTokenTracking::LegacyTokenTracking(const client::Client& client, Clock clock, base::Executor& loop)
    : client_(client),
      config_maps_(client, kTrackingMaps, loop),
      clock_(std::move(clock)),
      queue_(loop, [this](const std::string&) { return Ensure(); }) {}

void LegacyTokenTracking::Start() {
  queue_.Start();
  queue_.Add(std::string(kTrackingMap));
  config_maps_.Start([this](const client::Change& change) {
    if (change.object.name() == kTrackingMap && change.object.ns() == kNamespace)
      queue_.Add(std::string(kTrackingMap));
  });
}

void LegacyTokenTracking::Stop() {
  config_maps_.Stop();
  queue_.Stop();
}

base::Task<bool> LegacyTokenTracking::Ensure() {
  const std::string ns(kNamespace), name(kTrackingMap), today = Date(clock_());
  const auto read = co_await client_.Get(kTrackingMaps, ns, name, client::Fresh::kNewest);
  if (!read) co_return false;
  client::Result<client::Written> written;
  if (!*read) {
    api::Doc map = MakeMap(today);
    written = co_await client_.Create(kTrackingMaps, ns, std::move(map));
  } else {
    written =
        co_await client_.Update(kTrackingMaps, ns, name, [&](api::Doc& doc) { return PutDate(doc, today); });
  }
  if (written || IsBenign(written.error())) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot write since when the use of tokens is recorded",
            {{"configmap", ns + "/" + name}, {"why", written.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
