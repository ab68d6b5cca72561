#include "api/validation/apiextensions/custom_resource_definition.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/validation/apiextensions/field_path.h"
#include "api/validation/apiextensions/schema.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/names.h"
#include "api/validation/object_meta.h"
#include "api/validation/quote.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"
#include "api/validation/webhook_client.h"

namespace keelson::api::apiextensions {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderField;
using field::RenderValue;
using namespace apiextensions_v1;

constexpr std::string_view kApprovedAnnotation = "api-approved.kubernetes.io";
constexpr std::string_view kReviewVersions[] = {"v1", "v1beta1"};

struct Options {
  SchemaOptions schema;
  std::set<std::string, std::less<>> unchanged_schemas;  // of which versions
  bool require_schema = true;
  bool require_known_review_version = true;
};

std::string Joined(const Messages& messages) {
  std::string text;
  for (const std::string& message : messages) text.append(text.empty() ? "" : ",").append(message);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

SchemaView SchemaOfVersion(CustomResourceDefinitionVersionView version) {
  return version.schema().open_apiv3_schema();
}

// What all versions say alike, upstream keeps, checks and reports at the top of the spec.
bool Alike(CustomResourceDefinitionSpecView spec, std::string_view member) {
  for (size_t i = 1; i < spec.versions().size(); ++i)
    if (!core::SameField(spec.versions()[i], spec.versions()[0], member)) return false;
  return !spec.versions().empty();
}

void CheckNames(CustomResourceDefinitionNamesView names, const Path& path, ErrorList& errors) {
  const auto check = [&](std::string_view value, const Path& at, bool mixed_case) {
    if (value.empty()) return;
    const std::string wrong = Joined(IsDns1035Label(mixed_case ? Lower(value) : std::string(value)));
    if (wrong.empty()) return;
    errors.Add(
        field::Invalid(at, RenderValue(value),
                       (mixed_case ? "may have mixed case, but should otherwise match: " : "") + wrong));
  };
  // Unlike above, an empty one is wrong.
  const auto check_all = [&](ScalarList values, const Path& at) {
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string wrong = Joined(IsDns1035Label(values[i].string()));
      if (!wrong.empty()) errors.Add(field::Invalid(at.Index(i), RenderValue(values[i].string()), wrong));
    }
  };
  check(names.plural(), path.Child("plural"), false);
  check(names.singular(), path.Child("singular"), false);
  check(names.kind(), path.Child("kind"), true);
  check(names.list_kind(), path.Child("listKind"), true);
  check_all(names.short_names(), path.Child("shortNames"));
  if (!names.kind().empty() && names.kind() == names.list_kind())
    errors.Add(field::Invalid(path.Child("listKind"), RenderValue(names.list_kind()),
                              "kind and listKind may not be the same"));
  check_all(names.categories(), path.Child("categories"));
}

void CheckJsonPath(std::string_view text, const Path& path, ErrorList& errors) {
  if (!text.starts_with('.'))
    errors.Add(field::Invalid(path, RenderValue(text), "must be a simple json path starting with ."));
}

void CheckColumn(CustomResourceColumnDefinitionView column, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kTypes[] = {"boolean", "date", "integer", "number", "string"};
  static constexpr std::string_view kFormats[] = {"byte",  "date",  "date-time", "double",
                                                  "float", "int32", "int64",     "password"};
  core::CheckRequired(column.name(), path.Child("name"), errors);
  constexpr std::string_view kOneType = "must be one of boolean,date,integer,number,string";
  if (column.type().empty()) {
    errors.Add(field::Required(path.Child("type"), kOneType));
  } else if (std::ranges::find(kTypes, column.type()) == std::end(kTypes)) {
    errors.Add(field::Invalid(path.Child("type"), RenderValue(column.type()), kOneType));
  }
  if (!column.format().empty() && std::ranges::find(kFormats, column.format()) == std::end(kFormats))
    errors.Add(field::Invalid(path.Child("format"), RenderValue(column.format()),
                              "must be one of byte,date,date-time,double,float,int32,int64,password"));
  const Path json_path = path.Child("JSONPath");
  if (column.json_path().empty()) {
    errors.Add(field::Required(json_path, ""));
  } else {
    CheckJsonPath(column.json_path(), json_path, errors);
  }
}

void CheckScalePath(std::string_view text, bool required, std::string_view member, bool spec, bool status,
                    const Path& path, ErrorList& errors) {
  const Path scale = path.Child("scale"), at = scale.Child(member);
  if (text.empty()) {
    if (required) errors.Add(field::Required(at, ""));
    return;
  }
  if (!text.starts_with('.')) return CheckJsonPath(text, at, errors);
  if ((spec && text.starts_with(".spec.")) || (status && text.starts_with(".status."))) return;
  errors.Add(field::Invalid(at, RenderValue(text),
                            spec && status ? "should be a json path under either .spec or .status"
                            : spec         ? "should be a json path under .spec"
                                           : "should be a json path under .status"));
}

void CheckSubresources(CustomResourceSubresourcesView subresources, const Path& path, ErrorList& errors) {
  const auto scale = subresources.scale();
  if (!scale) return;
  CheckScalePath(scale.spec_replicas_path(), true, "specReplicasPath", true, false, path, errors);
  CheckScalePath(scale.status_replicas_path(), true, "statusReplicasPath", false, true, path, errors);
  CheckScalePath(scale.label_selector_path(), false, "labelSelectorPath", true, true, path, errors);
}

void CheckSelectableFields(ListView<SelectableFieldView> fields, SchemaView schema, const Path& path,
                           ErrorList& errors) {
  constexpr size_t kMaxFields = 8;
  std::set<std::string> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Path index = path.Index(i), at = index.Child("jsonPath");
    const std::string_view text = fields[i].json_path();
    if (text.empty()) {
      errors.Add(field::Required(at, ""));
      continue;
    }
    const auto refuse = [&](const std::string& why) {
      errors.Add(field::Invalid(at, RenderValue(text), why));
    };
    const auto found = FindField(text, schema, /*allow_brackets=*/false);
    if (!found) {
      refuse("is an invalid path: " + found.error());
      continue;
    }
    if (found->root == "metadata") refuse("must not point to fields in metadata");
    const std::string_view type = found->schema.type();
    if (type != "string" && type != "boolean" && type != "integer")
      refuse(
          "must point to a field of type string, boolean or integer. Enum string fields and strings with "
          "formats are allowed.");
    if (!seen.insert(found->text).second) errors.Add(field::Duplicate(at, RenderValue(text)));
  }
  if (seen.size() > kMaxFields) errors.Add(field::TooMany(path, seen.size(), kMaxFields));
}

