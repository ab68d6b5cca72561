#include "admission/plugins/node_restriction.h"

#include <algorithm>

#include "admission/plugins/kubelet_labels.h"
#include "admission/plugins/resources.h"
#include "admission/plugins/same_list.h"
#include "admission/plugins/token_audience.h"
#include "api/generated/authentication_v1.h"
#include "api/generated/certificates_v1.h"
#include "api/generated/certificates_v1beta1.h"
#include "api/generated/core_v1.h"
#include "api/generated/resource_v1.h"
#include "api/meta/object_meta.h"
#include "api/pods/pod_spec.h"
#include "api/pods/references.h"
#include "api/validation/core/checks.h"
#include "api/validation/quote.h"
#include "api/validation/unversioned.h"
#include "auth/certificate_text.h"
#include "auth/node_identity.h"

namespace keelson::admission {
namespace {

using api::Quoted;
using api::core_v1::NodeView;
using api::core_v1::PersistentVolumeClaimEditor;
using api::core_v1::PodResourceClaimStatusView;
using api::core_v1::PodView;
using api::core_v1::VolumeProjectionView;
using api::core_v1::VolumeSourceView;
using api::core_v1::VolumeView;

constexpr api::GroupResource kNodeObjects{"", "nodes"}, kAccounts{"", "serviceaccounts"},
    kLeases{"coordination.k8s.io", "leases"}, kCsiNodes{"storage.k8s.io", "csinodes"},
    kSlices{"resource.k8s.io", "resourceslices"},
    kCertificateRequests{"certificates.k8s.io", "podcertificaterequests"};
constexpr std::string_view kNodeLeaseNamespace = "kube-node-lease";
constexpr std::string_view kKubeletSigners[] = {"kubernetes.io/kubelet-serving",
                                                "kubernetes.io/kube-apiserver-client-kubelet"};

// "node "n1" can only ...": how most refusals begin.
std::string ThisNode(std::string_view node, std::string_view rest) {
  return "node " + Quoted(node) + std::string(rest);
}

std::string UnexpectedOperation(const Attributes& request) {
  return "unexpected operation " + Quoted(NameOf(request.operation));
}

bool IsPresentInOne(const api::StructView& a, const api::StructView& b) {
  return static_cast<bool>(a) != static_cast<bool>(b);
}

// --- pods

// The objection to the owners of a mirror pod, the uid left aside; empty: there is none.
std::string OwnerObjection(api::ListView<api::meta_v1::OwnerReferenceView> owners, std::string_view node) {
  if (owners.size() > 1)
    return ThisNode(node, " can only create pods with a single owner reference set to itself");
  if (owners.empty() || owners[0].api_version() != "v1" || owners[0].kind() != "Node" ||
      owners[0].name() != node)
    return ThisNode(node, " can only create pods with an owner reference set to itself");
  if (!owners[0].controller())
    return ThisNode(node, " can only create pods with a controller owner reference set to itself");
  if (owners[0].block_owner_deletion())
    return ThisNode(node, " must not set blockOwnerDeletion on an owner reference");
  return {};
}

// Names the API objects that a volume needs, in the words of the refusal; empty: none. Error: its source is
// unknown.
base::Result<std::string_view, std::string> ApiSourceOf(VolumeView volume) {
  const VolumeSourceView v = volume.volume_source();
  const api::StructView local[] = {v.aws_elastic_block_store(),
                                   v.azure_disk(),
                                   v.cephfs(),
                                   v.cinder(),
                                   v.downward_api(),
                                   v.empty_dir(),
                                   v.fc(),
                                   v.flex_volume(),
                                   v.flocker(),
                                   v.gce_persistent_disk(),
                                   v.git_repo(),
                                   v.host_path(),
                                   v.image(),
                                   v.iscsi(),
                                   v.nfs(),
                                   v.photon_persistent_disk(),
                                   v.portworx_volume(),
                                   v.quobyte(),
                                   v.rbd(),
                                   v.scale_io(),
                                   v.storageos(),
                                   v.vsphere_volume()};
  if (std::ranges::any_of(local, [](const api::StructView& view) { return static_cast<bool>(view); }))
    return "";
  if (v.config_map()) return "configmaps (via configmap volumes)";
  if (v.secret()) return "secrets (via secret volumes)";
  if (v.csi()) return "csidrivers (via CSI volumes)";
  if (v.glusterfs()) return "endpoints (via glusterFS volumes)";
  if (v.persistent_volume_claim()) return "persistentvolumeclaims";
  if (v.ephemeral()) return "persistentvolumeclaims (via ephemeral volumes)";
  if (v.azure_file()) return "secrets (via azureFile volumes)";
  if (!v.projected()) return base::Err("unknown volume type for volume  " + Quoted(volume.name()));
  for (const VolumeProjectionView source : v.projected().sources()) {
    if (source.config_map()) return "configmaps (via projected volumes)";
    if (source.secret()) return "secrets (via projected volumes)";
    if (source.service_account_token()) return "serviceaccounts (via projected volumes)";
    if (source.cluster_trust_bundle()) return "clustertrustbundles";
    if (source.pod_certificate()) return "podcertificates";
    if (!source.downward_api())
      return base::Err("unknown source for projected volume " + Quoted(volume.name()));
  }
  return "";
}

// The kind of API object that the pod refers to first; empty: it refers to none. Error: a source is unknown.
base::Result<std::string_view, std::string> ApiObjectOf(PodView pod) {
  using api::pods::Referent;
  if (!pod.spec().service_account_name().empty()) return "serviceaccounts";
  if (api::pods::NamesAny(pod, Referent::kSecret)) return "secrets";
  if (api::pods::NamesAny(pod, Referent::kConfigMap)) return "configmaps";
  if (!pod.spec().resource_claims().empty()) return "resourceclaims";
  for (const VolumeView volume : pod.spec().volumes())
    if (const auto source = TRY(ApiSourceOf(volume)); !source.empty()) return source;
  return "";
}

bool SameClaimStatuses(api::ListView<PodResourceClaimStatusView> a,
                       api::ListView<PodResourceClaimStatusView> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name() != b[i].name() || a[i].has_resource_claim_name() != b[i].has_resource_claim_name() ||
        a[i].resource_claim_name() != b[i].resource_claim_name())
      return false;
  return true;
}

Verdict AdmitPodStatus(const Attributes& request, std::string_view node) {
  if (request.operation != Operation::kUpdate) return Refuse(request, UnexpectedOperation(request));
  const PodView was(*request.old_object), now(*request.object);
  if (was.spec().node_name() != node)
    return Refuse(request,
                  ThisNode(node, " can only update pod status for pods with spec.nodeName set to itself"));
  if (!api::core::SameMap(was.metadata().labels(), now.metadata().labels()))
    return Refuse(request, ThisNode(node, " cannot update labels through pod status"));
  if (!SameClaimStatuses(was.status().resource_claim_statuses(), now.status().resource_claim_statuses()))
    return Refuse(request, ThisNode(node, " cannot update resource claim statues"));
  const auto extended_was = was.status().extended_resource_claim_status();
  const auto extended_now = now.status().extended_resource_claim_status();
  if (IsPresentInOne(extended_was, extended_now) || !api::core::SameStruct(extended_was, extended_now))
    return Refuse(request, ThisNode(node, " cannot update extended resource claim status"));
  return {};
}

// --- nodes

Verdict AdmitNodeUpdate(const Attributes& request, std::string_view node) {
  const NodeView now(*request.object), was(*request.old_object);
  const auto source_now = now.spec().config_source(), source_was = was.spec().config_source();
  if (source_now && (!source_was || !api::core::SameStruct(source_now, source_was)))
    return Refuse(request,
                  ThisNode(node, " is not allowed to update configSource to a new non-nil configSource"));
  if (!SameList(now.spec().taints(), was.spec().taints()))
    return Refuse(request, ThisNode(node, " is not allowed to modify taints"));
  if (!SameList(now.metadata().owner_references(), was.metadata().owner_references()))
    return Refuse(request, ThisNode(node, " is not allowed to modify ownerReferences"));
  const std::string labels = ForbiddenLabelChanges(now.metadata().labels(), was.metadata().labels());
  if (!labels.empty()) return Refuse(request, "is not allowed to modify labels: " + labels);
  return {};
}

Verdict AdmitNode(const Attributes& request, std::string_view node) {
  if (request.name != node)
    return Refuse(request, ThisNode(node, " is not allowed to modify node " + Quoted(request.name)));
  if (request.operation == Operation::kUpdate) return AdmitNodeUpdate(request, node);
  if (request.operation != Operation::kCreate) return {};
  const NodeView created(*request.object);
  if (created.spec().config_source())
    return Refuse(request, ThisNode(node, " is not allowed to create pods with a non-nil configSource"));
  const std::string labels = ForbiddenLabelChanges(created.metadata().labels(), api::MapView());
  if (!labels.empty())
    return Refuse(request, ThisNode(node, " is not allowed to set the following labels: " + labels));
  return {};
}

// --- claims

// The claim without what a node may change in it.
api::Doc WithoutNodesPart(const api::Doc& doc) {
  api::Doc copy = doc.Clone();
  PersistentVolumeClaimEditor claim(copy);
  auto metadata = claim.mutable_metadata();
  metadata.clear_resource_version();
  metadata.clear_managed_fields();
  auto status = claim.mutable_status();
  status.clear_capacity();
  status.clear_conditions();
  status.clear_allocated_resource_statuses();
  status.clear_allocated_resources();
  return copy;
}

Verdict AdmitClaim(const Attributes& request, std::string_view node) {
  if (request.subresource != "status") return Refuse(request, "may only update PVC status");
  if (request.operation != Operation::kUpdate) return Refuse(request, UnexpectedOperation(request));
  const api::Doc was = WithoutNodesPart(*request.old_object), now = WithoutNodesPart(*request.object);
  if (api::Equal(was.root(), now.root())) return {};
  return Refuse(
      request,
      ThisNode(node, " is not allowed to update fields other than status.quantity and status.conditions: " +
                         api::field::UnversionedDifference(was.root(), now.root())));
}

// --- what has the node's name, or is named by it

// The name is in the object when it is created, whatever the request says.
std::string_view NameOfWritten(const Attributes& request) {
  return request.operation == Operation::kCreate ? api::MetadataOf(*request.object).name() : request.name;
}

Verdict AdmitLease(const Attributes& request, std::string_view node) {
  if (request.ns != kNodeLeaseNamespace)
    return Refuse(request,
                  "can only access leases in the " + Quoted(kNodeLeaseNamespace) + " system namespace");
  if (NameOfWritten(request) != node)
    return Refuse(request, "can only access node lease with the same name as the requesting node");
  return {};
}

Verdict AdmitCsiNode(const Attributes& request, std::string_view node) {
  if (NameOfWritten(request) != node)
    return Refuse(request, "can only access CSINode with the same name as the requesting node");
  return {};
}

// An update is the Node authorizer's to judge.
Verdict AdmitSlice(const Attributes& request, std::string_view node) {
  if (request.operation == Operation::kUpdate) return {};
  const bool creates = request.operation == Operation::kCreate;
  const api::resource_v1::ResourceSliceView slice(creates ? *request.object : *request.old_object);
  if (slice.spec().has_node_name() && slice.spec().node_name() == node) return {};
  return Refuse(request, std::string("can only ") + (creates ? "create" : "delete") +
                             " ResourceSlice with the same NodeName as the requesting node");
}

Verdict AdmitSigningRequest(const Attributes& request, std::string_view node) {
  if (request.operation != Operation::kCreate) return {};
  const auto spec = api::certificates_v1::CertificateSigningRequestView(*request.object).spec();
  if (std::ranges::find(kKubeletSigners, spec.signer_name()) == std::end(kKubeletSigners)) return {};
  const auto subject = auth::SubjectOfCertificateRequest(spec.request());
  if (!subject) return Refuse(request, "unable to parse csr: " + subject.error());
  const std::string name = std::string(auth::kNodeUserPrefix) + std::string(node);
  if (subject->common_name != name) return Refuse(request, "can only create a node CSR with CN=" + name);
  return {};
}

}  // namespace

