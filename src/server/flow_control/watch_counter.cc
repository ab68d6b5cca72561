#include "server/flow_control/watch_counter.h"

#include <algorithm>

#include "endpoints/request_attributes.h"

namespace keelson::server::flow_control {
namespace {

std::string KeyOf(const endpoints::RequestInfo& info, std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(info.group.size() + info.resource.size() + ns.size() + name.size() + 3);
  key.append(info.group)
      .append(1, '/')
      .append(info.resource)
      .append(1, '/')
      .append(ns)
      .append(1, '/')
      .append(name);
  return key;
}

// Whether a watch asks for the pods of one node.
bool IsOfOneNode(const endpoints::RequestInfo& info, std::string_view query) {
  if (info.resource != "pods") return false;
  const endpoints::RequestAttributes attributes(info, query, nullptr);
  const api::SelectorRequirements* const fields = (*attributes).field_selector;
  if (!fields) return false;
  return std::ranges::any_of(fields->requirements, [](const api::SelectorRequirement& r) {
    return r.key == "spec.nodeName" && r.op == api::SelectorOperator::kIn && r.values.size() == 1 &&
           !r.values.front().empty();
  });
}

}  // namespace

WatchCounter::Counted WatchCounter::Add(const endpoints::RequestInfo& info, std::string_view query) {
  if (IsOfOneNode(info, query)) return {};
  Counted counted(*this, KeyOf(info, info.ns, info.name));
  base::MutexLock lock(mu_);
  ++watches_[counted.key_];
  return counted;
}

void WatchCounter::Forget(const std::string& key) {
  base::MutexLock lock(mu_);
  const auto it = watches_.find(key);
  if (--it->second == 0) watches_.erase(it);
}

int64_t WatchCounter::CountFor(const endpoints::RequestInfo& info) const {
  const std::string all = KeyOf(info, "", ""), in_namespace = KeyOf(info, info.ns, ""),
                    object = KeyOf(info, info.ns, info.name);
  base::MutexLock lock(mu_);
  const auto count = [&](const std::string& key) {
    mu_.AssertHeld();
    const auto it = watches_.find(key);
    return it == watches_.end() ? 0 : it->second;
  };
  int64_t watches = count(all);
  if (!info.ns.empty()) watches += count(in_namespace);
  if (!info.name.empty()) watches += count(object);
  return watches;
}

}  // namespace keelson::server::flow_control
