#include "storage/cacher/scope.h"

#include <algorithm>

namespace keelson::storage {

Scope MakeScope(const WatchCache& cache, std::string_view ns, const Selection& selection) {
  Scope scope;
  if (ns.empty()) ns = selection.exact_namespace();
  if (!cache.namespaced()) ns = {};
  const std::string_view name = selection.exact_name();
  if (!ns.empty()) {
    scope.from.append(ns).append("/");
    scope.until.assign(ns).append("0");  // '0' follows '/'
    scope.trigger = NamespaceTrigger(ns);
  }
  if (!name.empty() && (!ns.empty() || !cache.namespaced())) {
    scope.from.append(name);
    scope.until.assign(scope.from).push_back('\0');
    scope.trigger = ObjectTrigger(cache.factory().prefix() + "/" + scope.from);
    return scope;
  }
  for (size_t i = 0; i < cache.trigger_fields().size(); ++i) {
    auto value = selection.exact_field(cache.trigger_fields()[i]);
    if (!value) continue;
    scope.index = static_cast<int>(i);
    scope.value = *value;
    scope.trigger = FieldTrigger(cache.trigger_fields()[i], *value);
    break;
  }
  return scope;
}

ScopeCursor::ScopeCursor(SnapshotMap map, const Scope& scope, std::string_view from)
    : map_(std::move(map)),
      cursor_(map_, scope.At(from)),
      left_(map_.CountBefore(scope.At(scope.until)) -
            std::min(map_.CountBefore(scope.At(from)), map_.CountBefore(scope.At(scope.until)))) {}

std::span<const ObjectPtr> ScopeCursor::run() const {
  auto run = cursor_.run();
  return run.first(std::min(run.size(), left_));
}

void ScopeCursor::Advance(size_t n) {
  cursor_.Advance(n);
  left_ -= n;
}

}  // namespace keelson::storage