// A node that does not tell its name may write nothing at all.
Concern NodeRestriction::ConcernWith(const api::ResourceDesc&, std::string_view) const {
  return {.mutates = true};
}

base::Task<Verdict> NodeRestriction::Mutate(Attributes request) const {
  if (!request.user || request.operation == Operation::kConnect) co_return Verdict();
  const auto identity = auth::NodeIdentity(*request.user);
  if (!identity) co_return Verdict();
  const std::string_view node = *identity;
  if (node.empty())
    co_return Refuse(request, "could not determine node from user " + Quoted(request.user->name));

  const api::ResourceDesc& resource = *request.resource;
  if (Is(resource, "", kPods)) co_return co_await AdmitPod(request, node);
  if (Is(resource, "", kNodeObjects)) co_return AdmitNode(request, node);
  if (Is(resource, "", kClaims)) co_return AdmitClaim(request, node);
  if (Is(resource, "", kAccounts) && request.subresource == "token")
    co_return co_await AdmitToken(request, node);
  if (Is(resource, "", kCertificateRequests)) co_return co_await AdmitCertificateRequest(request, node);
  if (Is(resource, "", kLeases)) co_return AdmitLease(request, node);
  if (Is(resource, "", kCsiNodes)) co_return AdmitCsiNode(request, node);
  if (Is(resource, "", kSlices)) co_return AdmitSlice(request, node);
  if (Is(resource, "", kSigningRequests)) co_return AdmitSigningRequest(request, node);
  co_return Verdict();
}