void CheckDeprecation(CustomResourceDefinitionVersionView version, const Path& path, ErrorList& errors) {
  if (!version.has_deprecation_warning()) return;
  const std::string_view warning = version.deprecation_warning();
  const auto refuse = [&](const std::string& why) {
    errors.Add(field::Invalid(path.Child("deprecationWarning"), RenderValue(warning), why));
  };
  if (!version.deprecated()) return refuse("can only be set for deprecated versions");
  constexpr size_t kMaxLength = 256;
  if (warning.size() > kMaxLength) refuse("must be <= 256 characters long");
  if (warning.empty()) refuse("must not be an empty string");
  for (size_t i = 0; i < warning.size();) {
    const Rune rune = FirstRune(warning.substr(i));
    if (!rune.valid || !IsPrintable(rune.value)) {
      refuse("must only contain printable UTF-8 characters; non-printable character found at index " +
             std::to_string(i));
      return;
    }
    i += rune.size;
  }
}

void CheckReviewVersions(WebhookConversionView webhook, bool require_known, const Path& path,
                         ErrorList& errors) {
  const ScalarList versions = webhook.conversion_review_versions();
  if (versions.empty()) {
    errors.Add(field::Required(path, ""));
    return;
  }
  std::set<std::string_view> seen;
  bool known = false;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].string();
    if (!seen.insert(version).second) {
      errors.Add(field::Invalid(path.Index(i), RenderValue(version), "duplicate version"));
      continue;
    }
    errors.AddInvalid(path.Index(i), version, IsDns1035Label(version));
    known = known || std::ranges::find(kReviewVersions, version) != std::end(kReviewVersions);
  }
  if (require_known && !known)
    errors.Add(field::Invalid(path, RenderField(webhook.node(), "conversionReviewVersions"),
                              "must include at least one of v1, v1beta1"));
}

