// Schedules and time zones of cron jobs, and the indexes of jobs: texts inside objects that
// have a grammar of their own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/validation/batch/indexes.h"
#include "api/validation/batch/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::api::batch;
  constexpr int32_t kCompletions = 1000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Whoever refuses says why.
  if (const auto error = ScheduleError(text); error && error->empty()) std::abort();
  if (const auto error = TimeZoneError(text); error && error->empty()) std::abort();
  const auto count = CountIndexes(text, kCompletions);
  if (!count && count.error().empty()) std::abort();
  if (count && *count > kCompletions) std::abort();
  // Texts that name an index have it in common with themselves.
  if (count && FirstCommonIndex(text, text, kCompletions).has_value() != !text.empty()) std::abort();
  return 0;
}
