#include "admission/settings.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace keelson::admission {
namespace {

// Parses the text for a plugin that is on.
template <class T>
base::Result<void, std::string> ReadOne(
    const Configuration& configuration, const Selection& selection, std::string_view plugin,
    base::Result<T, std::string> (*parse)(const std::optional<std::string>&), T& out) {
  if (!RunsPlugin(selection, plugin)) return {};
  const auto text = TRY(configuration.For(plugin));
  out = TRY(parse(text));
  return {};
}

}  // namespace

base::Result<Settings, std::string> ReadSettings(const std::filesystem::path& file,
                                                 const Selection& selection) {
  Configuration configuration;
  if (!file.empty()) {
    auto read = Configuration::Read(file);
    if (!read) return base::Err("failed to read plugin config: " + read.error());
    configuration = *std::move(read);
  }
  Settings settings;
  std::vector<std::string_view> configured;
  const auto read = [&](std::string_view plugin, auto parse, auto& out) {
    if (RunsPlugin(selection, plugin)) configured.push_back(plugin);
    return ReadOne(configuration, selection, plugin, parse, out);
  };
  TRY(read("ImagePolicyWebhook", &ParseImagePolicyConfig, settings.image_policy));
  TRY(read("PodSecurity", &ParsePodSecurityConfig, settings.pod_security));
  TRY(read("PodNodeSelector", &ParseNodeSelectors, settings.node_selectors));
  TRY(read("PodTolerationRestriction", &ParseTolerationRestrictions, settings.toleration_restrictions));
  TRY(read("EventRateLimit", &ParseEventLimits, settings.event_limits));
  TRY(read("ResourceQuota", &LimitedResources::Parse, settings.limited_resources));
  for (const std::string_view name : configuration.Names())
    if (std::ranges::find(configured, name) == configured.end())
      base::Log(base::LogLevel::kWarning,
                "the configuration of an admission plugin that is off, or takes none, has no effect",
                {{"plugin", name}});
  return settings;
}

}  // namespace keelson::admission
