#include "registry/store.h"

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
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
    : options_(std::move(options)), fields_(*options_.resource, options_.subresource, *options_.clock) {}

std::string Store::Key(std::string_view ns, std::string_view name) {
  std::string key(ns);
  if (!ns.empty()) key += '/';
  return key.append(name);
}

WriteContext Store::ContextOf(const rest::WriteRequest& request) const {
  return {request.user,    request.ns,          options_.subresource, options_.clock,
          request.dry_run, request.api_version, request.warnings,     options_.features};
}

base::Task<void> Store::TrackFields(const rest::WriteRequest& request, const api::Doc* was,
                                    api::Doc& doc) const {
  options_.strategy->PrepareForTracking(doc);
  return fields_.Track(request, was, doc, options_.asks_converters);
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

storage::Draft Store::EncodeForStorage(api::Doc& doc) {
  api::MutableMetadataOf(doc).clear_resource_version();
  storage::Draft draft;
  if (const api::CustomType* const custom = api::CustomOf(doc.type()))
    draft.settled = custom->Settle(*doc.root(), doc.arena());
  draft.envelope = Encode(doc);
  return draft;
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
