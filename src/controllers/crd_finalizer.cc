#include "controllers/crd_finalizer.h"

#include "api/generated/apiextensions_v1.h"
#include "api/meta/object_meta.h"
#include "client/object.h"
#include "controllers/conditions.h"
#include "controllers/crd_conditions.h"

namespace keelson::controllers {
namespace {

using namespace api::apiextensions_v1;

constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

bool NeedsCleanup(CustomResourceDefinitionView definition) {
  return definition.metadata().has_deletion_timestamp() && api::HasFinalizer(definition.metadata(), kCleanup);
}

// Resources of this server that are kept where a definition's would be.
bool IsBuiltIn(CustomResourceDefinitionView definition) {
  const std::string_view group = definition.spec().group(), plural = definition.spec().names().plural();
  return (group == "apiregistration.k8s.io" && plural == "apiservices") ||
         (group == "apiextensions.k8s.io" && plural == "customresourcedefinitions");
}

void RemoveFinalizer(api::Doc& doc) {
  api::ListNode& finalizers = api::MutableMetadataOf(doc).mutable_finalizers();
  for (size_t i = finalizers.size; i-- > 0;)
    if (finalizers.items()[i].string() == kCleanup) finalizers.Erase(i);
}

}  // namespace

struct CrdFinalizer::Progress {
  std::string_view status, reason;
  std::string message;
};

CrdFinalizer::CrdFinalizer(const client::Client& client, base::Executor& loop, const base::Clock& clock)
    : client_(client),
      clock_(clock),
      definitions_(client, kDefinitions, loop),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); }) {}

void CrdFinalizer::Start() {
  queue_.Start();
  definitions_.Start([this](const client::Change& change) {
    if (!change.gone && client::DeletionTime(change.object) != 0)
      queue_.Add(std::string(change.object.name()));
  });
}

void CrdFinalizer::Stop() {
  definitions_.Stop();
  queue_.Stop();
}

base::Task<bool> CrdFinalizer::Tell(const std::string& name, Progress progress, bool finish) {
  const auto updated = co_await client_.Update(kDefinitions.Sub("status"), "", name, [&](api::Doc& doc) {
    CustomResourceDefinitionEditor definition(doc);
    if (!NeedsCleanup(definition)) return false;
    SetCondition(definition.mutable_status(),
                 {kTerminating, progress.status, progress.reason, progress.message}, api::NowSeconds(clock_));
    if (finish) RemoveFinalizer(doc);
    return true;
  });
  co_return updated || updated.error().code == 404;
}

base::Task<client::Result<int64_t>> CrdFinalizer::DeleteObjects(std::string definition,
                                                                client::SourcePtr source) {
  if (!source)
    co_return base::Err(api::InternalError("unable to find a custom resource client for " + definition));
  CO_TRY(co_await client_.DeleteAll(source->resource(), "", client::Propagation::kDefault));
  const auto left = CO_TRY(co_await client_.ListObjects(source->resource(), {}));
  co_return static_cast<int64_t>(left.items.size());
}

base::Task<bool> CrdFinalizer::Sync(std::string name) {
  const auto found = co_await client_.GetObject(kDefinitions, "", name, client::Fresh::kNewest);
  if (!found) co_return false;
  if (!*found) co_return true;
  const auto outline = client::DecodeOutline(**found);
  if (!outline) co_return false;
  const CustomResourceDefinitionView definition(*outline);
  if (!NeedsCleanup(definition)) co_return true;
  Progress progress{"False", "NeverEstablished", "resource was never established"};
  if (IsBuiltIn(definition)) {
    progress = {"False", "OverlappingBuiltInResource",
                "instances overlap with built-in resources in storage"};
  } else if (FindCondition(definition.status(), kEstablished).status() == "True") {
    // Told once: every word is a change that brings us here again.
    if (FindCondition(definition.status(), kTerminating).reason() != "InstanceDeletionFailed") {
      if (!co_await Tell(
              name, {"True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"}, false))
        co_return false;
    }
    const auto left = co_await DeleteObjects(
        name, client_.Find({definition.spec().group(), definition.spec().names().plural()}));
    if (!left) {
      progress = {"True", "InstanceDeletionFailed", "could not issue all deletes: " + left.error().message};
      co_await Tell(name, std::move(progress), false);
      co_return false;
    }
    if (*left > 0) co_return false;  // something holds them: is looked at again
    progress = {"False", "InstanceDeletionCompleted", "removed all instances"};
  }
  co_return co_await Tell(name, std::move(progress), true);
}

}  // namespace keelson::controllers
