#include "endpoints/request_attributes.h"

#include "endpoints/query.h"
#include "registry/rest/types.h"

namespace keelson::endpoints {

RequestAttributes::RequestAttributes(const RequestInfo& info, std::string_view query_text,
                                     const auth::User* user)
    : attributes_{.user = user,
                  .verb = info.verb,
                  .resource_request = info.resource_request,
                  .group = info.group,
                  .version = info.version,
                  .resource = info.resource,
                  .subresource = info.subresource,
                  .ns = info.ns,
                  .name = info.name,
                  .path = info.path,
                  .wants_reason = false} {
  const bool selects = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  // What has neither the word nor an escape in it cannot name a selector.
  const bool may_select =
      query_text.find("Selector") != std::string_view::npos || query_text.find('%') != std::string_view::npos;
  if (!selects || !may_select || !info.resource_request || info.verb_in_path) return;
  const Query query(query_text);
  if (const auto text = query.GetOr("fieldSelector", ""); !text.empty()) {
    fields_ = registry::rest::FieldSelector::ParseRequirements(text);
    attributes_.field_selector = &fields_;
  }
  if (const auto text = query.GetOr("labelSelector", ""); !text.empty()) {
    labels_ = registry::rest::LabelSelector::ParseRequirements(text);
    attributes_.label_selector = &labels_;
  }
}

}  // namespace keelson::endpoints
