#include "api/defaulting/batch/defaults.h"

#include "api/defaulting/batch/jobs.h"
#include "api/generated/batch_v1.h"

namespace keelson::api::batch {

std::span<const DefaultsEntry> Defaults() {
  static constexpr DefaultsEntry entries[] = {
      {&batch_v1::kCronJobType, SetCronJobDefaults},
      {&batch_v1::kJobType, SetJobDefaults},
  };
  return entries;
}

}  // namespace keelson::api::batch
