#include "endpoints/table/apiregistration/rows.h"

#include "api/generated/apiregistration_v1.h"

namespace keelson::endpoints::table::apiregistration {
namespace {

using api::apiregistration_v1::APIServiceView;

std::string Available(APIServiceView service) {
  for (const auto condition : service.status().conditions()) {
    if (condition.type() != "Available") continue;
    std::string text(condition.status());
    if (text != "True" && !condition.reason().empty())
      text.append(" (").append(condition.reason()).append(")");
    return text;
  }
  return "Unknown";
}

void ApiServiceRow(const api::StructNode& object, Cells& cells) {
  const APIServiceView service(&object);
  const auto reference = service.spec().service();
  cells.Text(service.metadata().name());
  cells.Text(reference ? std::string(reference.namespace_()) + "/" + std::string(reference.name()) : "Local");
  cells.Text(Available(service));
  cells.Age(service.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"APIService", ApiServiceRow}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::apiregistration
