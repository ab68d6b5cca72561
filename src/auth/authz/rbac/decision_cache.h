// DecisionCache: the last allowances of one thread, so that a client that does the same again and again does
// not take the roles and bindings through the processor's caches each time.
//
// An allowance is kept with everything it was decided on, and with the version of the rules:
//
//   version 7 | user dev | groups devs, system:authenticated | get | "" | pods | "" | namespace shop
//
// The name of the object is not among it: allowances by rules that list names are not kept, and neither are
// refusals. Rules that change have a new version, and with it every entry is void.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/attributes.h"

namespace keelson::auth::rbac {

// Threads: one.
class DecisionCache {
 public:
  // The calling thread's.
  static DecisionCache& ForThread();

  // The reason that was kept with the same under the same version, empty if nobody wanted it; null: nothing
  // was kept. Valid until the next call. Requires: a resource request of a user.
  const std::string* ReasonFor(const Attributes& attributes, uint64_t version);
  // Keeps that what ReasonFor was last asked about is allowed, whatever the name of the object. Requires: the
  // same version.
  void Keep(uint64_t version, std::string_view reason);

 private:
  static constexpr size_t kPlaces = 256;
  struct Entry {
    uint64_t version = 0;
    std::string question, reason;
  };
  Entry& PlaceOf(const std::string& question);

  std::string question_;  // the last that was asked
  std::array<Entry, kPlaces> entries_;
};

}  // namespace keelson::auth::rbac