void CheckConversion(CustomResourceConversionView conversion, const Options& options, const Path& path,
                     ErrorList& errors) {
  static constexpr std::string_view kStrategies[] = {"None", "Webhook"};
  if (!conversion) return;
  core::CheckRequiredSupported(conversion.strategy(), kStrategies, path.Child("strategy"), errors);
  const auto webhook = conversion.webhook();
  const Path config = path.Child("webhookClientConfig"), versions = path.Child("conversionReviewVersions");
  if (conversion.strategy() == "Webhook") {
    if (!webhook.client_config()) {
      errors.Add(field::Required(config, "required when strategy is set to Webhook"));
    } else {
      errors.Append(ValidateWebhookClientConfig(webhook.client_config(), config));
    }
    CheckReviewVersions(webhook, options.require_known_review_version, versions, errors);
    return;
  }
  constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
  if (webhook.client_config()) errors.Add(field::Forbidden(config, kNotSet));
  if (!webhook.conversion_review_versions().empty()) errors.Add(field::Forbidden(versions, kNotSet));
}

bool HasStatus(CustomResourceDefinitionVersionView version) {
  return static_cast<bool>(version.subresources().status());
}

class SpecChecker {
 public:
  SpecChecker(CustomResourceDefinitionSpecView spec, Options options, ErrorList& errors)
      : spec_(spec), options_(std::move(options)), errors_(errors) {
    if (!spec_.preserve_unknown_fields()) options_.schema.require_structural = true;
  }

  void Check() {
    CheckGroup();
    static constexpr std::string_view kScopes[] = {"Cluster", "Namespaced"};
    core::CheckRequiredSupported(spec_.scope(), kScopes, path_.Child("scope"), errors_);
    CheckSchemasGiven();
    CheckDefaultsNeedPruning();
    for (size_t i = 0; i < spec_.versions().size(); ++i) CheckVersion(spec_.versions()[i], i);
    CheckVersionSet();
    CheckRequiredNames();
    CheckCommon();
    CheckConversion(spec_.conversion(), options_, path_.Child("conversion"), errors_);
  }

 private:
  void CheckGroup() {
    const Path group = path_.Child("group");
    if (spec_.group().empty()) {
      errors_.Add(field::Required(group, ""));
    } else if (const std::string wrong = Joined(IsDns1123Subdomain(spec_.group())); !wrong.empty()) {
      errors_.Add(field::Invalid(group, RenderValue(spec_.group()), wrong));
    } else if (spec_.group().find('.') == std::string_view::npos) {
      errors_.Add(
          field::Invalid(group, RenderValue(spec_.group()), "should be a domain with at least one dot"));
    }
  }

  void CheckSchemasGiven() {
    const bool common = Alike(spec_, "schema") && SchemaOfVersion(spec_.versions()[0]);
    for (size_t i = 0; !common && i < spec_.versions().size(); ++i) {
      const auto version = spec_.versions()[i];
      if (SchemaOfVersion(version)) continue;
      const Path at = versions_.Index(i), schema = at.Child("schema"), root = schema.Child("openAPIV3Schema");
      if (options_.require_schema) {
        errors_.Add(field::Required(root, ""));
      } else if (version.served() && !spec_.preserve_unknown_fields()) {
        errors_.Add(field::Required(root, "because otherwise all fields are pruned"));
      }
    }
  }

  void CheckDefaultsNeedPruning() {
    const auto has_default = [](SchemaView schema) { return schema.has_default(); };
    for (const auto version : spec_.versions()) {
      if (!spec_.preserve_unknown_fields() || !AnySchema(SchemaOfVersion(version), has_default)) continue;
      errors_.Add(field::Invalid(path_.Child("preserveUnknownFields"), RenderValue(true),
                                 "must be false in order to use defaults in the schema"));
      return;
    }
  }

