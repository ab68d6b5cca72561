// RequestAttributes: what a request asks of authorization.
#pragma once

#include <string_view>

#include "auth/attributes.h"
#include "endpoints/request_info.h"

namespace keelson::endpoints {

class RequestAttributes {
 public:
  // Borrows all three. Selectors are read where they select what the verb is about: list, watch and
  // deletecollection.
  RequestAttributes(const RequestInfo& info, std::string_view query, const auth::User* user);
  RequestAttributes(const RequestAttributes&) = delete;
  RequestAttributes& operator=(const RequestAttributes&) = delete;

  // Somebody reads why it is allowed.
  void WantReason() { attributes_.wants_reason = true; }
  const auth::Attributes& operator*() const { return attributes_; }

 private:
  api::SelectorRequirements fields_, labels_;
  auth::Attributes attributes_;
};

}  // namespace keelson::endpoints
