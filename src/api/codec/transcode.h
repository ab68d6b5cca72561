// Protobuf to JSON in one pass over the bytes, with no tree in between: how stored
// objects are served to JSON clients.
#pragma once

#include <string_view>

#include "api/types/type_desc.h"
#include "base/slice.h"

namespace keelson::api::transcode {

// Appends the JSON of the `type` message in `bytes`. `head` is written right after the
// opening brace when not empty, e.g. `"kind":"Pod","apiVersion":"v1"`, for the root of an
// answer. Members come in order of field number; what JSON must always show is there.
// Returns false, with `out` as it was, when the message is malformed.
// Requires: `type` lives as long as the process, as the built-in types do.
bool ProtobufToJson(std::string_view bytes, const TypeDesc& type, std::string_view head,
                    base::BufferBuilder& out);

}  // namespace keelson::api::transcode
