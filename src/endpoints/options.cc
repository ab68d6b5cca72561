#include "endpoints/options.h"

#include <algorithm>
#include <array>

#include "api/generated/meta_v1.h"
#include "api/types/custom_type.h"
#include "api/validation/field.h"
#include "api/validation/quote.h"
#include "endpoints/decode.h"

namespace keelson::endpoints {
namespace {

namespace field = api::field;
using registry::rest::FieldSelector;
using registry::rest::LabelSelector;
using registry::rest::Selection;
using registry::rest::VersionMatch;

constexpr std::string_view kMetaGroup = "meta.k8s.io";
constexpr std::string_view kExact = "Exact";
constexpr std::string_view kNotOlderThan = "NotOlderThan";

std::unexpected<api::Status> Bad(std::string_view why) { return base::Err(api::BadRequest(why)); }

api::Status InvalidOptions(std::string_view kind, const field::ErrorList& errors) {
  return api::Invalid({kMetaGroup, kind}, "", errors);
}

void CheckMatchOfList(const Query& query, std::string_view match, field::ErrorList& errors) {
  field::Path path("resourceVersionMatch");
  std::string_view version = query.GetOr("resourceVersion", "");
  if (!match.empty()) {
    if (version.empty())
      errors.Add(
          field::Forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (!query.GetOr("continue", "").empty())
      errors.Add(field::Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
    if (match != kExact && match != kNotOlderThan) {
      constexpr std::string_view kSupported[] = {kExact, kNotOlderThan, ""};
      errors.Add(field::NotSupported(path, field::RenderValue(match), kSupported));
    }
    if (match == kExact && version == "0")
      errors.Add(
          field::Forbidden(path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
  if (query.Get("sendInitialEvents"))
    errors.Add(field::Forbidden(field::Path("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
}

void CheckMatchOfWatch(const Query& query, std::string_view match, field::ErrorList& errors) {
  field::Path path("resourceVersionMatch");
  bool initial_events = query.Get("sendInitialEvents").has_value();
  if (initial_events && match != kNotOlderThan)
    errors.Add(
        field::Forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  // Without a version, the first events are those of what there is, asked for or not.
  const std::string_view version = query.GetOr("resourceVersion", "");
  const bool implied = match.empty() && !initial_events && (version.empty() || version == "0");
  const bool continues = !query.GetOr("continue", "").empty();
  if (match.empty() && !(implied && continues)) return;
  if (!match.empty() && !initial_events)
    errors.Add(field::Forbidden(
        path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  if (!match.empty() && match != kNotOlderThan) {
    constexpr std::string_view kSupported[] = {kNotOlderThan};
    errors.Add(field::NotSupported(path, field::RenderValue(match), kSupported));
  }
  if (continues)
    errors.Add(field::Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
}

// Some kinds have words of their own for it.
std::string UnsupportedLabel(const api::ResourceDesc& resource, const std::string& label) {
  if (resource.group == "batch" && resource.plural == "jobs")
    return "field label " + api::Quoted(label) + " not supported for Job";
  if (resource.group == "resource.k8s.io" && resource.plural == "resourceslices")
    return "field label not supported for resource.k8s.io/" + std::string(resource.version) +
           ", Kind=ResourceSlice: " + label;
  return "field label not supported: " + label;
}

// Only these objects are in a namespace and cannot be chosen by it.
bool SelectsNamespace(const api::ResourceDesc& resource) {
  return resource.group != "certificates.k8s.io" || resource.plural != "podcertificaterequests";
}

// From the names of the served version to those of the stored one.
Parsed<void> RenameFields(FieldSelector& fields, const api::ResourceDesc& resource) {
  for (const auto& term : fields.terms()) {
    const bool known =
        term.field == "metadata.name" || (term.field == "metadata.namespace" && SelectsNamespace(resource)) ||
        std::ranges::find(resource.selectable_fields, term.field) != resource.selectable_fields.end() ||
        std::ranges::find(resource.field_aliases, term.field, &api::FieldAlias::name) !=
            resource.field_aliases.end();
    if (!known &&
        (api::IsCustom(resource) || !(resource.selectable_fields.empty() && resource.field_aliases.empty())))
      return Bad(UnsupportedLabel(resource, term.field));
  }
  for (const api::FieldAlias& alias : resource.field_aliases) fields.Rename(alias.name, alias.stored);
  return {};
}

// The selectors of the query, narrowed to `name` when the path has one.
Parsed<Selection> ParseSelection(LabelSelector labels, FieldSelector fields, std::string_view name,
                                 const api::ResourceDesc& resource) {
  if (!name.empty()) {
    if (fields.empty()) {
      fields = *FieldSelector::Parse("metadata.name=" + std::string(name));
    } else if (fields.RequiresExactMatch("metadata.name") != name) {
      return Bad("fieldSelector metadata.name doesn't match requested name");
    }
  }
  TRY(RenameFields(fields, resource));
  auto selection =
      Selection::Bind(std::move(labels), fields, api::StoredResource(resource).selectable_fields);
  if (!selection) return Bad(selection.error());
  return *std::move(selection);
}

void CheckFieldManager(std::string_view manager, field::ErrorList& errors) {
  constexpr size_t kMaxLength = 128;
  field::Path path("fieldManager");
  if (manager.size() > kMaxLength) errors.Add(field::TooLong(path, kMaxLength));
  for (size_t at = 0; at < manager.size();) {
    api::Rune rune = api::FirstRune(manager.substr(at));
    if (!rune.valid || !api::IsPrintable(rune.value)) {
      char code[16];
      std::snprintf(code, sizeof(code), "U+%04X", rune.valid ? rune.value : 0xFFFD);
      std::string why =
          "invalid character " + std::string(code) + " (at position " + std::to_string(at) + ")";
      errors.Add(field::Invalid(path, field::RenderValue(manager), why));
    }
    at += rune.size;
  }
}

void CheckDryRun(std::span<const std::string> values, field::ErrorList& errors) {
  if (std::ranges::all_of(values, [](const std::string& v) { return v == "All"; })) return;
  std::string rendered = "[";
  for (const std::string& v : values) rendered += (rendered.size() > 1 ? "," : "") + field::RenderValue(v);
  constexpr std::string_view kSupported[] = {"All"};
  errors.Add(field::NotSupported(field::Path("dryRun"), rendered + "]", kSupported));
}

void CheckDeleteOptions(const registry::DeleteOptions& options, std::span<const std::string> dry_run,
                        field::ErrorList& errors) {
  field::Path path("propagationPolicy");
  if (options.propagation_policy) {
    std::string rendered = field::RenderValue(*options.propagation_policy);
    if (options.orphan_dependents)
      errors.Add(
          field::Invalid(path, rendered, "orphanDependents and deletionPropagation cannot be both set"));
    constexpr std::string_view kSupported[] = {"Foreground", "Background", "Orphan", "nil"};
    if (std::ranges::find(kSupported, *options.propagation_policy) >= std::end(kSupported) - 1)
      errors.Add(field::NotSupported(path, rendered, kSupported));
  }
  CheckDryRun(dry_run, errors);
}

Parsed<registry::DeleteOptions> Checked(registry::DeleteOptions options,
                                        std::span<const std::string> dry_run) {
  field::ErrorList errors;
  CheckDeleteOptions(options, dry_run, errors);
  if (!errors.empty()) return base::Err(InvalidOptions("DeleteOptions", errors));
  options.dry_run = !dry_run.empty();
  return options;
}

Parsed<registry::DeleteOptions> DeleteOptionsFromBody(const base::Slice& body, Media media) {
  auto decoded = DecodeBody(body, media, api::meta_v1::kDeleteOptionsType, "", "", "DeleteOptions", false);
  if (!decoded) return Bad(decoded.error().message);
  api::meta_v1::DeleteOptionsView view(decoded->doc);
  registry::DeleteOptions options;
  if (view.has_grace_period_seconds()) options.grace_period_seconds = view.grace_period_seconds();
  if (view.has_propagation_policy()) options.propagation_policy = view.propagation_policy();
  if (view.has_orphan_dependents()) options.orphan_dependents = view.orphan_dependents();
  if (auto conditions = view.preconditions()) {
    if (conditions.has_uid()) options.uid = conditions.uid();
    if (conditions.has_resource_version()) options.resource_version = conditions.resource_version();
  }
  std::vector<std::string> dry_run;
  for (const api::Value& v : view.dry_run()) dry_run.emplace_back(v.string());
  return Checked(std::move(options), dry_run);
}

}  // namespace

Parsed<ListParameters> ParseListParameters(const Query& query, bool watch, std::string_view name,
                                           const api::ResourceDesc& resource) {
  ListParameters list;
  auto timeout = query.Int("timeoutSeconds");
  if (!timeout) return Bad(timeout.error());
  if (*timeout) list.timeout = std::chrono::seconds(**timeout);
  auto limit = query.Int("limit");
  if (!limit) return Bad(limit.error());
  list.limit = std::max<int64_t>(limit->value_or(0), 0);
  auto labels = LabelSelector::Parse(query.GetOr("labelSelector", ""));
  if (!labels) return Bad(labels.error());
  auto fields = FieldSelector::Parse(query.GetOr("fieldSelector", ""));
  if (!fields) return Bad(fields.error());

  std::string_view match = query.GetOr("resourceVersionMatch", "");
  field::ErrorList errors;
  watch ? CheckMatchOfWatch(query, match, errors) : CheckMatchOfList(query, match, errors);
  if (!errors.empty()) return base::Err(InvalidOptions("ListOptions", errors));

  list.selection = TRY(ParseSelection(*std::move(labels), *std::move(fields), name, resource));
  list.resource_version = query.GetOr("resourceVersion", "");
  list.continue_token = query.GetOr("continue", "");
  if (match == kExact) list.match = VersionMatch::kExact;
  if (match == kNotOlderThan) list.match = VersionMatch::kNotOlderThan;
  list.allow_bookmarks = query.Bool("allowWatchBookmarks").value_or(false);
  list.send_initial_events = query.Bool("sendInitialEvents").value_or(false);
  // A watch from "now" or "any version" has always begun with what is there.
  bool from_the_start = list.resource_version.empty() || list.resource_version == "0";
  if (watch && from_the_start && match.empty() && !query.Get("sendInitialEvents")) {
    list.send_initial_events = true;
    list.match = VersionMatch::kNotOlderThan;
  }
  return list;
}

Parsed<WriteParameters> ParseWriteParameters(const Query& query, std::string_view kind, bool apply) {
  WriteParameters parameters;
  field::ErrorList errors;
  parameters.field_manager = query.GetOr("fieldManager", "");
  if (apply) {
    parameters.force = query.Bool("force").value_or(false);
    if (parameters.field_manager.empty())
      errors.Add(field::Required(field::Path("fieldManager"), "is required for apply patch"));
  } else if (kind == "PatchOptions" && query.Get("force")) {
    errors.Add(field::Forbidden(field::Path("force"), "may not be specified for non-apply patch"));
  }
  CheckFieldManager(parameters.field_manager, errors);
  std::vector<std::string> dry_run = query.All("dryRun");
  CheckDryRun(dry_run, errors);
  parameters.dry_run = !dry_run.empty();

  std::string_view validation = query.GetOr("fieldValidation", "");
  constexpr std::string_view kSupported[] = {"", "Ignore", "Strict", "Warn"};
  if (const auto* const known = std::ranges::find(kSupported, validation); known != std::end(kSupported)) {
    parameters.given_field_validation = *known;
    if (validation == "Ignore") parameters.field_validation = FieldValidation::kIgnore;
    if (validation == "Strict") parameters.field_validation = FieldValidation::kStrict;
  } else {
    errors.Add(
        field::NotSupported(field::Path("fieldValidation"), field::RenderValue(validation), kSupported));
  }
  if (!errors.empty()) return base::Err(InvalidOptions(kind, errors));
  return parameters;
}

Parsed<registry::DeleteOptions> ParseDeleteOptions(const Query& query, const base::Slice& body,
                                                   Media body_media) {
  if (!body.empty()) return DeleteOptionsFromBody(body, body_media);
  registry::DeleteOptions options;
  auto grace = query.Int("gracePeriodSeconds");
  if (!grace) return Bad(grace.error());
  options.grace_period_seconds = *grace;
  options.orphan_dependents = query.Bool("orphanDependents");
  if (auto policy = query.Get("propagationPolicy")) options.propagation_policy = *policy;
  return Checked(std::move(options), query.All("dryRun"));
}

Parsed<TableParameters> ParseTableParameters(const Query& query) {
  TableParameters table;
  std::string_view include = query.GetOr("includeObject", "");
  if (include == "None") {
    table.include_object = IncludeObject::kNone;
  } else if (include == "Object") {
    table.include_object = IncludeObject::kObject;
  } else if (!include.empty() && include != "Metadata") {
    field::Error error = field::Invalid(field::Path("includeObject"), field::RenderValue(include),
                                        "must be 'Metadata', 'Object', 'None', or empty");
    return Bad("Unable to convert to Table as requested: " + error.ToString());
  }
  return table;
}

}  // namespace keelson::endpoints