base::Task<Verdict> NodeRestriction::AdmitPod(Attributes request, std::string_view node) const {
  if (request.subresource == "status") co_return AdmitPodStatus(request, node);
  if (request.subresource == "eviction") co_return co_await AdmitEviction(request, node);
  if (!request.subresource.empty())
    co_return Refuse(request, "unexpected pod subresource " + Quoted(request.subresource) +
                                  ", only 'status' and 'eviction' are allowed");
  if (request.operation == Operation::kCreate) co_return co_await AdmitPodCreate(request, node);
  if (request.operation != Operation::kDelete)
    co_return Refuse(request, UnexpectedOperation(request) + ", " +
                                  ThisNode(node, " can only create and delete mirror pods"));
  // Upstream looks for the pod by the name in the request, which the deletion of a collection does not have.
  if (request.name.empty()) co_return base::Err(api::NotFound({"", "pod"}, ""));
  if (PodView(*request.old_object).spec().node_name() != node)
    co_return Refuse(request, ThisNode(node, " can only delete pods with spec.nodeName set to itself"));
  co_return Verdict();
}

base::Task<Verdict> NodeRestriction::AdmitPodCreate(Attributes request, std::string_view node) const {
  const PodView pod(*request.object);
  if (!api::pods::IsMirror(pod))
    co_return Refuse(request, "pod does not have " + Quoted(api::pods::kMirrorAnnotation) + " annotation, " +
                                  ThisNode(node, " can only create mirror pods"));
  if (pod.spec().node_name() != node)
    co_return Refuse(request, ThisNode(node, " can only create pods with spec.nodeName set to itself"));
  const auto owners = pod.metadata().owner_references();
  if (const std::string objection = OwnerObjection(owners, node); !objection.empty())
    co_return Refuse(request, objection);
  const auto found =
      co_await objects_.Get(kNodeObjects, "", std::string(node), client::Fresh::kAbsenceIsSure);
  if (!found)
    co_return Refuse(
        request, "error looking up node " + std::string(node) + " to verify uid: " + found.error().message);
  if (!*found) co_return base::Err(api::NotFound({"", "node"}, node));
  const std::string_view uid = api::MetadataOf(**found).uid();
  if (owners[0].uid() != uid)
    co_return Refuse(request, "node " + std::string(node) + " UID mismatch: expected " +
                                  std::string(owners[0].uid()) + " got " + std::string(uid));
  const auto object = ApiObjectOf(pod);
  if (!object) co_return Refuse(request, "error checking mirror pod for API references: " + object.error());
  if (!object->empty())
    co_return Refuse(request, ThisNode(node, " can not create pods that reference " + std::string(*object)));
  co_return Verdict();
}

