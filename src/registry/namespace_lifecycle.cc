#include "registry/namespace_lifecycle.h"

#include <algorithm>
#include <array>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"

namespace keelson::registry {
namespace {

constexpr std::array<std::string_view, 3> kImmortal = {"default", "kube-public", "kube-system"};
constexpr std::array<std::string_view, 4> kSystem = {"default", "kube-node-lease", "kube-public", "kube-system"};

// Namespace{3: status{1: phase}}, read without decoding the rest.
bool Terminating(const rest::Object& ns) {
  return api::protobuf::FindBytes(ns.message(), {3, 1}) == api::core_v1::NamespacePhase::kTerminating;
}

api::Status ContentRefused(const AdmissionRequest& request) {
  std::string ns(request.ns);
  api::Status status = api::Forbidden({request.resource->group, request.resource->plural}, request.name,
                                      "unable to create new content in namespace " + ns + " because it is being terminated");
  status.details->causes.push_back({"NamespaceTerminating", "namespace " + ns + " is being terminated", "metadata.namespace"});
  return status;
}

base::Task<rest::Result<void>> Check(rest::Getter& namespaces, AdmissionRequest request) {
  bool is_namespace = request.resource->group.empty() && request.resource->plural == "namespaces";
  if (is_namespace && request.operation == Operation::kDelete &&
      std::ranges::find(kImmortal, request.name) != kImmortal.end())
    co_return base::Err(api::Forbidden({"", "namespaces"}, request.name, "this namespace may not be deleted"));
  if (request.operation == Operation::kDelete || !request.resource->namespaced) co_return rest::Result<void>();

  auto lookup = namespaces.Get("", std::string(request.ns), {});
  auto found = co_await std::move(lookup);
  if (!found) co_return base::Err(std::move(found.error()));
  if (request.operation == Operation::kCreate && Terminating(**found)) co_return base::Err(ContentRefused(request));
  co_return rest::Result<void>();
}

}  // namespace

AdmissionFn NamespaceLifecycle(rest::Getter& namespaces) {
  return [&namespaces](AdmissionRequest request) { return Check(namespaces, request); };
}

base::Task<rest::Result<void>> CreateSystemNamespaces(rest::Creater& namespaces, const api::ResourceDesc& resource) {
  const auth::User server{.name = "system:apiserver", .groups = {std::string(auth::kMastersGroup)}};
  for (std::string_view name : kSystem) {
    api::Doc doc(*resource.type);
    api::core_v1::NamespaceEditor(doc).set_kind_static(resource.kind);
    api::core_v1::NamespaceEditor(doc).set_api_version_static(resource.version);
    api::MutableMetadataOf(doc).set_name(name);
    auto creation = namespaces.Create({&server, "", false}, std::move(doc));
    auto created = co_await std::move(creation);
    if (!created && created.error().reason != "AlreadyExists") co_return base::Err(std::move(created.error()));
  }
  co_return rest::Result<void>();
}

}  // namespace keelson::registry
