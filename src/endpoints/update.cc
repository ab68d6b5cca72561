#include "api/meta/object_meta.h"
#include "endpoints/exchange.h"

namespace keelson::endpoints {
namespace {

// Each attempt gets its own copy, since storing changes it.
base::Task<Parsed<api::Doc>> CopyOf(std::shared_ptr<const api::Doc> doc) { co_return doc->Clone(); }

}  // namespace

base::Task<Answer> Update(Exchange& exchange) {
  auto parameters = ParseWriteParameters(exchange.query, "UpdateOptions");
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  auto read = co_await ReadObject(exchange, parameters->field_validation);
  if (!read) co_return base::Err(std::move(read.error()));
  DropRepeatedOwners(exchange, *read);
  auto doc = std::make_shared<const api::Doc>(*std::move(read));
  auto metadata = api::MetadataOf(*doc);
  if (auto named = CheckName(exchange, *doc); !named) co_return base::Err(std::move(named.error()));

  registry::rest::UpdatedObject updated{[doc](const api::Doc&) { return CopyOf(doc); },
                                        std::string(metadata.uid())};
  auto update = exchange.verbs.update->Update(exchange.WriteRequest(*parameters), exchange.info.name,
                                              std::move(updated));
  auto written = co_await std::move(update);
  if (!written) co_return base::Err(std::move(written.error()));
  for (std::string& warning : written->warnings) exchange.warnings.push_back(std::move(warning));
  co_return ObjectAnswer(exchange, written->created ? 201 : 200, written->object);
}

}  // namespace keelson::endpoints
