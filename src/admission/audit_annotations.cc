#include "admission/audit_annotations.h"

#include <algorithm>

#include "api/validation/names.h"
#include "base/log.h"

namespace keelson::admission {

void AddAuditAnnotation(const Attributes& request, std::string_view key, std::string value,
                        audit::Level least) {
  if (!request.audit) return;
  if (std::ranges::count(key, '/') != 1 || !api::IsQualifiedName(key).empty())
    return base::Log(base::LogLevel::kWarning, "an audit annotation has a key that it may not have",
                     {{"key", key}, {"auditID", request.audit->audit_id}});
  request.audit->Annotate(key, std::move(value), least);
}

}  // namespace keelson::admission
