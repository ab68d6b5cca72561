#include "admission/configuration.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/generated/admission_config.h"
#include "api/validation/quote.h"
#include "base/file.h"

namespace keelson::admission {
namespace {

using api::admission_config::AdmissionConfigurationView;

constexpr ConfigurationKind kConfigurationKinds[] = {
    {"apiserver.config.k8s.io/v1", "AdmissionConfiguration"},
    {"apiserver.k8s.io/v1alpha1", "AdmissionConfiguration"},
};

// Plugins whose configuration was once the whole file, and the member that tells so.
struct Legacy {
  std::string_view plugin, member;
};
constexpr Legacy kLegacy[] = {
    {"ImagePolicyWebhook", "imagePolicy"},
    {"PodNodeSelector", "podNodeSelectorPluginConfig"},
};

bool IsLegacy(std::string_view text) {
  const auto json = api::yaml::ToJson(text);
  if (!json) return false;
  api::Arena arena;
  const auto any = api::json::DecodeAny(*json, arena);
  if (!any || !any->map()) return false;
  const api::MapView members(any->map());
  return std::ranges::any_of(kLegacy, [&](const Legacy& legacy) { return members.Find(legacy.member); });
}

std::string StrictText(const std::vector<std::string>& duplicates, const api::json::StrictErrors& strict) {
  std::string text = "strict decoding error: ";
  if (!duplicates.empty()) {
    text += "yaml: unmarshal errors:";
    for (const std::string& duplicate : duplicates) text.append("\n  ").append(duplicate);
  }
  for (size_t i = 0; i < strict.size(); ++i)
    text.append(i > 0 || !duplicates.empty() ? ", " : "").append(strict[i]);
  return text;
}

// Empty: the object is of one of the kinds.
std::string OtherKind(std::string_view text, const api::json::TypeMeta& meta,
                      std::span<const ConfigurationKind> kinds) {
  if (meta.kind.empty()) return "Object 'Kind' is missing in '" + std::string(text) + "'";
  if (meta.api_version.empty()) return "Object 'apiVersion' is missing in '" + std::string(text) + "'";
  for (const ConfigurationKind& known : kinds)
    if (known.kind == meta.kind && known.api_version == meta.api_version) return {};
  return "no kind " + api::Quoted(meta.kind) + " is registered for version " + api::Quoted(meta.api_version) +
         " in scheme \"pkg/runtime/scheme.go:111\"";
}

}  // namespace

base::Result<api::Doc, ConfigurationError> DecodeConfiguration(std::string_view text,
                                                               const ConfigurationFormat& format) {
  std::vector<std::string> duplicates;
  auto json = api::yaml::ToJson(text, &duplicates);
  if (!json) return base::Err(ConfigurationError{std::move(json.error().message)});
  if (*json == "null") *json = "{}";  // an empty file
  if (!format.kinds.empty()) {
    const auto meta = api::json::PeekTypeMeta(*json);
    if (!meta)
      return base::Err(
          ConfigurationError{"couldn't get version/kind; json parse error: " + meta.error().message});
    if (std::string why = OtherKind(text, *meta, format.kinds); !why.empty())
      return base::Err(ConfigurationError{std::move(why), /*other_kind=*/true});
  }
  api::Arena arena;
  api::json::StrictErrors strict;
  const std::string_view held = arena.Hold(base::Slice::Copy(*json));
  const auto root = api::json::Decode(held, format.type, arena, format.strict ? &strict : nullptr);
  if (!root) return base::Err(ConfigurationError{root.error().message});
  if (format.strict && (!duplicates.empty() || !strict.empty()))
    return base::Err(ConfigurationError{StrictText(duplicates, strict)});
  return api::Doc(std::move(arena), *root);
}

base::Result<Configuration, std::string> Configuration::Parse(std::string_view text,
                                                              const std::filesystem::path& dir) {
  const auto decoded = DecodeConfiguration(
      text, {.type = AdmissionConfigurationView::Type(), .kinds = kConfigurationKinds, .strict = true});
  Configuration configuration;
  if (!decoded) {
    if (!decoded.error().other_kind || !IsLegacy(text)) return base::Err(decoded.error().message);
    for (const Legacy& legacy : kLegacy)
      configuration.entries_.push_back({std::string(legacy.plugin), std::string(text), {}});
    return configuration;
  }
  for (const auto plugin : AdmissionConfigurationView(*decoded).plugins()) {
    Entry& entry = configuration.entries_.emplace_back();
    entry.name = plugin.name();
    if (!plugin.configuration().empty()) entry.text.emplace(plugin.configuration());
    if (!plugin.path().empty()) entry.path = dir / std::filesystem::path(plugin.path());
  }
  return configuration;
}

base::Result<Configuration, std::string> Configuration::Read(const std::filesystem::path& file) {
  const auto text = base::ReadFile(file);
  if (!text)
    return base::Err("unable to read admission control configuration from " + api::Quoted(file.string()) +
                     " [" + text.error() + "]");
  return Parse(*text, file.parent_path());
}

base::Result<std::optional<std::string>, std::string> Configuration::For(std::string_view plugin) const {
  const auto entry = std::ranges::find(entries_, plugin, &Entry::name);
  if (entry == entries_.end()) return std::nullopt;
  if (entry->text) return entry->text;
  if (entry->path.empty()) return std::nullopt;
  auto text = base::ReadFile(entry->path);
  if (!text)
    return base::Err("Couldn't open admission plugin configuration " + entry->path.string() + ": " +
                     text.error());
  return std::optional(*std::move(text));
}

std::vector<std::string_view> Configuration::Names() const {
  std::vector<std::string_view> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

}  // namespace keelson::admission