  void CheckVersion(CustomResourceDefinitionVersionView version, size_t i) {
    const Path path = versions_.Index(i);
    if (const std::string wrong = Joined(IsDns1035Label(version.name())); !wrong.empty())
      errors_.Add(field::Invalid(path.Child("name"), RenderValue(version.name()), wrong));
    CheckDeprecation(version, path, errors_);
    if (!same_schema_)
      errors_.Append(ValidateSchema(SchemaOfVersion(version), HasStatus(version),
                                    SchemaOptionsFor(version.name()), path.Child("schema")));
    if (!same_subresources_) CheckSubresources(version.subresources(), path.Child("subresources"), errors_);
    if (!same_columns_) CheckColumns(version, path);
    if (!same_fields_) CheckFields(version, path);
  }

  // A schema that was let in stays, though its rules be estimated higher by now.
  SchemaOptions SchemaOptionsFor(std::string_view version) const {
    SchemaOptions options = options_.schema;
    options.limit_rule_costs = !options_.unchanged_schemas.contains(version);
    return options;
  }

  void CheckVersionSet() {
    std::set<std::string_view> names;
    bool unique = true;
    size_t storage = 0;
    for (const auto version : spec_.versions()) {
      unique = names.insert(version.name()).second && unique;
      storage += version.storage();
    }
    const auto refuse = [&](std::string_view why) {
      errors_.Add(field::Invalid(versions_, RenderVersions(), why));
    };
    if (!unique) refuse("must contain unique version names");
    if (storage != 1) refuse("must have exactly one version marked as storage version");
    if (spec_.versions().empty()) return;
    // The name of the first version stands at the top, too.
    const std::string_view first = spec_.versions()[0].name();
    if (const std::string wrong = Joined(IsDns1035Label(first)); !first.empty() && !wrong.empty())
      errors_.Add(field::Invalid(path_.Child("version"), RenderValue(first), wrong));
  }

  // As upstream has them, without what they have in common.
  std::string RenderVersions() const {
    if (spec_.versions().empty()) return "null";
    std::string text = "[";
    for (const auto version : spec_.versions()) {
      Arena arena;
      const Value copy = DeepCopy(Value::Of(const_cast<StructNode*>(version.node())), arena);
      CustomResourceDefinitionVersionEditor own(copy.node(), &arena);
      if (same_schema_) own.clear_schema();
      if (same_subresources_) own.clear_subresources();
      if (same_columns_) own.clear_additional_printer_columns();
      if (same_fields_) own.clear_selectable_fields();
      text.append(text.size() > 1 ? "," : "").append(field::RenderUnversioned(own.node()));
    }
    return text + "]";
  }

  void CheckRequiredNames() {
    const Path path = path_.Child("names");
    const auto names = spec_.names();
    core::CheckRequired(names.plural(), path.Child("plural"), errors_);
    core::CheckRequired(names.singular(), path.Child("singular"), errors_);
    core::CheckRequired(names.kind(), path.Child("kind"), errors_);
    core::CheckRequired(names.list_kind(), path.Child("listKind"), errors_);
    CheckNames(names, path, errors_);
  }

  // What the versions have in common.
  void CheckCommon() {
    if (spec_.versions().empty()) return;
    const auto any = spec_.versions()[0];
    bool status = false;
    for (const auto version : spec_.versions()) status = status || HasStatus(version);
    if (same_schema_)
      errors_.Append(ValidateSchema(SchemaOfVersion(any), status, SchemaOptionsFor(any.name()),
                                    path_.Child("validation")));
    if (same_subresources_) CheckSubresources(any.subresources(), path_.Child("subresources"), errors_);
    if (same_columns_) CheckColumns(any, path_);
    if (same_fields_) CheckFields(any, path_);
  }

  void CheckColumns(CustomResourceDefinitionVersionView version, const Path& path) {
    const Path columns = path.Child("additionalPrinterColumns");
    for (size_t i = 0; i < version.additional_printer_columns().size(); ++i)
      CheckColumn(version.additional_printer_columns()[i], columns.Index(i), errors_);
  }

  void CheckFields(CustomResourceDefinitionVersionView version, const Path& path) {
    CheckSelectableFields(version.selectable_fields(), SchemaOfVersion(version),
                          path.Child("selectableFields"), errors_);
  }

