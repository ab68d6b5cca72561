#include "extensions/crd/custom_resource.h"

#include <algorithm>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "api/meta/version_order.h"
#include "base/sha256.h"
#include "extensions/conversion/conversion_webhook.h"
#include "extensions/crd/custom_scaling.h"

namespace keelson::extensions {
namespace {

using namespace api::apiextensions_v1;

constexpr std::string_view kVerbs[] = {"delete", "deletecollection", "get",    "list",
                                       "patch",  "create",           "update", "watch"};
constexpr std::string_view kClosedVerbs[] = {"delete", "deletecollection", "get", "list", "watch"};
constexpr std::string_view kSubresourceVerbs[] = {"get", "patch", "update"};

std::string StorageVersionHash(std::string_view group, std::string_view version, std::string_view kind) {
  std::string text(group);
  text.append("/").append(version).append("/").append(kind);
  const auto digest = base::Sha256(text);
  std::string encoded(api::Base64EncodedSize(8), '\0');
  api::Base64Encode({reinterpret_cast<const char*>(digest.data()), 8}, encoded.data());
  return encoded;
}

}  // namespace

CustomResource::CustomResource() = default;
CustomResource::~CustomResource() = default;

std::string CustomResource::KeyOf(const api::Doc& outline) {
  const CustomResourceDefinitionView definition(outline);
  base::BufferBuilder text;
  if (definition.status().accepted_names())
    api::json::Encode(*definition.status().accepted_names().node(), text);
  text.Append(definition.metadata().uid());
  text.Append("/");
  text.Append(std::to_string(definition.metadata().generation()));
  return std::string(text.view());
}

base::Result<std::shared_ptr<const CustomResource>, std::string> CustomResource::Make(
    const api::Doc& outline, base::Slice envelope, const MakeRuleChecker& make_rules,
    const ConversionParts& parts) {
  const CustomResourceDefinitionView definition(outline);
  std::shared_ptr<CustomResource> resource(new CustomResource);
  resource->name_ = definition.metadata().name();
  resource->uid_ = definition.metadata().uid();
  resource->key_ = KeyOf(outline);
  resource->definition_ = std::make_shared<const StoredDefinition>(std::move(envelope));
  if (const auto conversion = definition.spec().conversion(); conversion.strategy() == "Webhook")
    resource->converter_ = std::make_unique<ConversionWebhook>(
        conversion.webhook(), definition.metadata().name(), definition.spec().group(),
        definition.status().accepted_names().list_kind(), parts);
  TRY(resource->Compile(definition, make_rules));
  return std::shared_ptr<const CustomResource>(std::move(resource));
}

std::span<const std::string_view> CustomResource::Texts(const std::vector<std::string_view>& texts) {
  auto* copies = arena_.NewArray<std::string_view>(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) copies[i] = arena_.CopyString(texts[i]);
  return {copies, texts.size()};
}

// Versions that say the same share what is compiled of it: then their objects differ in nothing but the
// version.
void CustomResource::AddSchemas(CustomResourceDefinitionView definition, const MakeRuleChecker& make_rules) {
  std::vector<std::string_view> encoded = definition_->EncodedSchemas();
  encoded.resize(version_names_.size());
  for (size_t i = 0; i < encoded.size(); ++i) {
    const auto same = static_cast<size_t>(std::ranges::find(encoded, encoded[i]) - encoded.begin());
    by_version_.push_back(same < i
                              ? by_version_[same]
                              : &schemas_.emplace_back(
                                    definition_, i, definition.spec().preserve_unknown_fields(), make_rules));
  }
}

base::Result<void, std::string> CustomResource::Compile(CustomResourceDefinitionView definition,
                                                        const MakeRuleChecker& make_rules) {
  const auto names = definition.status().accepted_names();
  if (names.plural().empty() || names.singular().empty() || names.kind().empty() || names.list_kind().empty())
    return base::Err(std::string("not all names are accepted"));
  group_ = Text(definition.spec().group());
  plural_ = Text(names.plural());
  kind_ = Text(names.kind());
  namespaced_ = definition.spec().scope() == "Namespaced";
  std::vector<std::string_view> all;
  for (const auto version : definition.spec().versions()) all.push_back(version.name());
  version_names_ = Texts(all);
  AddSchemas(definition, make_rules);
  size_t i = 0;
  for (const auto version : definition.spec().versions()) AddVersion(version, *by_version_[i++]);
  i = 0;
  for (const auto version : definition.spec().versions()) {
    if (version.storage()) storage_ = &versions_[i];
    ++i;
  }
  if (!storage_) return base::Err(std::string("no version is stored"));
  Complete(definition);
  return {};
}

void CustomResource::AddVersion(CustomResourceDefinitionVersionView from, const CompiledSchema& schema) {
  const bool has_status = static_cast<bool>(from.subresources().status());
  const VersionType* const type =
      &types_.emplace_back(schema, has_status, version_names_,
                           Text(std::string(group_) + "/" + std::string(from.name())), converter_.get());
  if (converter_) converter_->AddVersion(from.name(), type->type());
  Version& version = versions_.emplace_back();
  version.name = Text(from.name());
  version.served = from.served();
  version.type = type;
  version.has_status = type->has_status();
  version.printer = std::make_unique<const ColumnPrinter>(from.additional_printer_columns());
  if (!from.deprecated()) return;
  version.deprecation = from.has_deprecation_warning()
                            ? std::string(from.deprecation_warning())
                            : std::string(group_) + "/" + std::string(version.name) + " " +
                                  std::string(kind_) + " is deprecated";
}

// Fills in what needs to know all versions.
void CustomResource::Complete(CustomResourceDefinitionView definition) {
  const auto names = definition.status().accepted_names();
  const auto texts = [&](api::ScalarList list) {
    std::vector<std::string_view> views;
    for (const api::Value& v : list) views.push_back(v.string());
    return Texts(views);
  };
  std::vector<std::string_view> selectable;
  for (const auto version : definition.spec().versions()) {
    for (const auto field : version.selectable_fields()) {
      std::string_view path = field.json_path();
      if (path.starts_with('.')) path.remove_prefix(1);
      if (std::ranges::find(selectable, path) == selectable.end()) selectable.push_back(path);
    }
  }
  // As with pods, every node has an agent that watches its own.
  constexpr std::string_view kNodeName = "spec.nodeName";
  std::vector<std::string_view> indexed;
  if (std::ranges::find(selectable, kNodeName) != selectable.end()) indexed.push_back(kNodeName);
  api::ResourceDesc common{.group = group_,
                           .plural = plural_,
                           .singular = Text(names.singular()),
                           .kind = kind_,
                           .list_kind = Text(names.list_kind()),
                           .namespaced = namespaced_,
                           .short_names = texts(names.short_names()),
                           .categories = texts(names.categories()),
                           .verbs = kVerbs,
                           .storage_version_hash = Text(StorageVersionHash(group_, storage_->name, kind_)),
                           .storage_prefix = Text("/" + std::string(group_) + "/" + std::string(plural_)),
                           .storage_version = {group_, storage_->name},
                           .storage_type = &storage_->type->type(),
                           .selectable_fields = Texts(selectable),
                           .indexed_fields = Texts(indexed)};
  size_t i = 0;
  for (const auto from : definition.spec().versions()) {
    Version& version = versions_[i++];
    auto* subresources = arena_.NewArray<api::SubresourceDesc>(2);
    size_t n = 0;
    if (version.has_status) subresources[n++] = {"status", kind_, kSubresourceVerbs, group_, version.name};
    const auto scale = from.subresources().scale();
    if (scale) subresources[n++] = {"scale", "Scale", kSubresourceVerbs, "autoscaling", "v1"};
    version.desc = common;
    version.desc.version = version.name;
    version.desc.type = &version.type->type();
    version.desc.subresources = {subresources, n};
    if (converter_) {  // below its store nobody sees another version
      version.desc.storage_version = {group_, version.name};
      version.desc.storage_type = version.desc.type;
    }
    version.closed_desc = version.desc;
    version.closed_desc.verbs = kClosedVerbs;
    if (version.deprecation.empty() || from.has_deprecation_warning()) continue;
    // The best of those that are meant to stay.
    std::string_view best;
    for (const auto other : definition.spec().versions())
      if (other.served() && !other.deprecated() && api::BetterVersion(other.name(), version.name) &&
          (best.empty() || api::BetterVersion(other.name(), best)))
        best = other.name();
    if (!best.empty())
      version.deprecation +=
          "; use " + std::string(group_) + "/" + std::string(best) + " " + std::string(kind_);
  }
  for (const Version& version : versions_)
    if (version.served) served_.push_back(&version.desc);
  for (Version& version : versions_)
    version.desc.served_versions = version.closed_desc.served_versions = served_;
  i = 0;
  for (const auto from : definition.spec().versions()) {
    Version& version = versions_[i++];
    if (const auto scale = from.subresources().scale())
      version.scaling =
          std::make_unique<const CustomScaling>(scale, converter_ ? version.desc : storage_->desc);
  }
}

const CustomResource::Version* CustomResource::Find(std::string_view version) const {
  const auto found = std::ranges::find(versions_, version, &Version::name);
  return found == versions_.end() ? nullptr : &*found;
}

const CustomResource::Version* CustomResource::Find(const api::TypeDesc& type) const {
  const auto found =
      std::ranges::find_if(versions_, [&](const Version& v) { return &v.type->type() == &type; });
  return found == versions_.end() ? nullptr : &*found;
}

size_t CustomResource::memory_bytes() const {
  size_t bytes = sizeof(*this) + arena_.allocated_bytes() + versions_.size() * sizeof(Version);
  for (const CompiledSchema& schema : schemas_) bytes += schema.memory_bytes();
  return bytes;
}

}  // namespace keelson::extensions
