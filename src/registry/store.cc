#include "registry/store.h"

#include "api/codec/protobuf.h"
#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
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
  return {request.user,   request.ns,      options_.subresource,
          options_.clock, request.dry_run, request.api_version};
}

void Store::TrackFields(const rest::WriteRequest& request, const api::Doc* was, api::Doc& doc) const {
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
