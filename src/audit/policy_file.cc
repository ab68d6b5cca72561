// The file of a policy: read strictly first, leniently where that fails, then checked.
#include <algorithm>
#include <span>

#include "api/codec/config_reader.h"
#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "audit/policy.h"
#include "base/file.h"
#include "base/log.h"

namespace keelson::audit {
namespace {

namespace field = api::field;
using field::Path;
using field::RenderValue;

constexpr std::string_view kPolicyVersion = "audit.k8s.io/v1";

// A rule as the file has it.
struct WrittenRule {
  std::string level;
  std::vector<std::string> stages;
  std::optional<bool> omit_managed_fields;
  Rule rule;
};

struct WrittenPolicy {
  std::string api_version, kind;
  std::vector<WrittenRule> rules;
  std::vector<std::string> stages;
  bool omit_managed_fields = false;
};

class PolicyReader {
 public:
  PolicyReader(std::string_view json, bool strict) : reader_(json, strict) {}

  base::Result<WrittenPolicy, std::string> Run() {
    WrittenPolicy policy;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(policy.api_version);
      if (name == "kind") return reader_.Text(policy.kind);
      if (name == "metadata") return reader_.Skip();
      if (name == "rules") return reader_.List([&] { return ReadRule(policy.rules.emplace_back()); });
      if (name == "omitStages") return Strings(policy.stages);
      if (name == "omitManagedFields") return reader_.Bool(policy.omit_managed_fields);
      return reader_.Unknown();
    });
    if (!read || !reader_.AtEnd()) return base::Err(reader_.error());
    return policy;
  }

 private:
  bool ReadRule(WrittenRule& written) {
    return reader_.Object([&](std::string_view name) {
      Rule& rule = written.rule;
      if (name == "level") return reader_.Text(written.level);
      if (name == "users") return Strings(rule.users);
      if (name == "userGroups") return Strings(rule.groups);
      if (name == "verbs") return Strings(rule.verbs);
      if (name == "resources")
        return reader_.List([&] { return ReadResources(rule.resources.emplace_back()); });
      if (name == "namespaces") return Strings(rule.namespaces);
      if (name == "nonResourceURLs") return Strings(rule.paths);
      if (name == "omitStages") return Strings(written.stages);
      if (name == "omitManagedFields")
        return reader_.Null() || reader_.Bool(written.omit_managed_fields.emplace());
      return reader_.Unknown();
    });
  }

  bool ReadResources(GroupResources& resources) {
    return reader_.Object([&](std::string_view name) {
      if (name == "group") return reader_.Text(resources.group);
      if (name == "resources") return Strings(resources.resources);
      if (name == "resourceNames") return Strings(resources.names);
      return reader_.Unknown();
    });
  }

  bool Strings(std::vector<std::string>& out) {
    return reader_.List([&] { return reader_.Text(out.emplace_back()); });
  }

  api::ConfigReader reader_;
};

template <size_t N>
std::optional<size_t> IndexOf(const std::string_view (&names)[N], std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<size_t>(found - names);
}

Stages ReadStages(std::span<const std::string> names, const Path& path, field::ErrorList& errors) {
  Stages stages;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto stage = IndexOf(kStageNames, names[i]))
      stages.Add(static_cast<Stage>(*stage));
    else
      errors.Add(field::Invalid(path.Index(i), RenderValue(names[i]),
                                "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic"));
  }
  return stages;
}

// As messages show a list: ["a","b"].
std::string RenderList(const std::vector<std::string>& strings) {
  base::BufferBuilder json;
  api::json::JsonWriter writer(json);
  writer.BeginArray();
  for (const std::string& s : strings) writer.String(s);
  writer.EndArray();
  return std::string(json.view());
}

void CheckPaths(const std::vector<std::string>& urls, const Path& path, field::ErrorList& errors) {
  for (size_t i = 0; i < urls.size(); ++i) {
    const std::string& url = urls[i];
    if (url == "*") continue;
    if (!url.starts_with('/'))
      errors.Add(field::Invalid(path.Index(i), RenderValue(url),
                                "non-resource URL rules must begin with a '/' character"));
    if (const size_t star = url.find('*'); star != std::string::npos && star + 1 < url.size())
      errors.Add(field::Invalid(path.Index(i), RenderValue(url),
                                "non-resource URL wildcards '*' must be the final character of the rule"));
  }
}

