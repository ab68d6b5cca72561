#include "api/validation/apiserverinternal/storage_version.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/validation/render.h"

namespace keelson::api::apiserverinternal {
namespace {

using namespace apiserverinternal_v1alpha1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr std::string_view kEmpty = "must be non-empty";

void AddPrefixed(std::string_view prefix, const Messages& messages, Messages& to) {
  for (const std::string& message : messages) to.push_back(std::string(prefix) + message);
}

// What is wrong with "version" or "group/version".
Messages WhyNoApiVersion(std::string_view text) {
  Messages why;
  const size_t slash = text.find('/');
  std::string_view version = text;
  if (slash != text.npos) {
    if (text.find('/', slash + 1) != text.npos) {
      why.push_back(
          "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or "
          "'-', start "
          "with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
          "'abc-123', regex "
          "used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and "
          "'/' (e.g. "
          "'example.com/MyVersion')");
      return why;
    }
    const std::string_view group = text.substr(0, slash);
    version = text.substr(slash + 1);
    AddPrefixed("group part: ", group.empty() ? Messages{std::string(kEmpty)} : IsDns1123Subdomain(group),
                why);
  }
  AddPrefixed("version part: ", version.empty() ? Messages{std::string(kEmpty)} : IsDns1035Label(version),
              why);
  return why;
}

void CheckApiVersion(std::string_view version, const Path& path, ErrorList& errors) {
  std::string joined;
  for (const std::string& message : WhyNoApiVersion(version))
    joined.append(joined.empty() ? "" : ",").append(message);
  if (!joined.empty()) errors.Add(field::Invalid(path, RenderValue(version), joined));
}

bool Contains(ScalarList list, std::string_view text) {
  return std::ranges::any_of(list, [&](const Value& value) { return value.string() == text; });
}

// As Go prints a list of strings.
std::string GoList(ScalarList list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) text.append(i ? " " : "").append(list[i].string());
  return text + "]";
}

void CheckServer(ServerStorageVersionView server, const Path& path, ErrorList& errors) {
  const Path decodable = path.Child("decodableVersions"), served = path.Child("servedVersions");
  errors.AddInvalid(path.Child("apiServerID"), server.api_server_id(),
                    NameIsDnsSubdomain(server.api_server_id(), false));
  CheckApiVersion(server.encoding_version(), path.Child("encodingVersion"), errors);
  for (size_t i = 0; i < server.decodable_versions().size(); ++i)
    CheckApiVersion(server.decodable_versions()[i].string(), decodable.Index(i), errors);
  if (!Contains(server.decodable_versions(), server.encoding_version()))
    errors.Add(field::Invalid(
        decodable, field::RenderField(server.node(), "decodableVersions"),
        "decodableVersions must include encodingVersion " + std::string(server.encoding_version())));
  for (size_t i = 0; i < server.served_versions().size(); ++i) {
    const std::string_view version = server.served_versions()[i].string();
    CheckApiVersion(version, served.Index(i), errors);
    if (!Contains(server.decodable_versions(), version))
      errors.Add(field::Invalid(
          served.Index(i), RenderValue(version),
          "individual served version : " + std::string(version) +
              " must be included in decodableVersions : " + GoList(server.decodable_versions())));
  }
}

// In which version all servers encode; nullopt: they do not agree, or there is none.
std::optional<std::string_view> CommonVersion(StorageVersionStatusView status) {
  std::optional<std::string_view> common;
  for (const auto server : status.storage_versions()) {
    if (common && *common != server.encoding_version()) return std::nullopt;
    common = server.encoding_version();
  }
  return common;
}

void CheckCommonVersion(StorageVersionStatusView status, const Path& path, ErrorList& errors) {
  const auto common = CommonVersion(status);
  const bool given = status.has_common_encoding_version();
  const std::string rendered = given ? RenderValue(status.common_encoding_version()) : "null";
  if (!common && given)
    errors.Add(field::Invalid(
        path, rendered,
        "should be nil if servers do not agree on the same encoding version, or if there is no "
        "server reporting the supported versions yet"));
  else if (common && !given)
    errors.Add(field::Invalid(path, rendered, "the common encoding version is " + std::string(*common)));
  else if (common && *common != status.common_encoding_version())
    errors.Add(
        field::Invalid(path, rendered, "the actual common encoding version is " + std::string(*common)));
}

void CheckConditions(ListView<StorageVersionConditionView> conditions, const Path& path, ErrorList& errors) {
  std::map<std::string_view, size_t> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto condition = conditions[i];
    const Path at = path.Index(i), type = at.Child("type");
    if (const auto before = seen.find(condition.type()); before != seen.end())
      errors.Add(field::Invalid(type, RenderValue(condition.type()),
                                "the type of the condition is not unique, it also appears in conditions[" +
                                    std::to_string(before->second) + "]"));
    seen[condition.type()] = i;
    errors.AddInvalid(type, condition.type(), IsQualifiedName(condition.type()));
    errors.AddInvalid(at.Child("status"), condition.status(), IsQualifiedName(condition.status()));
    if (condition.reason().empty()) errors.Add(field::Required(at.Child("reason"), ""));
    if (condition.message().empty()) errors.Add(field::Required(at.Child("message"), ""));
  }
}

}  // namespace

Messages NameOfStorageVersion(std::string_view name, bool) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return {"name must be in the form of <group>.<resource>"};
  Messages why;
  AddPrefixed("the group segment ", IsDns1123Subdomain(name.substr(0, dot)), why);
  AddPrefixed("the resource segment ", IsDns1035Label(name.substr(dot + 1)), why);
  return why;
}

ErrorList ValidateStorageVersion(StorageVersionView version) {
  ErrorList errors;
  const auto status = version.status();
  const Path path("status"), servers = path.Child("storageVersions");
  std::set<std::string_view> ids;
  for (size_t i = 0; i < status.storage_versions().size(); ++i) {
    const auto server = status.storage_versions()[i];
    const Path at = servers.Index(i);
    if (!ids.insert(server.api_server_id()).second)
      errors.Add(field::Duplicate(at.Child("apiServerID"), RenderValue(server.api_server_id())));
    CheckServer(server, at, errors);
  }
  CheckCommonVersion(status, path.Child("commonEncodingVersion"), errors);
  CheckConditions(status.conditions(), path, errors);  // upstream leaves the name of the list out
  return errors;
}

}  // namespace keelson::api::apiserverinternal
