// What the audit log keeps of the bodies of requests and answers, where the policy wants that. Each of these
// does nothing for a request that is not audited.
#pragma once

#include "api/types/doc.h"
#include "base/slice.h"
#include "endpoints/request_scope.h"

namespace keelson::endpoints {

// The object of a create or an update, in the version it came in, before this server has changed anything in
// it but defaults.
void AuditRequestObject(RequestScope& scope, const api::Doc& doc);
// A patch, as it was sent, but as JSON.
void AuditRequestPatch(RequestScope& scope, const base::Slice& patch);
// The options in the body of a deletion. Requires: they are such.
void AuditDeleteOptions(RequestScope& scope, const base::Slice& body, Media media);

// Whether the answer is kept, too.
bool AuditsAnswer(const RequestScope& scope);
// The answer as JSON, whatever the client gets it as.
void AuditAnswer(RequestScope& scope, base::Slice json);
void AuditAnswer(RequestScope& scope, const registry::rest::Encoded& object);
void AuditAnswer(RequestScope& scope, const registry::rest::ListResult& list);

}  // namespace keelson::endpoints
