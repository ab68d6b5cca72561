// How admission reaches a write: as callbacks, so that the registry needs to know no plugin.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/task.h"
#include "registry/rest/types.h"

namespace keelson::registry {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete };

// Borrowed, all of it: valid until the returned task is done.
struct AdmissionRequest {
  Operation operation = Operation::kCreate;
  const api::ResourceDesc* resource = nullptr;
  std::string_view subresource, ns, name;
  const auth::User* user = nullptr;
  bool dry_run = false;
  api::Doc* object = nullptr;                    // null on delete
  const api::Doc* old_object = nullptr;          // null on create
  std::vector<std::string>* warnings = nullptr;  // for the client; null: nobody reads them
};
using AdmissionFn = std::function<base::Task<rest::Result<void>>(AdmissionRequest)>;

// Empty functions admit everything.
struct Admission {
  AdmissionFn mutate;    // may change `object`
  AdmissionFn validate;  // may not
};

}  // namespace keelson::registry
