// Audit annotations: how admission plug-ins add notes to the audit event of a request.
#pragma once

#include <string>
#include <string_view>

#include "admission/attributes.h"
#include "audit/event.h"

namespace keelson::admission {

// Does nothing where nobody reads it. A key that is no DNS name, "/" and a name, as a webhook may give one,
// is left out with a line in the log.
void AddAuditAnnotation(const Attributes& request, std::string_view key, std::string value,
                        audit::Level least = audit::Level::kMetadata);

}  // namespace keelson::admission