  const CustomResourceDefinitionSpecView spec_;
  Options options_;
  ErrorList& errors_;
  const Path path_{"spec"};
  const Path versions_ = path_.Child("versions");
  const bool same_schema_ = Alike(spec_, "schema"), same_subresources_ = Alike(spec_, "subresources"),
             same_columns_ = Alike(spec_, "additionalPrinterColumns"),
             same_fields_ = Alike(spec_, "selectableFields");
};

void CheckStoredVersions(CustomResourceDefinitionView definition, ErrorList& errors) {
  const Path status("status"), path = status.Child("storedVersions");
  const ScalarList stored = definition.status().stored_versions();
  const std::string all = RenderField(definition.status().node(), "storedVersions");
  if (stored.empty()) {
    errors.Add(field::Invalid(path, all, "must have at least one stored version"));
    return;
  }
  std::map<std::string_view, size_t> left;
  for (size_t i = 0; i < stored.size(); ++i) left[stored[i].string()] = i;
  for (const auto version : definition.spec().versions()) {
    const bool known = left.erase(version.name()) > 0;
    if (version.storage() && !known)
      errors.Add(field::Invalid(path, all, "must have the storage version " + std::string(version.name())));
  }
  for (const auto& [name, i] : left) {
    const std::string v(name);
    errors.Add(
        field::Invalid(path.Index(i), RenderValue(name),
                       "missing from spec.versions; " + v +
                           " was previously a storage version, and must remain in spec.versions until a "
                           "storage migration ensures no data remains persisted in " +
                           v + " and removes " + v + " from status.storedVersions"));
  }
}

std::string_view ApprovalAnnotation(CustomResourceDefinitionView definition) {
  const Value* const value = definition.metadata().annotations().Find(kApprovedAnnotation);
  return value ? value->string() : std::string_view();
}

void CheckApproval(CustomResourceDefinitionView now, CustomResourceDefinitionView was, ErrorList& errors) {
  const Approval approval = ApprovalOf(now);
  if (!IsProtectedGroup(now.spec().group()) || (was && ApprovalOf(was) == approval)) return;
  const Path metadata("metadata"), annotations = metadata.Child("annotations"),
                                   path = annotations.Key(kApprovedAnnotation);
  if (approval == Approval::kMissing) errors.Add(field::Required(path, DescribeApproval(now)));
  if (approval == Approval::kInvalid)
    errors.Add(field::Invalid(path, RenderValue(ApprovalAnnotation(now)), DescribeApproval(now)));
}

