// What is read of a stored object: parts of its metadata without decoding it, or the whole as a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/meta/ownership.h"
#include "api/types/resource_desc.h"
#include "storage/decode.h"
#include "storage/object.h"

namespace keelson::client {

// The object as a document with its defaults; `type` is that of the stored form.
using storage::Decode;

// Owners and finalizers; the views point into `object`. False: its metadata cannot be read, which is logged.
bool ReadOwnership(const storage::Object& object, api::Ownership& ownership);

// Where Object::field has the selectable field `name`. Requires: the resource has it.
size_t FieldIndex(const api::ResourceDesc& resource, std::string_view name);

// When it is or was to be gone, in Unix seconds; 0: it is not being deleted.
int64_t DeletionTime(const storage::Object& object);

}  // namespace keelson::client
