#include "auth/authz/node/graph_informers.h"

#include "api/codec/protobuf.h"
#include "api/generated/certificates_v1beta1.h"
#include "api/generated/core_v1.h"
#include "api/generated/resource_v1.h"
#include "api/generated/storage_v1.h"
#include "auth/authz/node/references.h"

namespace keelson::auth::node {
namespace {

using client::Change;

ObjectName NameIn(const Change& change, Kind kind) {
  return {kind, std::string(change.object.ns()), std::string(change.object.name())};
}

constexpr uint32_t kSpec = 2, kStatus = 3;  // of a Pod

bool IsBound(const client::Object& pod) {
  constexpr uint32_t kNodeName = 10;
  const auto node = api::protobuf::FindBytes(pod.message(), {kSpec, kNodeName});
  return node && !node->empty();
}

// Whether the pod refers to the same objects as before, as most changes of pods are of their status. False:
// that would have to be looked at.
bool RefersAsBefore(const Change& change) {
  const client::Object* const was = change.previous;
  if (!was || change.added || change.gone || was->uid() != change.object.uid()) return false;
  constexpr uint32_t kClaimStatuses = 15, kExtendedClaim = 18;
  const auto equal = [&](std::initializer_list<uint32_t> path) {
    return api::protobuf::FindBytes(change.object.message(), path) ==
           api::protobuf::FindBytes(was->message(), path);
  };
  const auto absent = [&](std::initializer_list<uint32_t> path) {
    return !api::protobuf::FindBytes(change.object.message(), path) &&
           !api::protobuf::FindBytes(was->message(), path);
  };
  return equal({kSpec}) && absent({kStatus, kClaimStatuses}) && absent({kStatus, kExtendedClaim});
}

void SeePod(const Change& change, Graph& graph) {
  if (RefersAsBefore(change)) return;
  using View = api::core_v1::PodView;
  // A pod that waits for a node relates nothing, and need not be decoded.
  std::optional<api::Doc> doc;
  if (IsBound(change.object)) doc = DecodedChange(change, View::Type());
  if (!doc) return graph.Remove(NameIn(change, Kind::kPod));
  const View pod(*doc);
  graph.Put(pod.spec().node_name(), ReferencesOf(pod));
}

void SeeVolume(const Change& change, Graph& graph) {
  using View = api::core_v1::PersistentVolumeView;
  const auto doc = DecodedChange(change, View::Type());
  const std::string name(change.object.name());
  if (!doc) return graph.RemoveVolume(name);
  const View volume(*doc);
  const auto claim = volume.spec().claim_ref();
  if (!claim) return graph.PutVolume(name, {}, {});
  graph.PutVolume(name, {Kind::kClaim, std::string(claim.namespace_()), std::string(claim.name())},
                  SecretsOf(volume));
}

// What lies on one node.
template <class View, Kind kind>
void SeePlaced(const Change& change, Graph& graph) {
  const auto doc = DecodedChange(change, View::Type());
  const ObjectName name = NameIn(change, kind);
  if (!doc || View(*doc).spec().node_name().empty()) return graph.Remove(name);
  graph.Put(View(*doc).spec().node_name(), {name});
}

using SeeNeighbour = void (*)(const Change&, Graph&);

}  // namespace

GraphInformers::GraphInformers(const client::Client& client, Graph& graph, base::Executor& loop)
    : IndexInformers(loop) {
  const auto add = [&](client::Resource resource, Kind kind, SeeNeighbour see) {
    Add(client, resource,
        {.changed = [&graph, see](const Change& change) { see(change, graph); },
         .relisting = [&graph, kind](bool) { graph.StartRelist(kind); },
         .told_all =
             [&graph, kind] {
               graph.FinishRelist(kind);
               graph.Publish();
             }});
  };
  add({"", "pods"}, Kind::kPod, SeePod);
  add({"", "persistentvolumes"}, Kind::kVolume, SeeVolume);
  add({"storage.k8s.io", "volumeattachments"}, Kind::kAttachment,
      SeePlaced<api::storage_v1::VolumeAttachmentView, Kind::kAttachment>);
  add({"resource.k8s.io", "resourceslices"}, Kind::kSlice,
      SeePlaced<api::resource_v1::ResourceSliceView, Kind::kSlice>);
  if (constexpr client::Resource kRequests{"certificates.k8s.io", "podcertificaterequests"};
      client.Find(kRequests))
    add(kRequests, Kind::kCertificateRequest,
        SeePlaced<api::certificates_v1beta1::PodCertificateRequestView, Kind::kCertificateRequest>);
}

}  // namespace keelson::auth::node
