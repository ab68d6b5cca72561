#include "admission/versioned_request.h"

#include "api/conversion/conversion.h"
#include "api/types/custom_type.h"

namespace keelson::admission {
namespace {

// Versions of a custom kind that nobody converts differ in their names: what one of them does not know is
// there all the same, until the object is stored or shown.
api::Doc NamedAs(api::Doc doc, const api::ResourceDesc& version) {
  const std::string name = std::string(version.group) + "/" + std::string(version.version);
  doc.root()->type = version.type;
  doc.root()->slot(1) = api::Value::String(doc.arena().CopyString(name));
  return doc;
}

// Whether `doc` must be converted to be in `version`.
bool IsToConvert(const api::Doc* doc, const api::ResourceDesc& stored, const api::ResourceDesc& version) {
  if (!doc || !*doc) return false;
  if (api::ConverterOf(doc->type())) return &doc->type() != version.type;
  if (!stored.storage_type || &doc->type() != stored.storage_type) return false;
  return api::IsOpen(doc->type()) || &doc->type() != version.type;
}

base::Task<base::Result<api::Doc, api::Status>> ConvertedBy(const api::CustomConverter& converter,
                                                            api::Doc doc, const api::ResourceDesc& version,
                                                            base::Occupancy* occupancy) {
  auto converted = co_await api::ConvertAsking(converter, std::move(doc), version, occupancy);
  if (converted) co_return *std::move(converted);
  co_return base::Err(converted.error().late ? api::RequestTimedOut()
                                             : api::InternalError(converted.error().message));
}

// Requires: it is to be converted.
base::Task<base::Result<api::Doc, api::Status>> InVersion(const api::Doc& doc,
                                                          const api::ResourceDesc& version,
                                                          base::Occupancy* occupancy) {
  if (const api::CustomConverter* const converter = api::ConverterOf(doc.type()))
    co_return co_await ConvertedBy(*converter, doc.Clone(), version, occupancy);
  if (api::IsOpen(doc.type())) co_return NamedAs(doc.Clone(), version);
  co_return api::Convert(doc.Clone(), *version.type, {version.group, version.version}, version.kind);
}

}  // namespace

base::Task<base::Result<std::unique_ptr<VersionedRequest>, api::Status>> VersionedRequest::Make(
    const Attributes& original, const api::ResourceDesc& version) {
  auto made = std::make_unique<VersionedRequest>(original);
  if (IsToConvert(original.object, *original.resource, version))
    made->object = CO_TRY(co_await InVersion(*original.object, version, original.occupancy));
  if (IsToConvert(original.old_object, *original.resource, version))
    made->old = CO_TRY(co_await InVersion(*original.old_object, version, original.occupancy));
  made->request.requested = &original.requested_resource();
  made->request.resource = &version;
  if (made->object) made->request.object = &made->object;
  if (made->old) made->request.old_object = &made->old;
  co_return std::move(made);
}

base::Task<base::Result<api::Doc, api::Status>> VersionedRequest::Back(api::Doc doc,
                                                                       const Attributes& original) const {
  if (!object) co_return std::move(doc);
  if (const api::CustomConverter* const converter = api::ConverterOf(doc.type()))
    co_return co_await ConvertedBy(*converter, std::move(doc), *original.resource, original.occupancy);
  co_return api::ToStored(std::move(doc), *request.resource);
}

}  // namespace keelson::admission
