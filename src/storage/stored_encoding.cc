#include "storage/stored_encoding.h"

#include <algorithm>

#include "api/codec/custom_json.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/conversion/conversion.h"
#include "api/generated/apiextensions_v1beta1.h"
#include "api/generated/meta_v1.h"
#include "api/types/custom_type.h"

namespace keelson::storage {
namespace {

namespace protobuf = api::protobuf;
using Bytes = base::Result<base::Slice, std::string>;

base::Slice Wrap(std::string_view api_version, std::string_view kind, std::string_view message) {
  base::BufferBuilder out;
  protobuf::AppendEnvelopeHead(api_version, kind, message.size(), out);
  out.Append(message);
  out.Append(protobuf::EnvelopeTail());
  return out.Take();
}

base::Slice Wrap(std::string_view api_version, std::string_view kind, const api::StructNode& root) {
  base::BufferBuilder out;
  protobuf::EncodeObject(api_version, kind, root, out);
  return out.Take();
}

}  // namespace

struct StoredEncoding::Row {
  std::string_view group, plural;
  bool json;
  std::string_view version;             // of what is stored
  const api::TypeDesc* type = nullptr;  // in that version; null: the served one
};

namespace {

constexpr StoredEncoding::Row kRows[] = {
    {"apiextensions.k8s.io", "customresourcedefinitions", true, "v1beta1",
     &api::apiextensions_v1beta1::kCustomResourceDefinitionType},
    {"apiregistration.k8s.io", "apiservices", true, "v1"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies", false, "v1beta1"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings", false, "v1beta1"},
};

std::string Joined(std::string_view group, std::string_view version) {
  return std::string(group) + "/" + std::string(version);
}

}  // namespace

std::optional<StoredEncoding> StoredEncoding::Of(const api::ResourceDesc& resource) {
  if (api::IsCustom(resource)) return StoredEncoding(nullptr, resource);
  const auto row = std::ranges::find_if(
      kRows, [&](const Row& r) { return r.group == resource.group && r.plural == resource.plural; });
  if (row == std::end(kRows)) return std::nullopt;
  return StoredEncoding(&*row, resource);
}

StoredEncoding::StoredEncoding(const Row* row, const api::ResourceDesc& resource)
    : row_(row),
      resource_(&resource),
      served_version_(Joined(resource.group, row ? resource.version : resource.storage_version.version)),
      stored_version_(Joined(resource.group, row ? row->version : resource.storage_version.version)),
      keeps_versions_(!row && api::ConverterOf(*resource.storage_type)) {}

StoredEncoding::CustomForm StoredEncoding::FormOf(std::string_view api_version) const {
  if (!keeps_versions_ || api_version.empty()) return {resource_->storage_type, stored_version_};
  const api::TypeDesc* const own = api::CustomOf(*resource_->storage_type)->TypeIn(api_version);
  return {own ? own : resource_->storage_type, api_version};
}

// What the client's version has and the stored one does not know is left out.
base::Slice StoredEncoding::CustomToStored(api::StructNode& root, api::Arena& arena,
                                           const CustomForm& form) const {
  (void)api::CustomOf(*form.type)->Coerce(root, arena, nullptr);
  base::BufferBuilder out;
  api::json::EncodeCustom(root, resource_->kind, form.api_version, out);
  out.Append('\n');
  return out.Take();
}

// What the schema of today says of an object of yesterday is made true when it is read.
Bytes StoredEncoding::CustomFromJson(std::string_view text) const {
  api::Arena arena;
  std::string own_version;
  if (keeps_versions_)
    if (auto meta = api::json::PeekTypeMeta(text)) own_version = std::move(meta->api_version);
  const CustomForm form = FormOf(own_version);
  const api::CustomType* const custom = api::CustomOf(*form.type);
  auto root = api::json::Decode(text, *form.type, arena, nullptr);
  if (!root) return base::Err(std::move(root.error().message));
  (*root)->slot(1) = api::Value::String(form.api_version);
  (void)custom->Coerce(**root, arena, nullptr);
  custom->SetDefaults(**root, arena);
  constexpr size_t kMetadata = 2;  // ordinal
  if (api::StructNode* node = (*root)->slot(kMetadata).node()) {
    api::meta_v1::ObjectMetaEditor metadata(node, &arena);
    if (metadata.generation() == 0) metadata.set_generation(1);
  }
  return Wrap(form.api_version, resource_->kind, **root);
}

bool StoredEncoding::IsOutdated(std::string_view text) const {
  if (row_) return false;
  const auto meta = api::json::PeekTypeMeta(text);
  return meta && meta->api_version != stored_version_;
}

base::Slice StoredEncoding::ToStored(base::Slice envelope, bool settled) const {
  const auto parsed = protobuf::ParseEnvelope(envelope.view());
  if (!parsed) return envelope;
  const CustomForm form = row_ ? CustomForm() : FormOf(parsed->api_version);
  if (!row_ && settled) {
    base::BufferBuilder text(parsed->raw.size() + parsed->raw.size() / 2);
    if (api::json::RewriteCustom(parsed->raw, resource_->kind, form.api_version, text)) {
      text.Append('\n');
      return text.Take();
    }
  }
  if (row_ && !row_->json) return Wrap(stored_version_, parsed->kind, parsed->raw);
  api::Arena arena;
  auto root = protobuf::Decode(parsed->raw, row_ ? *resource_->type : *form.type, arena);
  if (!root) return envelope;
  if (!row_) return CustomToStored(**root, arena, form);
  const api::TypeDesc& type = row_->type ? *row_->type : *resource_->type;
  (*root)->slot(0) = api::Value::String(parsed->kind);
  (*root)->slot(1) = api::Value::String(stored_version_);
  const api::Doc doc =
      api::Convert(api::Doc(std::move(arena), *root), type, {row_->group, row_->version}, resource_->kind);
  base::BufferBuilder out;
  api::json::Encode(*doc.root(), out);
  out.Append('\n');
  return out.Take();
}

Bytes StoredEncoding::FromJson(std::string_view text) const {
  if (!row_) return CustomFromJson(text);
  const auto meta = api::json::PeekTypeMeta(text);
  if (!row_->type || !meta || meta->api_version != stored_version_)
    return EnvelopeOfJson(text, *resource_->type);
  api::Arena arena;
  auto root = api::json::Decode(text, *row_->type, arena, nullptr);
  if (!root) return base::Err(std::move(root.error().message));
  const api::Doc doc = api::Convert(api::Doc(std::move(arena), *root), *resource_->type,
                                    {resource_->group, resource_->version}, resource_->kind);
  return Wrap(served_version_, resource_->kind, *doc.root());
}

Bytes EnvelopeOfJson(std::string_view text, const api::TypeDesc& type) {
  auto meta = api::json::PeekTypeMeta(text);
  if (!meta) return base::Err(std::move(meta.error().message));
  if (meta->kind.empty() || meta->api_version.empty())
    return base::Err(std::string("kind or apiVersion is missing"));
  api::Arena arena;
  auto root = api::json::Decode(text, type, arena, nullptr);
  if (!root) return base::Err(std::move(root.error().message));
  return Wrap(meta->api_version, meta->kind, **root);
}

}  // namespace keelson::storage
