// How deep objects nest. Documents come in and go out as JSON, YAML, CBOR and protobuf, by
// patches, defaults and admission, and each codec has a limit of its own; what is stored
// stays below all of them, so that every object can be read, changed and deleted.
#pragma once

#include "api/types/doc.h"

namespace keelson::api {

// Levels of structs, lists and maps that an object may have, metadata aside. YAML is read to
// 500 levels and managedFields to 1000, where an object has a few more than in itself.
constexpr int kMaxObjectDepth = 400;

// Whether `root` has more than `levels` levels, metadata aside. JSON that is kept as text
// counts by its brackets. Takes stack by `levels`.
bool IsDeeperThan(const StructNode& root, int levels);

// The number of levels that the object at `root` nests, its metadata left out.
int DepthOf(const StructNode& root);

}  // namespace keelson::api
