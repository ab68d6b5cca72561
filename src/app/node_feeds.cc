#include "app/node_feeds.h"

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/generated/resource_v1.h"
#include "api/generated/storage_v1.h"
#include "app/decoded_event.h"

namespace keelson::app {
namespace {

using auth::node::Graph;
using auth::node::Kind;
using auth::node::ObjectName;
using registry::rest::WatchEvent;

ObjectName NameIn(const WatchEvent& event, Kind kind) {
  return {kind, std::string(event.object->ns()), std::string(event.object->name())};
}

// Whether the pod refers to the same objects as before, as most changes of pods are of their status. False:
// that would have to be looked at.
bool RefersAsBefore(const WatchEvent& event) {
  const auto* const was = event.shared ? event.shared->previous.get() : nullptr;
  if (!was || event.type != registry::rest::EventType::kModified || was->uid() != event.object->uid())
    return false;
  constexpr uint32_t kSpec = 2, kStatus = 3, kClaimStatuses = 15, kExtendedClaim = 18;
  const auto equal = [&](std::initializer_list<uint32_t> path) {
    return api::protobuf::FindBytes(event.object->message(), path) ==
           api::protobuf::FindBytes(was->message(), path);
  };
  const auto absent = [&](std::initializer_list<uint32_t> path) {
    return !api::protobuf::FindBytes(event.object->message(), path) &&
           !api::protobuf::FindBytes(was->message(), path);
  };
  return equal({kSpec}) && absent({kStatus, kClaimStatuses}) && absent({kStatus, kExtendedClaim});
}

void SeePod(const WatchEvent& event, Graph& graph) {
  if (RefersAsBefore(event)) return;
  using View = api::core_v1::PodView;
  const auto doc = DecodedEvent(event, View::Type());
  const ObjectName name = NameIn(event, Kind::kPod);
  if (!doc) return graph.Remove(name);
  const View pod(*doc);
  graph.Put(name, std::string(pod.spec().node_name()), auth::node::ReferencesOf(pod));
}

void SeeVolume(const WatchEvent& event, Graph& graph) {
  using View = api::core_v1::PersistentVolumeView;
  const auto doc = DecodedEvent(event, View::Type());
  const std::string name(event.object->name());
  if (!doc) return graph.RemoveVolume(name);
  const View volume(*doc);
  const auto claim = volume.spec().claim_ref();
  if (!claim) return graph.PutVolume(name, {}, {});
  graph.PutVolume(name, {Kind::kClaim, std::string(claim.namespace_()), std::string(claim.name())},
                  auth::node::SecretsOf(volume));
}

// What lies on one node.
template <class View, Kind kind>
void SeePlaced(const WatchEvent& event, Graph& graph) {
  const auto doc = DecodedEvent(event, View::Type());
  const ObjectName name = NameIn(event, kind);
  if (!doc) return graph.Remove(name);
  graph.Put(name, std::string(View(*doc).spec().node_name()), {name});
}

using SeeFn = void (*)(const WatchEvent&, Graph&);

}  // namespace

NodeFeeds::NodeFeeds(const Resources& resources, Graph& graph, base::Executor& loop) : IndexFeeds(loop) {
  const auto add = [&](api::GroupResource resource, Kind kind, SeeFn see) {
    Add(*resources.Find(resource), {.see = [&graph, see](const WatchEvent& event) { see(event, graph); },
                                    .relisting = [&graph, kind] { graph.StartRelist(kind); },
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
}

}  // namespace keelson::app
