// What no policy and no webhook is asked about.
#pragma once

#include "api/types/resource_desc.h"

namespace keelson::admission {

// Policies and webhooks themselves, so that a wrong one can be taken away again.
inline bool IsExemptFromWebhooks(const api::ResourceDesc& resource) {
  return resource.group == "admissionregistration.k8s.io" &&
         (resource.plural.ends_with("webhookconfigurations") ||
          resource.plural.ends_with("admissionpolicies") ||
          resource.plural.ends_with("admissionpolicybindings"));
}

// Policies do not judge the resources that are exempt from webhooks, nor the reviews of authentication and
// authorization, which are not stored.
inline bool IsExemptFromPolicies(const api::ResourceDesc& resource) {
  return IsExemptFromWebhooks(resource) || resource.group == "authentication.k8s.io" ||
         resource.group == "authorization.k8s.io";
}

}  // namespace keelson::admission
