#include "admission/pod_security/policy.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace keelson::admission::pod_security {
namespace {

constexpr std::string_view kPrefix = "pod-security.kubernetes.io/";

class Reader {
 public:
  Reader(api::MapView labels, api::field::ErrorList& errors) : labels_(labels), errors_(errors) {}

  // `on_error`: the level that stands for one that is not known. True: the label says a level.
  bool ReadLevel(std::string_view mode, Level on_error, LevelVersion& out) {
    const api::Value* const label = Find(mode);
    if (!label) return false;
    const auto level = ParseLevel(label->string());
    if (!level) Report(mode, label->string(), kLevelsExpected);
    out.level = level.value_or(on_error);
    return level.has_value();
  }
  void ReadVersion(std::string_view mode, LevelVersion& out) {
    const api::Value* const label = Find(mode);
    if (!label) return;
    const auto version = ParseVersion(label->string());
    if (!version) Report(mode, label->string(), kVersionExpected);
    out.minor = version.value_or(LevelVersion::kLatest);
  }
  const api::Value* Find(std::string_view mode) const {
    return labels_.Find(std::string(kPrefix).append(mode));
  }

 private:
  void Report(std::string_view mode, std::string_view value, std::string_view why) {
    const api::field::Path metadata("metadata"), labels = metadata.Child("labels");
    errors_.Add(api::field::Invalid(labels.Key(std::string(kPrefix).append(mode)),
                                    api::field::RenderValue(value), why));
  }

  const api::MapView labels_;
  api::field::ErrorList& errors_;
};

}  // namespace

std::optional<Level> ParseLevel(std::string_view text) {
  if (text == "privileged") return Level::kPrivileged;
  if (text == "baseline") return Level::kBaseline;
  if (text == "restricted") return Level::kRestricted;
  return std::nullopt;
}

std::optional<int> ParseVersion(std::string_view text) {
  constexpr std::string_view kMajor = "v1.";
  if (text == "latest") return LevelVersion::kLatest;
  if (!text.starts_with(kMajor)) return std::nullopt;
  text.remove_prefix(kMajor.size());
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  if (error != std::errc()) return std::nullopt;
  return minor;
}

bool Sets(api::MapView namespace_labels, std::string_view mode) {
  const std::string level = std::string(kPrefix).append(mode);
  return namespace_labels.Find(level) || namespace_labels.Find(level + "-version");
}

std::string LevelVersion::ToString() const {
  constexpr std::string_view kNames[] = {"privileged", "baseline", "restricted"};
  std::string out(kNames[static_cast<size_t>(level)]);
  return out + (minor == kLatest ? ":latest" : ":v1." + std::to_string(minor));
}

Policy PolicyOf(api::MapView namespace_labels, const Policy& defaults, api::field::ErrorList& errors) {
  Policy policy = defaults;
  bool any = false;
  for (const auto& label : namespace_labels) any |= label.key.starts_with(kPrefix);
  if (!any) return policy;  // most namespaces have none
  Reader reader(namespace_labels, errors);
  const bool enforces = reader.ReadLevel("enforce", Level::kRestricted, policy.enforce);
  reader.ReadVersion("enforce-version", policy.enforce);
  reader.ReadLevel("audit", Level::kPrivileged, policy.audit);
  reader.ReadVersion("audit-version", policy.audit);
  reader.ReadLevel("warn", Level::kPrivileged, policy.warn);
  reader.ReadVersion("warn-version", policy.warn);
  // Who enforces a level wants to be warned of what it refuses.
  if (!reader.Find("warn") && enforces && policy.enforce.level > policy.warn.level) {
    policy.warn.level = policy.enforce.level;
    if (!reader.Find("warn-version")) policy.warn.minor = policy.enforce.minor;
  }
  return policy;
}

}  // namespace keelson::admission::pod_security
