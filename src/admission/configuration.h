// Configuration: what --admission-control-config-file says, a text for each plugin that it names.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::admission {

class Configuration {
 public:
  // Says nothing of any plugin.
  Configuration() = default;
  // A file of AdmissionConfiguration, or one in the format of ImagePolicyWebhook and PodNodeSelector that is
  // older than that. Paths in it are relative to its folder.
  static base::Result<Configuration, std::string> Read(const std::filesystem::path& file);
  // Parses the text of such a file. `dir`: where relative paths begin.
  static base::Result<Configuration, std::string> Parse(std::string_view text,
                                                        const std::filesystem::path& dir);

  // The text for a plugin, read from its own file where the configuration names one; nullopt: there is none.
  base::Result<std::optional<std::string>, std::string> For(std::string_view plugin) const;
  // The plugins that it names.
  std::vector<std::string_view> Names() const;

 private:
  struct Entry {
    std::string name;
    std::optional<std::string> text;
    std::filesystem::path path;  // empty: none
  };
  std::vector<Entry> entries_;  // the first of a name counts
};

// One kind of configuration: its type, and the groups, versions and names under which it comes.
struct ConfigurationKind {
  std::string_view api_version, kind;
};
struct ConfigurationFormat {
  const api::TypeDesc& type;
  std::span<const ConfigurationKind> kinds;  // empty: the format has no versions
  bool strict = false;                       // unknown and repeated fields are errors
};

struct ConfigurationError {
  std::string message;
  bool other_kind = false;  // the text is a good object, but of none of the kinds
};

// `text` is YAML or JSON. Errors are in upstream's words.
base::Result<api::Doc, ConfigurationError> DecodeConfiguration(std::string_view text,
                                                               const ConfigurationFormat& format);

}  // namespace keelson::admission
