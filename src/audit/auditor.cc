#include "audit/auditor.h"

#include <algorithm>

namespace keelson::audit {

Auditor::Auditor(Policy policy, std::vector<std::unique_ptr<Sink>> sinks, base::Metrics& metrics,
                 const base::Clock& clock)
    : policy_(std::move(policy)),
      sinks_(std::move(sinks)),
      clock_(clock),
      events_(metrics.GetCounter("apiserver_audit_event_total",
                                 "Counter of audit events generated and sent to the audit backend.")),
      rejected_(metrics.GetCounter(
          "apiserver_audit_requests_rejected_total",
          "Counter of apiserver requests rejected due to an error in audit logging backend.")) {
  strict_ =
      std::ranges::any_of(sinks_, [](const auto& sink) { return sink->mode() == Mode::kBlockingStrict; });
  for (size_t i = 0; i < levels_.size(); ++i)
    levels_[i] = &metrics.GetCounter("apiserver_audit_level_total",
                                     "Counter of policy levels for audit events (1 per request).",
                                     {{"level", std::string(kLevelNames[i])}});
}

Decision Auditor::Decide(const auth::Attributes& request) {
  const Decision decision = policy_.Evaluate(request);
  levels_[std::to_underlying(decision.level)]->Add();
  return decision;
}

void Auditor::Tell(Event& event, Stage stage) {
  if (event.decision.omitted.Has(stage)) return;
  events_.Add();
  Telling telling(event, stage, stage == Stage::kRequestReceived ? event.received : clock_.Now());
  for (const auto& sink : sinks_)
    if (auto kept = sink->Take(telling))
      event.owed.push_back({*std::move(kept), sink->mode() == Mode::kBlockingStrict});
}

base::Task<bool> Auditor::Settled(Event& event) {
  bool settled = true;
  for (const Owed& owed : std::exchange(event.owed, {}))
    settled = (co_await owed.kept || !owed.strict) && settled;
  co_return settled;
}

void Auditor::End() {
  for (const auto& sink : sinks_) sink->End();
}

}  // namespace keelson::audit
