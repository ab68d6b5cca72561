// NodeRestriction: a kubelet writes only what is its own: its Node, lease and CSINode, the status of the pods
// on it, mirror pods, and tokens and requests for
// certificates that those pods need.
//
// The Node authorizer cannot tell what is created, nor what changes in an update; this plug-in sees both.
#pragma once

#include <string>
#include <string_view>

#include "admission/plugin.h"
#include "auth/authorizer.h"
#include "client/client.h"

namespace keelson::admission {

class NodeRestriction final : public Plugin {
 public:
  // Both outlive this; a null authorizer allows no other audiences than those that pods need.
  NodeRestriction(const client::Client& objects, auth::Authorizer* authorizer)
      : objects_(objects), authorizer_(authorizer) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  using Found = base::Result<api::Doc, api::Status>;

  base::Task<Verdict> AdmitPod(Attributes request, std::string_view node) const;
  base::Task<Verdict> AdmitPodCreate(Attributes request, std::string_view node) const;
  base::Task<Verdict> AdmitEviction(Attributes request, std::string_view node) const;
  base::Task<Verdict> AdmitToken(Attributes request, std::string_view node) const;
  base::Task<Verdict> AdmitCertificateRequest(Attributes request, std::string_view node) const;
  // An error tells why the node gets no token for the audiences that the request names.
  base::Task<base::Result<void, std::string>> CheckAudience(const Attributes& request,
                                                            const api::Doc& pod) const;
  // An object that a request for a certificate names; `what` and `shown` are for the answer to the client.
  base::Task<Found> FindNamed(const Attributes& request, client::Resource resource, std::string ns,
                              std::string name, std::string what, std::string shown) const;
  // The pod `name` of the request's namespace; an error is the answer to the client.
  base::Task<Found> FindPod(const Attributes& request, std::string name) const;

  const client::Client& objects_;
  auth::Authorizer* const authorizer_;
};

}  // namespace keelson::admission
