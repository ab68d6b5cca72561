// RequestScope: one request on its way through a verb, and the pieces every verb shares.
#pragma once

#include <string>
#include <vector>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"
#include "endpoints/api_handler.h"
#include "endpoints/negotiation.h"
#include "endpoints/object_format.h"
#include "endpoints/options.h"
#include "endpoints/query.h"
#include "net/http/message.h"

namespace keelson::endpoints {

struct RequestScope {
  net::http::Request& request;
  const RequestInfo& info;
  const auth::User& user;
  const ServedResource& resource;
  const registry::rest::Verbs& verbs;  // of the resource or the subresource addressed
  const api::ResourceDesc& body_desc;  // what bodies and answers are: desc(), but for scale and the like
  const ApiHandlerOptions& options;
  Query query = {};
  OutputFormat output = {};
  std::vector<std::string> warnings = {};  // become Warning headers, whatever the answer is
  audit::Event* audit = nullptr;           // null: the request is not audited
  base::Occupancy* occupancy = nullptr;    // as that of RequestContext
  base::RequestNotes* notes = nullptr;     // null: nobody reads them
  bool answering = false;                  // the span of the answer has begun

  base::Trace* trace() const { return notes ? notes->trace : nullptr; }
  const base::Clock& clock() const { return *options.clock; }
  const api::ResourceDesc& desc() const { return *resource.desc; }
  // The namespace objects are kept in: none for cluster-scoped resources.
  std::string ns() const { return desc().namespaced ? info.ns : std::string(); }
  // Borrows from this, which gets its warnings.
  registry::rest::WriteRequest WriteRequest(bool dry_run) {
    return {.user = &user,
            .ns = ns(),
            .dry_run = dry_run,
            .api_version = {body_desc.group, body_desc.version},
            .warnings = &warnings,
            .audit = audit,
            .occupancy = occupancy,
            .notes = notes};
  }
  // The same with the manager of the fields that the request sets.
  registry::rest::WriteRequest WriteRequest(const WriteParameters& parameters);
};

using Answer = base::Result<net::http::Response, api::Status>;

// The verbs. Each negotiates nothing but its own options: `scope.output` is set.
base::Task<Answer> Get(RequestScope& scope);
base::Task<Answer> List(RequestScope& scope);
base::Task<Answer> Watch(RequestScope& scope);
base::Task<Answer> Create(RequestScope& scope);
base::Task<Answer> Update(RequestScope& scope);
base::Task<Answer> Patch(RequestScope& scope);
base::Task<Answer> Delete(RequestScope& scope);
base::Task<Answer> DeleteCollection(RequestScope& scope);
// Whatever the verb is: the subresource answers by itself.
base::Task<Answer> Connect(RequestScope& scope);

// How the objects of this request are written. 400 for table options that make no sense.
Parsed<std::unique_ptr<ObjectFormat>> FormatOf(const RequestScope& scope);

// An object, or a list, as the client wants it.
Answer ObjectAnswer(RequestScope& scope, int code, const registry::rest::Encoded& object);
Answer ListAnswer(RequestScope& scope, registry::rest::ListResult list);

// The document in the request's body, of the resource's kind; strict findings become
// warnings or, if asked for, a 400.
base::Task<Parsed<api::Doc>> ReadObject(RequestScope& scope, FieldValidation validation);

// Puts the body into the coding the client prefers, when its size makes that worthwhile.
void Compress(const net::http::Headers& request, uint64_t size_estimate, net::http::Response& response);

// A document as it came, in the version that is stored.
api::Doc InStoredVersion(api::Doc doc, const api::ResourceDesc& body_desc);

// Removes owner references that the client gave twice, with a warning.
void DropRepeatedOwners(RequestScope& scope, api::Doc& doc);

}  // namespace keelson::endpoints
