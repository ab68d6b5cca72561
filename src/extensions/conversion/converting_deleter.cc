#include "extensions/conversion/converting_deleter.h"

#include <utility>

#include "api/codec/protobuf.h"
#include "api/conversion/conversion.h"
#include "registry/decode.h"

namespace keelson::extensions {
namespace {

api::Status Success() {
  api::Status status;
  status.status = "Success";
  return status;
}

}  // namespace

using namespace registry;

base::Task<rest::Result<rest::Deleted>> ConvertingDeleter::Delete(rest::WriteRequest request,
                                                                  std::string name, DeleteOptions options) {
  base::Occupancy* const occupancy = request.occupancy;
  auto deleted = CO_TRY(co_await stored_.Delete(std::move(request), std::move(name), std::move(options)));
  const api::ResourceDesc& version = converted_.resource();
  const api::CustomConverter& converter = *api::ConverterOf(*version.type);
  deleted.answer_with_status |= converter.Unresponsive();
  if (deleted.answer_with_status) co_return std::move(deleted);
  auto doc = CO_TRY(DecodeWritten(deleted.object, *stored_.resource().type));
  auto converted = co_await api::ConvertAsking(converter, std::move(doc), version, occupancy);
  deleted.answer_with_status = !converted.has_value();
  if (converted) deleted.object = EncodeUnstored(*converted);
  co_return std::move(deleted);
}

base::Task<rest::Result<rest::ListResult>> ConvertingDeleter::DeleteCollection(rest::WriteRequest request,
                                                                               DeleteOptions options,
                                                                               rest::ListOptions list) {
  // Fields are those of this version.
  if (list.selection.has_fields())
    co_return co_await converted_.DeleteCollection(std::move(request), std::move(options), std::move(list));
  base::Occupancy* const occupancy = request.occupancy;
  auto deleted =
      CO_TRY(co_await stored_.DeleteCollection(std::move(request), std::move(options), std::move(list)));
  if (api::ConverterOf(*converted_.resource().type)->Unresponsive()) co_return base::Err(Success());
  auto converted = co_await storage_.Convert(std::move(deleted), occupancy);
  if (!converted) co_return base::Err(Success());
  co_return *std::move(converted);
}

}  // namespace keelson::extensions
