#include "registry/store.h"

#include "api/codec/protobuf.h"
#include "api/conversion/conversion.h"
#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
#include "api/types/depth.h"
#include "registry/errors.h"

namespace keelson::registry {

namespace {

rest::Encoded EncodedOf(base::Slice bytes) {
  const std::string_view message = api::protobuf::ParseEnvelope(bytes.view())->raw;
  return {std::move(bytes), message};
}

}  // namespace

Store::Store(StoreOptions options)
    : options_(std::move(options)), fields_(*options_.resource, options_.subresource) {}

std::string Store::Key(std::string_view ns, std::string_view name) {
  std::string key(ns);
  if (!ns.empty()) key += '/';
  return key.append(name);
}

WriteContext Store::ContextOf(const rest::WriteRequest& request) const {
  return {request.user,    request.ns,          options_.subresource, options_.clock,
          request.dry_run, request.api_version, request.warnings};
}

void Store::TrackFieldsIn(const api::ResourceDesc& served, const rest::WriteRequest& request,
                          const api::Doc* was, api::Doc& doc) const {
  api::Doc now = api::ToServed(doc.Clone(), served);
  api::Doc before;
  if (was) before = api::ToServed(was->Clone(), served);
  const api::managed_fields::FieldManager fields(served, options_.subresource);
  fields.Update(was ? &before : nullptr, now, request.field_manager, api::NowSeconds(*options_.clock));

  static const uint32_t kManagedFields =
      api::meta_v1::kObjectMetaType.FindMember("managedFields").field->ordinal;
  const api::Value& tracked = api::MetadataOf(now).node()->slot(kManagedFields);
  api::MutableMetadataOf(doc).node()->slot(kManagedFields) = api::DeepCopy(tracked, doc.arena());
}

void Store::TrackFields(const rest::WriteRequest& request, const api::Doc* was, api::Doc& doc) const {
  options_.strategy->PrepareForTracking(doc);
  const auto& [group, written_version] = request.api_version;
  if (group != options_.resource->group || written_version != options_.resource->version) {
    const api::ResourceDesc* const served =
        api::FindResource(group, written_version, options_.resource->plural);
    if (served && served->IsConverted()) return TrackFieldsIn(*served, request, was, doc);
  }
  // What comes by way of another kind (scale) is written in this one's own version.
  std::string version;
  if (request.api_version.group == options_.resource->group) version = request.api_version.version;
  if (!version.empty() && !request.api_version.group.empty())
    version.insert(0, std::string(request.api_version.group) + "/");
  fields_.Update(was, doc, request.field_manager, api::NowSeconds(*options_.clock), version);
}

rest::Result<api::Doc> Store::Decode(const rest::Object& object) const {
  auto bytes = base::Slice::Share(object.bytes(), rest::ObjectPtr(&object));
  auto doc = api::protobuf::DecodeObject(std::move(bytes), *options_.resource->type);
  if (!doc)
    return base::Err(
        api::InternalError("unable to decode " + std::string(object.key()) + ": " + doc.error().message));
  api::SetDefaults(*doc);
  return *std::move(doc);
}

rest::Result<void> Store::CheckDepth(const api::Doc& doc, const api::Doc* was) {
  if (!api::IsDeeperThan(*doc.root(), api::kMaxObjectDepth)) return {};
  if (was && !api::IsDeeperThan(*doc.root(), api::DepthOf(*was->root()))) return {};
  return base::Err(api::BadRequest("the object is nested more than " + std::to_string(api::kMaxObjectDepth) +
                                   " levels deep"));
}

base::Slice Store::Encode(const api::Doc& doc) {
  base::BufferBuilder out;
  api::protobuf::EncodeObject(doc, out);
  return out.Take();
}

base::Slice Store::EncodeForStorage(api::Doc& doc) {
  api::MutableMetadataOf(doc).clear_resource_version();
  return Encode(doc);
}

rest::Encoded Store::Unstored(base::Slice bytes) { return EncodedOf(std::move(bytes)); }

rest::Encoded EncodeUnstored(const api::Doc& doc) {
  base::BufferBuilder out;
  api::protobuf::EncodeObject(doc, out);
  return EncodedOf(out.Take());
}

void DropRepeatedOwners(const rest::WriteRequest& request, api::Doc& doc) {
  if (std::string warning = api::DropRepeatedOwners(doc, /*after_admission=*/true); !warning.empty())
    admission::AddWarning(request.warnings, std::move(warning));
}

rest::Result<void> EnsureNamespaceMatches(std::string_view expected, api::Doc& doc) {
  auto metadata = api::MutableMetadataOf(doc);
  std::string_view ns = metadata.namespace_();
  if (ns == expected) return {};
  if (!ns.empty() && !expected.empty())
    return base::Err(api::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"));
  metadata.set_namespace(expected);
  return {};
}

base::Task<rest::Result<rest::ObjectPtr>> Store::Get(std::string ns, std::string name,
                                                     rest::GetOptions options) {
  std::string key = Key(ns, name);
  auto object = co_await options_.storage->Get(std::move(key), std::move(options));
  if (!object) co_return base::Err(ToStatus(object.error(), StorageVerb::kGet, group_resource(), name));
  co_return *std::move(object);
}

base::Task<rest::Result<rest::ListResult>> Store::List(rest::ListOptions options) {
  auto list = co_await options_.storage->List(std::move(options));
  if (!list) co_return base::Err(ToStatus(list.error(), StorageVerb::kList, group_resource(), ""));
  co_return *std::move(list);
}

base::Task<rest::Result<std::unique_ptr<rest::WatchStream>>> Store::Watch(rest::WatchOptions options) {
  auto stream = co_await options_.storage->Watch(std::move(options));
  if (!stream) co_return base::Err(ToStatus(stream.error(), StorageVerb::kWatch, group_resource(), ""));
  co_return *std::move(stream);
}

}  // namespace keelson::registry