void CheckResources(const std::vector<GroupResources>& resources, const Path& path,
                    field::ErrorList& errors) {
  for (const GroupResources& r : resources) {
    if (!r.group.empty() && r.group != "*") {
      std::string why;
      for (const std::string& message : api::NameIsDnsSubdomain(r.group, false))
        why.append(why.empty() ? "" : ",").append(message);
      if (!why.empty()) errors.Add(field::Invalid(path.Child("group"), RenderValue(r.group), why));
    }
    if (!r.names.empty() && r.resources.empty())
      errors.Add(field::Invalid(path.Child("resourceNames"), RenderList(r.names),
                                "using resourceNames requires at least one resource"));
  }
}

Rule ReadRule(WrittenRule& written, const WrittenPolicy& policy, Stages omitted, const Path& path,
              field::ErrorList& errors) {
  Rule rule = std::move(written.rule);
  const Path level = path.Child("level");
  if (const auto known = IndexOf(kLevelNames, written.level))
    rule.decision.level = static_cast<Level>(*known);
  else if (written.level.empty())
    errors.Add(field::Required(level, ""));
  else
    errors.Add(field::NotSupported(level, RenderValue(written.level), kLevelNames));
  const Path paths = path.Child("nonResourceURLs");
  CheckPaths(rule.paths, paths, errors);
  CheckResources(rule.resources, path.Child("resources"), errors);
  rule.decision.omitted = omitted | ReadStages(written.stages, path.Child("omitStages"), errors);
  rule.decision.omit_managed_fields = written.omit_managed_fields.value_or(policy.omit_managed_fields);
  if (!rule.paths.empty() && (!rule.resources.empty() || !rule.namespaces.empty()))
    errors.Add(field::Invalid(paths, RenderList(rule.paths),
                              "rules cannot apply to both regular resources and non-resource URLs"));
  return rule;
}

base::Result<WrittenPolicy, std::string> ReadPolicy(std::string_view json) {
  auto strict = PolicyReader(json, /*strict=*/true).Run();
  if (strict) return strict;
  auto lenient = PolicyReader(json, /*strict=*/false).Run();
  if (!lenient) return base::Err("failed decoding: " + lenient.error());
  base::Log(base::LogLevel::kWarning,
            "the audit policy contains errors; what is not understood of it does not count",
            {{"why", strict.error()}});
  return lenient;
}

}  // namespace

base::Result<Policy, std::string> Policy::Parse(std::string_view text) {
  const auto json = api::yaml::ToJson(text);
  if (!json) return base::Err("failed decoding: " + json.error().message);
  auto written = TRY(ReadPolicy(*json));
  if (written.api_version != kPolicyVersion || written.kind != "Policy")
    return base::Err("unknown group version field " + api::Quoted(written.api_version) +
                     ", Kind=" + written.kind + " in policy: a Policy of " + std::string(kPolicyVersion) +
                     " is expected");
  field::ErrorList errors;
  const Stages omitted = ReadStages(written.stages, Path("omitStages"), errors);
  Policy policy;
  const Path rules("rules");
  for (size_t i = 0; i < written.rules.size(); ++i)
    policy.rules_.push_back(ReadRule(written.rules[i], written, omitted, rules.Index(i), errors));
  if (!errors.empty()) return base::Err(errors.Aggregate());
  if (policy.rules_.empty()) return base::Err(std::string("loaded illegal policy with 0 rules"));
  return policy;
}

base::Result<Policy, std::string> Policy::ReadFile(const std::filesystem::path& file) {
  const auto text = base::ReadFile(file);
  if (!text)
    return base::Err("loading audit policy file: failed to read file path " + api::Quoted(file.string()) +
                     ": " + text.error());
  auto policy = Parse(*text);
  if (!policy)
    return base::Err("loading audit policy file: " + policy.error() + ": from file " + file.string());
  return policy;
}

}  // namespace keelson::audit
