// Which tolerations of a pod another one makes needless.
#pragma once

#include <vector>

#include "api/generated/core_v1.h"

namespace keelson::admission {

// All that `narrow` tolerates, `wide` tolerates too.
bool Covers(api::core_v1::TolerationView wide, api::core_v1::TolerationView narrow);

inline std::vector<api::core_v1::TolerationView> AllOf(api::ListView<api::core_v1::TolerationView> list) {
  std::vector<api::core_v1::TolerationView> all;
  for (const auto one : list) all.push_back(one);
  return all;
}

// Gives the pod its own tolerations, then copies of `more`, and leaves out each that another one covers.
void MergeTolerations(api::core_v1::PodSpecEditor spec,
                      const std::vector<api::core_v1::TolerationView>& more);

}  // namespace keelson::admission