// What follows the spec, on creation and update alike.
void CheckRest(CustomResourceDefinitionView now, CustomResourceDefinitionView was, ErrorList& errors) {
  const Path status("status"), spec("spec");
  CheckNames(now.status().accepted_names(), status.Child("acceptedNames"), errors);
  CheckStoredVersions(now, errors);
  CheckApproval(now, was, errors);
  if (now.spec().preserve_unknown_fields() && !was.spec().preserve_unknown_fields())
    errors.Add(field::Invalid(spec.Child("preserveUnknownFields"), RenderValue(true),
                              "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                              "spec.versions[*].schema instead"));
}

bool IsEstablished(CustomResourceDefinitionView definition) {
  for (const auto condition : definition.status().conditions())
    if (condition.type() == "Established") return condition.status() == "True";
  return false;
}

bool HasUnprunedDefaults(SchemaView schema, const SchemaRules* rules) {
  const auto has_default = [](SchemaView s) { return s.has_default(); };
  return rules && AnySchema(schema, has_default) && !IsNonStructural(schema) &&
         rules->HasUnprunedDefaults(schema);
}

Options OptionsForUpdateOf(CustomResourceDefinitionView now, CustomResourceDefinitionView was,
                           const SchemaRules* rules) {
  Options options;
  const auto none = [&](bool (*wrong)(SchemaView)) {
    for (const auto version : was.spec().versions())
      if (SchemaOfVersion(version) && wrong(SchemaOfVersion(version))) return false;
    return true;
  };
  options.schema = {.require_known_types = none(HasUnknownType),
                    .require_atomic_sets = none(HasNonAtomicSet),
                    .require_good_list_keys = none(HasBadListKeys),
                    .require_structural = none(IsNonStructural),
                    .rules = rules};
  std::map<std::string_view, SchemaView> schemas;
  for (const auto version : now.spec().versions()) schemas.emplace(version.name(), SchemaOfVersion(version));
  for (const auto version : was.spec().versions()) {
    options.require_schema = options.require_schema && SchemaOfVersion(version);
    if (HasUnprunedDefaults(SchemaOfVersion(version), rules)) options.schema.require_pruned_defaults = false;
    const auto same = schemas.find(version.name());
    if (same != schemas.end() && Equal(same->second.node(), SchemaOfVersion(version).node()))
      options.unchanged_schemas.emplace(version.name());
  }
  const ScalarList versions = was.spec().conversion().webhook().conversion_review_versions();
  options.require_known_review_version =
      versions.empty() || std::ranges::any_of(versions, [](const Value& v) {
        return std::ranges::find(kReviewVersions, v.string()) != std::end(kReviewVersions);
      });
  return options;
}

}  // namespace

ErrorList ValidateCustomResourceDefinition(CustomResourceDefinitionView definition,
                                           const SchemaRules* rules) {
  const std::string required =
      std::string(definition.spec().names().plural()) + "." + std::string(definition.spec().group());
  ErrorList errors = ValidateObjectMeta(
      definition.metadata(), /*namespaced=*/false,
      [&](std::string_view name, bool prefix) {
        Messages messages = NameIsDnsSubdomain(name, prefix);
        if (name != required) messages.push_back("must be spec.names.plural+\".\"+spec.group");
        return messages;
      },
      Path("metadata"));
  Options options;
  options.schema.rules = rules;
  SpecChecker(definition.spec(), std::move(options), errors).Check();
  CheckRest(definition, CustomResourceDefinitionView(), errors);
  return errors;
}

ErrorList ValidateCustomResourceDefinitionUpdate(CustomResourceDefinitionView now,
                                                 CustomResourceDefinitionView was, const SchemaRules* rules) {
  ErrorList errors;
  SpecChecker(now.spec(), OptionsForUpdateOf(now, was, rules), errors).Check();
  const Path spec("spec"), names = spec.Child("names");
  const auto keep = [&](std::string_view is, std::string_view had, const Path& path) {
    if (is != had) errors.Add(field::Invalid(path, RenderValue(is), kFieldImmutable));
  };
  if (IsEstablished(was)) {
    keep(now.spec().scope(), was.spec().scope(), spec.Child("scope"));
    keep(now.spec().names().kind(), was.spec().names().kind(), names.Child("kind"));
  }
  keep(now.spec().group(), was.spec().group(), spec.Child("group"));
  keep(now.spec().names().plural(), was.spec().names().plural(), names.Child("plural"));
  CheckRest(now, was, errors);
  return errors;
}

ErrorList ValidateCustomResourceDefinitionStatusUpdate(CustomResourceDefinitionView now) {
  ErrorList errors;
  const Path status("status");
  CheckNames(now.status().accepted_names(), status.Child("acceptedNames"), errors);
  return errors;
}

bool IsProtectedGroup(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

Approval ApprovalOf(CustomResourceDefinitionView definition) {
  const std::string_view text = ApprovalAnnotation(definition);
  if (text.empty()) return Approval::kMissing;
  if (text.starts_with("unapproved")) return Approval::kBypassed;
  const size_t scheme = text.find("://");
  const bool url =
      scheme != std::string_view::npos && scheme > 0 && scheme + 3 < text.size() && text[scheme + 3] != '/';
  return url ? Approval::kApproved : Approval::kInvalid;
}

std::string DescribeApproval(CustomResourceDefinitionView definition) {
  const std::string_view text = ApprovalAnnotation(definition);
  const std::string need = "protected groups must have approval annotation " + Quoted(kApprovedAnnotation);
  constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";
  switch (ApprovalOf(definition)) {
    case Approval::kMissing: return need + std::string(kSee);
    case Approval::kBypassed: return "not approved: " + Quoted(text);
    case Approval::kApproved: return "approved in " + std::string(text);
    case Approval::kInvalid: break;
  }
  return need + " with either a URL or a reason starting with \"unapproved\"" + std::string(kSee);
}

}  // namespace keelson::api::apiextensions
