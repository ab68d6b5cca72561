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

#include "auth/attributes.h"

namespace keelson::auth::rbac {

// Threads: one.
class DecisionCache {
 public:
  // The calling thread's.
  static DecisionCache& ForThread();

  // Whether the same was kept under the same version. Requires: a resource request of a user.
  bool Allows(const Attributes& attributes, uint64_t version);
  // Keeps that what Allows was last asked about is allowed, whatever the name of the object. Requires: the
  // same version.
  void Keep(uint64_t version);

 private:
  static constexpr size_t kPlaces = 256;
  struct Entry {
    uint64_t version = 0;
    std::string question;
  };
  Entry& PlaceOf(const std::string& question);

  std::string question_;  // the last that was asked
  std::array<Entry, kPlaces> entries_;
};

}  // namespace keelson::auth::rbac