base::Task<NodeRestriction::Found> NodeRestriction::FindPod(const Attributes& request,
                                                            std::string name) const {
  auto found = co_await objects_.Get(kPods, std::string(request.ns), name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return base::Err(Refuse(request, found.error().message).error());
  if (!*found) co_return base::Err(api::NotFound({"", "pod"}, name));
  co_return **std::move(found);
}

base::Task<Verdict> NodeRestriction::AdmitEviction(Attributes request, std::string_view node) const {
  if (request.operation != Operation::kCreate)
    co_return Refuse(request, "unexpected operation " + std::string(NameOf(request.operation)));
  const auto pod = CO_TRY(co_await FindPod(request, std::string(request.name)));
  if (PodView(pod).spec().node_name() != node)
    co_return Refuse(request,
                     "node " + std::string(node) + " can only evict pods with spec.nodeName set to itself");
  co_return Verdict();
}

base::Task<Verdict> NodeRestriction::AdmitToken(Attributes request, std::string_view node) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const auto spec = api::authentication_v1::TokenRequestView(*request.object).spec();
  const auto bound = spec.bound_object_ref();
  if (!bound || bound.api_version() != "v1" || bound.kind() != "Pod" || bound.name().empty())
    co_return Refuse(request, "node requested token not bound to a pod");
  if (bound.uid().empty()) co_return Refuse(request, "node requested token with a pod binding without a uid");
  const auto pod = CO_TRY(co_await FindPod(request, std::string(bound.name())));
  if (bound.uid() != api::MetadataOf(pod).uid())
    co_return Refuse(
        request,
        "the UID in the bound object reference (" + std::string(bound.uid()) +
            ") does not match the UID in record. The object might have been deleted and then recreated");
  if (PodView(pod).spec().node_name() != node)
    co_return Refuse(request, "node requested token bound to a pod scheduled on a different node");
  const auto allowed = co_await CheckAudience(request, pod);
  co_return allowed ? Verdict() : Refuse(request, allowed.error());
}

