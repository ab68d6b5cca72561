#include <string>

#include "api/generated/core_v1.h"
#include "base/ascii.h"
#include "endpoints/table/core_rows.h"

namespace keelson::endpoints::table {
namespace {

using api::core_v1::EventView;

constexpr int64_t kMicrosPerSecond = 1'000'000;

std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string Target(const EventView& event) {
  const auto object = event.involved_object();
  std::string target = Lower(object.kind());
  if (!object.name().empty()) target.append("/").append(object.name());
  return target;
}

std::string Source(const EventView& event) {
  const std::string_view component = event.source().component(), host = event.source().host();
  std::string text(component.empty() ? event.reporting_component() : component);
  const std::string_view instance = host.empty() ? event.reporting_instance() : host;
  if (!instance.empty()) text.append(", ").append(instance);
  return text;
}

}  // namespace

void EventRow(const api::StructNode& object, Cells& cells) {
  const EventView event(&object);
  const int64_t event_time = event.event_time() / kMicrosPerSecond;
  const int64_t first = event.first_timestamp() ? event.first_timestamp() : event_time;
  int64_t last = event.last_timestamp() ? event.last_timestamp() : first;
  int64_t count = event.count() ? event.count() : 1;
  if (const auto series = event.series()) {
    last = series.last_observed_time() / kMicrosPerSecond;
    count = series.count();
  }

  cells.Age(last);
  cells.Text(event.type());
  cells.Text(event.reason());
  cells.Text(Target(event));
  cells.Text(event.involved_object().field_path());
  cells.Text(Source(event));
  cells.Text(base::Trimmed(event.message()));
  cells.Age(first);
  cells.Number(count);
  cells.Text(event.metadata().name());
}

}  // namespace keelson::endpoints::table
