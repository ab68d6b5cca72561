// The only place where a storage error becomes an answer to the client.
#pragma once

#include <string_view>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "storage/errors.h"

namespace keelson::registry {

enum class StorageVerb : uint8_t { kGet, kList, kWatch, kCreate, kUpdate, kDelete };

api::Status ToStatus(const storage::Error& error, StorageVerb verb, api::GroupResource resource,
                     std::string_view name);

// Of which kind an invalid object is said to be: a custom one may claim to be of another than its resource's.
api::GroupKind ClaimedKind(const api::Doc& doc, api::GroupKind own);

// What upstream makes of an error it has no words for: a 500 with the bare text.
api::Status UnknownError(std::string_view text);

inline constexpr std::string_view kOptimisticLockError =
    "the object has been modified; please apply your changes to the latest version and try again";

}  // namespace keelson::registry
