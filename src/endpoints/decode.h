// Decode: from the bytes of a request to a document of the expected type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/slice.h"
#include "base/task.h"
#include "endpoints/negotiation.h"
#include "net/http/message.h"

namespace keelson::endpoints {

constexpr size_t kMaxBodyBytes = 3 * 1024 * 1024;

// The whole body; 413 when it is over kMaxBodyBytes. Long bodies come one in each turn of the
// loop, since working on one takes a while. `request` must outlive the task.
base::Task<base::Result<base::Slice, api::Status>> ReadBody(net::http::Request& request);

// How upstream's scheme says that it does not know a kind.
std::string NoKindRegistered(std::string_view kind, std::string_view api_version);

struct DecodedBody {
  api::Doc doc;                     // kind and apiVersion set
  std::vector<std::string> strict;  // unknown and duplicate fields, when asked for
};

// What is wrong with a body, and what it claims to be as far as that is known.
struct BodyError {
  std::string message;
  std::string version, kind;   // empty: unknown
  bool other_version = false;  // the right kind in a version that is not served here
};

// Decodes `body` as `type`, known to clients as `kind` of `group`/`version`. A body that
// names no kind or version is taken for that; an empty `version` accepts any. With
// `find_strict` fields that are unknown or given twice are reported.
base::Result<DecodedBody, BodyError> DecodeBody(const base::Slice& body, Media media,
                                                const api::TypeDesc& type, std::string_view group,
                                                std::string_view version, std::string_view kind,
                                                bool find_strict);

// What strict decoding found, as one message.
std::string StrictErrorText(const std::vector<std::string>& found);

// The 400 upstream makes of it.
api::Status BodyErrorStatus(const BodyError& error, std::string_view expected_kind, std::string_view body);

// "v1" or "group/version".
std::string GroupVersionString(std::string_view group, std::string_view version);

}  // namespace keelson::endpoints
