// Custom objects as upstream writes them: members in order of name at every level, the metadata's too.
#pragma once

#include <string_view>

#include "api/types/doc.h"
#include "base/slice.h"

namespace keelson::api::json {

// Appends `root`, an object of a custom kind, with that kind and apiVersion.
void EncodeCustom(const StructNode& root, std::string_view kind, std::string_view api_version,
                  base::BufferBuilder& out);

// The same from the message of such an object, as protobuf::Encode wrote it in this process: metadata, and
// the rest as JSON, whose members are put in their places as they are. False, with `out` as it was, when it
// is no such message.
bool RewriteCustom(std::string_view message, std::string_view kind, std::string_view api_version,
                   base::BufferBuilder& out);

}  // namespace keelson::api::json
