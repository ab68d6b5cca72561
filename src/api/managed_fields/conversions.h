// Conversions: objects in other versions, which only somebody outside can make (CustomConverter).
//
// A FieldManager asks for what it needs. What is not there yet is noted, and what the manager made of the
// rest is void: its caller fetches what is missing and lets it work once more. An example: b owns fields of
// v2 of an object, and a writes in v1. The first try asks for the object in v2 as it was and as a wants it;
// the second finds both and sees which of b's fields a has taken.
#pragma once

#include <deque>
#include <string>

#include "api/types/custom_type.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::api::managed_fields {

// Belongs to one request.
class Conversions {
 public:
  // `object` as `version` has it, without managed fields; null: it is noted as missing. Valid as long as
  // this.
  const StructNode* Find(const StructNode& object, const ResourceDesc& version);

  bool complete() const { return missing_ == 0; }
  // From now on nothing is asked for: the fields of managers in other versions stay theirs.
  void GiveUp() {
    missing_ = 0;
    given_up_ = true;
  }
  bool given_up() const { return given_up_; }
  // Has what is missing made, on behalf of `occupancy`. The error is the converter's.
  base::Task<base::Result<void, ConversionError>> Fetch(const CustomConverter& converter,
                                                        base::Occupancy* occupancy);

 private:
  struct Entry {
    const ResourceDesc* version;
    Doc from, to;  // `to` is empty while it is missing
  };
  std::deque<Entry> entries_;
  size_t missing_ = 0;  // of them, the last
  bool given_up_ = false;
};

}  // namespace keelson::api::managed_fields
