// Quotas: the resource quotas of a namespace, as admission reads and charges them. The
// composition root implements it over the stores.
#pragma once

#include <string>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Threads: any loop; every call resumes where it was awaited.
class Quotas {
 public:
  template <class T>
  using Result = base::Result<T, api::Status>;

  virtual ~Quotas() = default;

  // Whether the cache has any in `ns`: cheaper than a list.
  virtual base::Task<Result<bool>> Any(std::string ns) const = 0;
  // In the order of their names. `not_older_than`: a resourceVersion of which the answer
  // must know; "0": what the cache has; empty: the newest there is.
  virtual base::Task<Result<std::vector<api::Doc>>> List(std::string ns,
                                                         std::string not_older_than) const = 0;
  // Writes the status of `quota` and gives its new resourceVersion. 409: it was changed since
  // it was read; 404: it is gone.
  virtual base::Task<Result<std::string>> UpdateStatus(api::Doc quota) const = 0;
};

}  // namespace keelson::client