base::Task<NodeRestriction::Found> NodeRestriction::FindNamed(const Attributes& request,
                                                              client::Resource resource, std::string ns,
                                                              std::string name, std::string what,
                                                              std::string shown) const {
  const std::string begin =
      "while retrieving " + what + " " + Quoted(shown) + " named in the PodCertificateRequest: ";
  const std::string plural(resource.plural);
  auto found = co_await objects_.Get(resource, std::move(ns), name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return base::Err(Refuse(request, begin + found.error().message).error());
  if (*found) co_return **std::move(found);
  // A kubelet may try again: it may know of an object before this server does.
  co_return base::Err(
      Fail(begin + plural.substr(0, plural.size() - 1) + " " + Quoted(name) + " not found").error());
}

// The pod is on the node, and runs as the service account; what each is called, and which one it is.
base::Task<Verdict> NodeRestriction::AdmitCertificateRequest(Attributes request,
                                                             std::string_view node) const {
  if (request.operation != Operation::kCreate)
    co_return Refuse(request, "unexpected operation " + std::string(NameOf(request.operation)));
  if (!request.subresource.empty())
    co_return Refuse(request, "unexpected subresource " + std::string(request.subresource));
  const auto spec = api::certificates_v1beta1::PodCertificateRequestView(*request.object).spec();
  if (spec.node_name() != node)
    co_return Refuse(request, "PodCertificateRequest.Spec.NodeName=" + Quoted(spec.node_name()) +
                                  ", which is not the requesting node " + Quoted(node));
  const std::string ns(request.ns), name(spec.pod_name());
  const std::string shown = ns + "/" + name, for_pod = "PodCertificateRequest for pod " + Quoted(shown);

  const auto found_node =
      CO_TRY(co_await FindNamed(request, kNodeObjects, "", std::string(node), "node", std::string(node)));
  if (const std::string_view uid = api::MetadataOf(found_node).uid(); uid != spec.node_uid())
    co_return Fail(for_pod + " names node UID " + Quoted(spec.node_uid()) +
                   ", inconsistent with the running node (" + Quoted(uid) + ")");

  const auto found_pod = CO_TRY(co_await FindNamed(request, kPods, ns, name, "pod", shown));
  const PodView pod(found_pod);
  if (spec.pod_uid() != pod.metadata().uid())
    co_return Fail(for_pod + " contains pod UID (" + Quoted(spec.pod_uid()) +
                   ") which differs from running pod " + Quoted(pod.metadata().uid()));
  if (pod.spec().node_name() != node)
    co_return Refuse(request, "pod " + Quoted(shown) + " is not running on node " + Quoted(node) +
                                  " named in the PodCertificateRequest");
  if (api::pods::IsMirror(pod)) co_return Refuse(request, "pod " + Quoted(shown) + " is a mirror pod");

  const std::string account(spec.service_account_name());
  if (account != pod.spec().service_account_name())
    co_return Refuse(request, for_pod + " contains serviceAccountName (" + Quoted(account) +
                                  ") that differs from running pod (" +
                                  Quoted(pod.spec().service_account_name()) + ")");
  const auto found_account =
      CO_TRY(co_await FindNamed(request, kAccounts, ns, account, "service account", ns + "/" + account));
  if (const std::string_view uid = api::MetadataOf(found_account).uid(); uid != spec.service_account_uid())
    co_return Fail(for_pod + " names service account UID " + Quoted(spec.service_account_uid()) +
                   ", which differs from the running service account (" + Quoted(uid) + ")");
  co_return Verdict();
}

base::Task<base::Result<void, std::string>> NodeRestriction::CheckAudience(const Attributes& request,
                                                                           const api::Doc& pod) const {
  using Outcome = base::Result<void, std::string>;
  const auto audiences = api::authentication_v1::TokenRequestView(*request.object).spec().audiences();
  if (audiences.size() > 1) co_return base::Err(std::string("node may only request 0 or 1 audiences"));
  const std::string audience(audiences.empty() ? "" : audiences[0].string());
  const auto needed = co_await PodNeedsAudience(objects_, PodView(pod), audience);
  if (!needed) co_return base::Err("error validating audience " + Quoted(audience) + ": " + needed.error());
  if (*needed) co_return Outcome();

  // The audience stands where resources stand otherwise, so that rules can name it or allow all.
  auth::Verdict verdict;
  if (authorizer_)
    verdict = co_await authorizer_->Authorize({.user = request.user,
                                               .verb = "request-serviceaccounts-token-audience",
                                               .resource_request = true,
                                               .group = "",
                                               .version = "v1",
                                               .resource = audience,
                                               .ns = request.ns,
                                               .name = request.name,
                                               .wants_reason = false});
  if (verdict.decision == auth::Decision::kAllow) co_return Outcome();
  const std::string absent = "audience " + Quoted(audience) + " not found in pod spec volume, ";
  if (!verdict.error.empty())
    co_return base::Err(absent + "error authorizing " + request.user->name +
                        " to request tokens for this audience: " + verdict.error);
  co_return base::Err(absent + request.user->name + " is not authorized to request tokens for this audience");
}

}  // namespace keelson::admission
