// Options: what a client asks besides the object itself, read from the query (and for
// deletes from the body) and checked as upstream checks it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta/status.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/slice.h"
#include "endpoints/negotiation.h"
#include "endpoints/query.h"
#include "registry/rest/options.h"
#include "registry/rest/types.h"

namespace keelson::endpoints {

template <class T>
using Parsed = base::Result<T, api::Status>;

// Of lists, watches and collection deletes.
struct ListParameters {
  registry::rest::Selection selection;
  std::string resource_version;
  registry::rest::VersionMatch match = registry::rest::VersionMatch::kUnset;
  std::string continue_token;
  int64_t limit = 0;
  std::optional<std::chrono::seconds> timeout;
  bool allow_bookmarks = false;
  bool send_initial_events = false;
};
// `name` is that of the path, when there is one: only this object is meant.
Parsed<ListParameters> ParseListParameters(const Query& query, bool watch, std::string_view name,
                                           const api::ResourceDesc& resource);

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

// Of create, update and patch.
struct WriteParameters {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  std::string_view given_field_validation;  // its name; empty: not given
  std::string field_manager;
  bool force = false;  // of apply: takes fields over from their managers
};
// `kind` names the options in messages: "CreateOptions", "UpdateOptions", "PatchOptions".
// `apply`: of a server-side apply, which must name its manager.
Parsed<WriteParameters> ParseWriteParameters(const Query& query, std::string_view kind, bool apply = false);

// From `body` when it has something, else from the query.
Parsed<registry::DeleteOptions> ParseDeleteOptions(const Query& query, const base::Slice& body,
                                                   Media body_media);

enum class IncludeObject : uint8_t { kNone, kMetadata, kObject };
struct TableParameters {
  IncludeObject include_object = IncludeObject::kMetadata;
};
Parsed<TableParameters> ParseTableParameters(const Query& query);

}  // namespace keelson::endpoints
