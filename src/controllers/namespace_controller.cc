#include "controllers/namespace_controller.h"

#include <utility>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "client/object.h"
#include "controllers/namespace_conditions.h"

namespace keelson::controllers {
namespace {

constexpr client::Resource kNamespaces{"", "namespaces"};
constexpr std::string_view kNamespaceFinalizer = "kubernetes";
constexpr std::string_view kPhaseTerminating = "Terminating";
// Nearly all of the time of one is spent waiting for the store.
constexpr size_t kParallelNamespaces = 1024;

bool RemoveNamespaceFinalizer(api::Doc& doc) {
  api::ListNode& finalizers = api::core_v1::NamespaceEditor(doc).mutable_spec().mutable_finalizers();
  for (size_t i = finalizers.size; i-- > 0;)
    if (finalizers.data[i].string() == kNamespaceFinalizer) finalizers.Erase(i);
  return true;
}

}  // namespace

NamespaceController::NamespaceController(const client::Client& client, base::Executor& loop,
                                         std::chrono::nanoseconds grace, const base::Clock& clock,
                                         const RemoteResources* remote)
    : client_(client),
      loop_(loop),
      grace_(grace),
      clock_(clock),
      namespaces_(client, kNamespaces, loop),
      phase_(client::FieldIndex(*namespaces_.source()->desc, "status.phase")),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); },
             {.parallel = kParallelNamespaces,
              .first_retry = kFirstRetry,
              .max_retry = kMaxRetry,
              .again_at_once = true}),
      content_(client, loop, [this](std::string name) { queue_.Add(std::move(name)); }, remote) {}

void NamespaceController::Start() {
  active_ = true;
  queue_.Start();
  namespaces_.Start([this](const client::Change& change) {
    if (!change.gone && change.object.field(phase_) == kPhaseTerminating)
      queue_.Add(std::string(change.object.name()));
  });
}

void NamespaceController::Stop() {
  active_ = false;
  namespaces_.Stop();
  queue_.Stop();
  content_.Forget();
  graces_.clear();
}

base::Task<bool> NamespaceController::Sync(std::string name) {
  if (!co_await GraceIsOver(name)) {
    LookLater(name);
    co_return true;
  }
  const bool done = co_await TryOnce(name);
  // Seen once more it is gone, or was made and deleted anew under the same name.
  if (done || !active_) {
    graces_.erase(name);
    content_.Forget(name);
  }
  co_return done;
}

base::Task<bool> NamespaceController::GraceIsOver(const std::string& name) {
  if (grace_.count() == 0 || graces_[name].over) co_return true;
  const auto stir = co_await content_.LookForChanges(name);
  const auto now = clock_.SteadyNow();
  Grace& grace = graces_[name];
  if (!grace.began || stir == NamespaceContent::Stir::kBusy) grace.stirred = now;
  if (!grace.began) grace.began = now;
  grace.over =
      stir == NamespaceContent::Stir::kEmpty || now - grace.stirred >= kQuiet || now - *grace.began >= grace_;
  co_return grace.over;
}

void NamespaceController::LookLater(const std::string& name) {
  if (!active_) {
    graces_.erase(name);
    content_.Forget(name);
    return;
  }
  if (std::exchange(graces_[name].looking, true)) return;
  loop_.PostAfter(kLook, [this, name] {
    const auto found = graces_.find(name);
    if (found == graces_.end()) return;
    found->second.looking = false;
    queue_.Add(name);
  });
}

base::Task<bool> NamespaceController::TryOnce(const std::string& name) {
  const auto terminating = co_await IsTerminating(name);
  if (!terminating) co_return false;
  if (!*terminating) co_return true;
  const NamespaceRemains remains = co_await content_.Delete(name);
  for (const std::string& failure : remains.failures)
    base::Log(base::LogLevel::kWarning, "cannot empty namespace", {{"namespace", name}, {"why", failure}});
  co_await TellWhatRemains(name, remains);
  if (!remains.empty()) co_return false;

  const auto finalized = co_await Finalize(name);
  if (finalized || finalized.error().code == 404) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot finalize namespace",
            {{"namespace", name}, {"why", finalized.error().message}});
  co_return false;
}

base::Task<client::Result<bool>> NamespaceController::IsTerminating(const std::string& name) {
  const auto found = CO_TRY(co_await client_.GetObject(kNamespaces, "", name, client::Fresh::kNewest));
  co_return found && found->field(phase_) == kPhaseTerminating;
}

// Also when nothing does: somebody else's finalizer may hold the namespace itself.
base::Task<void> NamespaceController::TellWhatRemains(const std::string& name,
                                                      const NamespaceRemains& remains) {
  const int64_t now = api::NowSeconds(clock_);
  const auto edited =
      co_await client_.Update(kNamespaces.Sub("status"), "", name, [&remains, now](api::Doc& doc) {
        return SetContentConditions(api::core_v1::NamespaceEditor(doc).mutable_status(), remains, now);
      });
  if (!edited && edited.error().code != 404)
    base::Log(base::LogLevel::kWarning, "cannot tell what remains in namespace",
              {{"namespace", name}, {"why", edited.error().message}});
}

base::Task<client::Result<void>> NamespaceController::Finalize(const std::string& name) {
  CO_TRY(co_await client_.Update(kNamespaces.Sub("finalize"), "", name, RemoveNamespaceFinalizer));
  // Without finalizers a delete is the last step; an object that is gone is as good.
  auto deleted = co_await client_.Delete(kNamespaces, "", name);
  if (!deleted && deleted.error().code == 404) co_return client::Result<void>();
  co_return deleted;
}

}  // namespace keelson::controllers
