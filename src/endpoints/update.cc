#include "api/meta/object_meta.h"
#include "endpoints/request_scope.h"
#include "registry/rest/object_checks.h"

namespace keelson::endpoints {
namespace {

// Each attempt gets its own copy, since storing changes it.
base::Task<Parsed<api::Doc>> CopyOf(std::shared_ptr<const api::Doc> doc) { co_return doc->Clone(); }

}  // namespace

base::Task<Answer> Update(RequestScope& scope) {
  auto parameters = CO_TRY(ParseWriteParameters(scope.query, "UpdateOptions"));
  auto read = CO_TRY(co_await ReadObject(scope, parameters.field_validation));
  DropRepeatedOwners(scope, read);
  auto doc = std::make_shared<const api::Doc>(std::move(read));
  auto metadata = api::MetadataOf(*doc);
  CO_TRY(registry::rest::CheckName(scope.ns(), scope.info.name, *doc));

  registry::rest::UpdatedObject updated{[doc](const api::Doc&) { return CopyOf(doc); },
                                        std::string(metadata.uid())};
  auto written = CO_TRY(co_await scope.verbs.update->Update(scope.WriteRequest(parameters), scope.info.name,
                                                            std::move(updated)));
  co_return ObjectAnswer(scope, written.created ? 201 : 200, written.object);
}

}  // namespace keelson::endpoints
