#include "controllers/authentication_trust.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/generated/core_v1.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::core_v1::ConfigMapEditor;
using api::core_v1::ConfigMapView;

constexpr client::Resource kTrustMaps{"", "configmaps"};
constexpr std::string_view kTrustNamespace = "kube-system", kTrustMap = "extension-apiserver-authentication";

std::string_view TextAt(ConfigMapView map, std::string_view key) {
  const api::Value* const found = map.data().Find(key);
  return found ? found->string() : std::string_view();
}

// The strings of a JSON list, without those that are no strings.
std::vector<std::string> StringsIn(std::string_view json) {
  std::vector<std::string> strings;
  api::Arena arena;
  const auto decoded = api::json::DecodeAny(json, arena);
  if (!decoded || !decoded->is(api::Value::Tag::kList)) return strings;
  for (const api::Value& value : api::ScalarList(decoded->list()))
    if (value.is(api::Value::Tag::kString)) strings.emplace_back(value.string());
  return strings;
}

// What was said before, then what is new, as a JSON list.
std::string Combined(std::string_view before, const std::vector<std::string>& more) {
  std::vector<std::string> all = StringsIn(before);
  all.insert(all.end(), more.begin(), more.end());
  std::vector<std::string_view> once;
  for (const std::string& text : all)
    if (std::ranges::find(once, text) == once.end()) once.push_back(text);
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginArray();
  for (const std::string_view text : once) json.String(text);
  json.EndArray();
  return std::string(out.view());
}

// "x-remote-user" as people write it: "X-Remote-User".
std::vector<std::string> Canonical(std::vector<std::string> names) {
  for (std::string& name : names)
    for (size_t i = 0; i < name.size(); ++i)
      if ((i == 0 || name[i - 1] == '-') && name[i] >= 'a' && name[i] <= 'z')
        name[i] = static_cast<char>(name[i] - 'a' + 'A');
  return names;
}

}  // namespace

AuthenticationTrust::AuthenticationTrust(const client::Client& client, TrustInfo info, base::Executor& loop)
    : client_(client),
      info_(std::move(info)),
      config_maps_(client, kTrustMaps, loop),
      queue_(loop, [this](std::string key) { return Sync(std::move(key)); }) {}

void AuthenticationTrust::Start() {
  queue_.Start();
  queue_.Add(std::string(kTrustMap));
  config_maps_.Start([this](const client::Change& change) {
    if (change.object.name() == kTrustMap && change.object.ns() == kTrustNamespace)
      queue_.Add(std::string(kTrustMap));
  });
}

void AuthenticationTrust::Stop() {
  config_maps_.Stop();
  queue_.Stop();
}

void AuthenticationTrust::SetAuthorities(std::string client_ca_pem, std::string proxy_ca_pem) {
  info_.client_ca_pem = std::move(client_ca_pem);
  info_.proxy_ca_pem = std::move(proxy_ca_pem);
  queue_.Add(std::string(kTrustMap));
}

bool AuthenticationTrust::Put(api::Doc& doc) const {
  ConfigMapEditor map(doc);
  std::map<std::string_view, std::string> wanted;
  std::string clients = info_.combine(TextAt(map, "client-ca-file"), info_.client_ca_pem);
  if (!clients.empty()) wanted["client-ca-file"] = std::move(clients);
  std::string proxies = info_.combine(TextAt(map, "requestheader-client-ca-file"), info_.proxy_ca_pem);
  if (!proxies.empty()) {
    wanted["requestheader-client-ca-file"] = std::move(proxies);
    const std::pair<std::string_view, std::vector<std::string>> lists[] = {
        {"requestheader-allowed-names", info_.allowed_names},
        {"requestheader-username-headers", Canonical(info_.username_headers)},
        {"requestheader-group-headers", Canonical(info_.group_headers)},
        {"requestheader-extra-headers-prefix", Canonical(info_.extra_headers_prefixes)},
        {"requestheader-uid-headers", Canonical(info_.uid_headers)}};
    for (const auto& [key, names] : lists) wanted[key] = Combined(TextAt(map, key), names);
    // Servers of earlier versions do not know of it.
    if (wanted["requestheader-uid-headers"] == "[]") wanted.erase("requestheader-uid-headers");
  }
  const auto is_said = [&](const auto& item) { return TextAt(map, item.first) == item.second; };
  if (map.data().size() == wanted.size() && std::ranges::all_of(wanted, is_said)) return false;
  map.clear_data();
  for (const auto& [key, text] : wanted) map.put_data(key, text);
  return true;
}

base::Task<bool> AuthenticationTrust::Sync(std::string) {
  const auto found = co_await client_.Get(kTrustMaps, std::string(kTrustNamespace), std::string(kTrustMap),
                                          client::Fresh::kNewest);
  if (!found) co_return false;
  client::Result<client::Written> written;
  if (*found) {
    written = co_await client_.Update(kTrustMaps, std::string(kTrustNamespace), std::string(kTrustMap),
                                      [this](api::Doc& doc) { return Put(doc); });
  } else {
    api::Doc doc(ConfigMapView::Type());
    ConfigMapEditor map(doc);
    map.set_kind_static("ConfigMap");
    map.set_api_version_static("v1");
    map.mutable_metadata().set_name_static(kTrustMap);
    map.mutable_metadata().set_namespace_static(kTrustNamespace);
    Put(doc);
    written = co_await client_.Create(kTrustMaps, std::string(kTrustNamespace), std::move(doc));
  }
  if (!written)
    base::Log(base::LogLevel::kWarning, "cannot write down whom aggregated API servers may believe",
              {{"why", written.error().message}});
  co_return written.has_value();
}

}  // namespace keelson::controllers
