#include "controllers/leader_election.h"

#include "api/generated/coordination_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::coordination_v1::LeaseEditor;
using api::coordination_v1::LeaseView;

constexpr client::Resource kLeases{"coordination.k8s.io", "leases"};

}  // namespace

LeaderElection::LeaderElection(const client::Client& client, base::Executor& loop,
                               LeaderElectionOptions options, Observer observer, const base::Clock& clock)
    : client_(client),
      loop_(loop),
      options_(std::move(options)),
      observer_(std::move(observer)),
      clock_(clock) {}

void LeaderElection::Start() { base::Spawn(Round()); }

int64_t LeaderElection::NowMicroseconds() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(clock_.Now().time_since_epoch()).count();
}

base::Task<void> LeaderElection::Round() {
  const auto turn = co_await turns_.Take();
  if (released_) co_return;
  const auto asked = clock_.SteadyNow();
  holds_ = co_await TryHold();
  if (released_) co_return;
  // An answer that took too long says nothing about now.
  if (holds_ && clock_.SteadyNow() - asked < options_.renew_deadline) {
    renewed_ = asked;  // the others count from no earlier than this
    if (!leads_) {
      leads_ = true;
      base::Log(base::LogLevel::kInfo, "this server runs the controllers",
                {{"lease", options_.name}, {"identity", options_.identity}});
      observer_.gained();
      Guard();
    }
  }
  loop_.PostAfter(options_.retry_period, [this] {
    if (!released_) base::Spawn(Round());
  });
}

void LeaderElection::Guard() {
  if (!leads_) return;
  const auto left = options_.renew_deadline - (clock_.SteadyNow() - renewed_);
  if (left <= left.zero()) return Lose();
  loop_.PostAfter(left, [this] { Guard(); });
}

void LeaderElection::Lose() {
  leads_ = false;
  base::Log(base::LogLevel::kWarning,
            "this server no longer runs the controllers: it could not renew its lease",
            {{"lease", options_.name}, {"identity", options_.identity}});
  observer_.lost();
}

base::Task<bool> LeaderElection::TryHold() {
  const auto read = co_await client_.Get(kLeases, options_.ns, options_.name, client::Fresh::kNewest);
  if (!read) co_return false;
  if (!*read) {
    api::Doc doc(LeaseView::Type());
    LeaseEditor lease(doc);
    lease.set_kind_static("Lease");
    lease.set_api_version_static("coordination.k8s.io/v1");
    lease.mutable_metadata().set_name(options_.name);
    lease.mutable_metadata().set_namespace(options_.ns);
    Hold(doc);
    const auto created = co_await client_.Create(kLeases, options_.ns, std::move(doc));
    co_return created.has_value();
  }
  bool ours = false;
  const auto updated = co_await client_.Update(kLeases, options_.ns, options_.name,
                                               [this, &ours](api::Doc& doc) { return ours = Hold(doc); });
  co_return updated.has_value() && ours;
}

bool LeaderElection::Hold(api::Doc& doc) {
  LeaseEditor lease(doc);
  auto spec = lease.mutable_spec();
  const std::string holder(spec.holder_identity());
  if (!holder.empty() && holder != options_.identity) {
    // By our own clock: that of the holder may be off.
    std::string seen = holder + " " + std::to_string(spec.renew_time());
    const auto now = clock_.SteadyNow();
    if (seen != observed_) {
      observed_ = std::move(seen);
      observed_since_ = now;
    }
    if (now - observed_since_ < std::chrono::seconds(spec.lease_duration_seconds())) return false;
  }
  const int64_t now = NowMicroseconds();
  if (holder != options_.identity) {
    if (lease.metadata().has_creation_timestamp()) spec.set_lease_transitions(spec.lease_transitions() + 1);
    spec.set_holder_identity(options_.identity);
    spec.set_acquire_time(now);
  }
  spec.set_lease_duration_seconds(static_cast<int32_t>(options_.lease_duration.count()));
  spec.set_renew_time(now);
  return true;
}

base::Task<void> LeaderElection::Release() {
  released_ = true;
  if (std::exchange(leads_, false))
    base::Log(base::LogLevel::kInfo, "this server no longer runs the controllers",
              {{"lease", options_.name}, {"identity", options_.identity}});
  const auto turn = co_await turns_.Take();  // an attempt under way may yet take the lease
  if (!holds_) co_return;
  const auto updated = co_await client_.Update(kLeases, options_.ns, options_.name, [this](api::Doc& doc) {
    auto spec = LeaseEditor(doc).mutable_spec();
    if (spec.holder_identity() != options_.identity) return false;
    spec.set_holder_identity_static("");
    spec.set_lease_duration_seconds(1);
    spec.set_renew_time(NowMicroseconds());
    return true;
  });
  if (!updated)
    base::Log(base::LogLevel::kWarning, "cannot give back the lease of the controllers",
              {{"lease", options_.name}, {"why", updated.error().message}});
}

}  // namespace keelson::controllers
