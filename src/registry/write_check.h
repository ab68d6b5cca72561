// WriteCheck: what a write of one resource is asked besides its own rules: may this user do that, as far as
// other objects tell. A Strategy looks at the documents alone; this may read stores and ask the authorizer.
#pragma once

#include "admission/attributes.h"
#include "api/validation/field.h"
#include "base/task.h"
#include "registry/rest/types.h"

namespace keelson::registry {

// Threads: any loop. `request` is borrowed until the task is done; nothing in it is changed.
class WriteCheck {
 public:
  virtual ~WriteCheck() = default;
  // After mutating admission, before the object is prepared and validated. The error is the answer.
  virtual base::Task<rest::Result<void>> BeforeValidation(const admission::Attributes& /*request*/) const {
    co_return rest::Result<void>();
  }
  // Of an object that is prepared; told together with the errors of its strategy, and before them.
  virtual base::Task<api::field::ErrorList> BesideValidation(const admission::Attributes& /*request*/) const {
    co_return api::field::ErrorList();
  }
  // Of an object that is valid otherwise.
  virtual base::Task<api::field::ErrorList> AfterValidation(const admission::Attributes& /*request*/) const {
    co_return api::field::ErrorList();
  }
};

}  // namespace keelson::registry
