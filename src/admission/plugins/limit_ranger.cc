#include "admission/plugins/limit_ranger.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/pod_resources.h"

namespace keelson::admission {
namespace {

using api::Quantity;
using api::core::ResourceAmounts;
using api::core::ResourceSide;
using api::core_v1::LimitRangeItemView;
using api::core_v1::LimitRangeView;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

// Containers do not change after creation, but by a resize.
bool Handles(const Attributes& request) {
  if (request.operation == Operation::kDelete || !request.object) return false;
  if (request.old_object && api::MetadataOf(*request.old_object).has_deletion_timestamp()) return false;
  const bool creates = request.operation == Operation::kCreate;
  if (!Is(*request.resource, "", kPods)) return true;
  return request.subresource == "resize" ? !creates : creates;
}

// --- defaults

// What limits give by default; a later one counts.
ResourceAmounts Defaults(LimitRangeView range, api::MapView (LimitRangeItemView::*side)() const) {
  ResourceAmounts amounts;
  for (const auto limit : range.spec().limits())
    if (limit.type() == "Container")
      for (const auto& [name, amount] : (limit.*side)())
        amounts[name] = Quantity::Parse(amount.string()).value_or(Quantity());
  return amounts;
}

// Adds what `given` lacks by `put`; the names of what was added.
std::string Complete(api::MapView given, const ResourceAmounts& defaults, auto put) {
  std::string added;
  for (const auto& [name, amount] : defaults) {
    if (given.Find(name)) continue;
    added.append(added.empty() ? "" : ", ").append(name);
    put(name, amount.ToString());
  }
  return added;
}

void CompleteContainer(api::core_v1::ContainerEditor container, LimitRangeView range, std::string_view kind,
                       std::string& note) {
  const auto tell = [&](const std::string& added, std::string_view side) {
    if (added.empty()) return;
    note.append(note.empty() ? "LimitRanger plugin set: " : "; ").append(added).append(" ").append(side);
    note.append(" for ").append(kind).append(" ").append(container.name());
  };
  const ResourceAmounts requests = Defaults(range, &LimitRangeItemView::default_request);
  const ResourceAmounts limits = Defaults(range, &LimitRangeItemView::default_);
  if (requests.empty() && limits.empty()) return;
  auto resources = container.mutable_resources();
  tell(Complete(resources.requests(), requests,
                [&](std::string_view name, const std::string& v) { resources.put_requests(name, v); }),
       "request");
  tell(Complete(resources.limits(), limits,
                [&](std::string_view name, const std::string& v) { resources.put_limits(name, v); }),
       "limit");
}

void CompletePod(api::core_v1::PodEditor pod, LimitRangeView range) {
  std::string note;
  auto spec = pod.mutable_spec();
  for (auto container : spec.edit_containers()) CompleteContainer(container, range, "container", note);
  for (auto container : spec.edit_init_containers())
    CompleteContainer(container, range, "init container", note);
  if (!note.empty()) pod.mutable_metadata().put_annotations(kAnnotation, note);
}

// --- bounds

// Amounts as numbers that can be compared: thousandths where all of them fit.
struct Comparable {
  int64_t request, limit, bound;
};
constexpr int64_t kMaxMilli = std::numeric_limits<int64_t>::max() / 1000;

Comparable Compared(const Quantity& request, const Quantity& limit, const Quantity& bound) {
  const Comparable whole{request.Value(), limit.Value(), bound.Value()};
  if (whole.request > kMaxMilli || whole.limit > kMaxMilli || whole.bound > kMaxMilli) return whole;
  return {request.MilliValue(), limit.MilliValue(), bound.MilliValue()};
}

// What something asks for and may use, against one entry of a limit.
class Bounds {
 public:
  Bounds(LimitRangeItemView limit, ResourceAmounts requests, ResourceAmounts limits,
         std::vector<std::string>& errors)
      : limit_(limit), requests_(std::move(requests)), limits_(std::move(limits)), errors_(errors) {}

  void CheckAll() {
    CheckMin();
    for (const auto& [name, bound] : limit_.max()) CheckMax(name, Parsed(bound));
    for (const auto& [name, bound] : limit_.max_limit_request_ratio()) CheckRatio(name, Parsed(bound));
  }
  void CheckMin() {
    for (const auto& [name, bound] : limit_.min()) CheckMin(name, Parsed(bound));
  }
  // Where limits mean nothing.
  void CheckMaxRequest() {
    for (const auto& [name, amount] : limit_.max()) {
      const Quantity bound = Parsed(amount);
      const auto request = Find(requests_, name);
      if (!request) {
        Fail("maximum ", name, bound, ".  No request is specified");
      } else if (const auto c = Compared(*request, {}, bound); c.request > c.bound) {
        Fail("maximum ", name, bound, ", but request is " + request->ToString());
      }
    }
  }

 private:
  static Quantity Parsed(const api::Value& v) { return Quantity::Parse(v.string()).value_or(Quantity()); }
  static std::optional<Quantity> Find(const ResourceAmounts& amounts, std::string_view name) {
    const auto it = amounts.find(name);
    return it == amounts.end() ? std::nullopt : std::optional(it->second);
  }

  void Fail(std::string_view which, std::string_view name, const Quantity& bound, std::string_view why) {
    std::string error(which);
    error.append(name).append(" usage per ").append(limit_.type()).append(" is ").append(bound.ToString());
    errors_.push_back(error.append(why));
  }

  void CheckMin(std::string_view name, const Quantity& bound) {
    const auto request = Find(requests_, name), limit = Find(limits_, name);
    const auto c = Compared(request.value_or(Quantity()), limit.value_or(Quantity()), bound);
    if (!request) {
      Fail("minimum ", name, bound, ".  No request is specified");
    } else if (c.request < c.bound) {
      Fail("minimum ", name, bound, ", but request is " + request->ToString());
    } else if (limit && c.limit < c.bound) {
      Fail("minimum ", name, bound, ", but limit is " + limit->ToString());
    }
  }

  void CheckMax(std::string_view name, const Quantity& bound) {
    const auto request = Find(requests_, name), limit = Find(limits_, name);
    const auto c = Compared(request.value_or(Quantity()), limit.value_or(Quantity()), bound);
    if (!limit) {
      Fail("maximum ", name, bound, ".  No limit is specified");
    } else if (c.limit > c.bound) {
      Fail("maximum ", name, bound, ", but limit is " + limit->ToString());
    } else if (request && c.request > c.bound) {
      Fail("maximum ", name, bound, ", but request is " + request->ToString());
    }
  }

  void CheckRatio(std::string_view name, const Quantity& bound) {
    const auto request = Find(requests_, name), limit = Find(limits_, name);
    const auto c = Compared(request.value_or(Quantity()), limit.value_or(Quantity()), bound);
    std::string error = std::string(name) + " max limit to request ratio per ";
    error.append(limit_.type()).append(" is ").append(bound.ToString()).append(", but ");
    if (c.request == 0) {
      errors_.push_back(error + "no request is specified or request is 0");
    } else if (c.limit == 0) {
      errors_.push_back(error + "no limit is specified or limit is 0");
    } else {
      const double ratio = static_cast<double>(c.limit) / static_cast<double>(c.request);
      const bool fine = bound.Value() <= kMaxMilli;
      const double most = static_cast<double>(fine ? bound.MilliValue() : bound.Value());
      if ((fine ? ratio * 1000 : ratio) <= most) return;
      char text[64];
      std::snprintf(text, sizeof text, "provided ratio is %f", ratio);
      errors_.push_back(error + text);
    }
  }

  const LimitRangeItemView limit_;
  const ResourceAmounts requests_, limits_;
  std::vector<std::string>& errors_;
};

ResourceAmounts ReadAmounts(api::MapView amounts) {
  ResourceAmounts read;
  for (const auto& [name, amount] : amounts)
    read[name] = Quantity::Parse(amount.string()).value_or(Quantity());
  return read;
}

// What is given for the pod as a whole replaces what its containers add up to.
ResourceAmounts OfPod(api::core_v1::PodSpecView spec, ResourceSide side) {
  ResourceAmounts amounts = api::core::AggregateContainers(spec, side);
  const auto whole =
      side == ResourceSide::kRequests ? spec.resources().requests() : spec.resources().limits();
  for (const auto& [name, amount] : ReadAmounts(whole))
    if (name == "cpu" || name == "memory") amounts[name] = amount;
  return amounts;
}

void CheckPod(api::core_v1::PodSpecView spec, LimitRangeItemView limit, std::vector<std::string>& errors) {
  if (limit.type() == "Container") {
    for (const auto& containers : {spec.containers(), spec.init_containers()})
      for (const auto container : containers)
        Bounds(limit, ReadAmounts(container.resources().requests()),
               ReadAmounts(container.resources().limits()), errors)
            .CheckAll();
  } else if (limit.type() == "Pod") {
    Bounds(limit, OfPod(spec, ResourceSide::kRequests), OfPod(spec, ResourceSide::kLimits), errors)
        .CheckAll();
  }
}

void CheckClaim(api::core_v1::PersistentVolumeClaimSpecView spec, LimitRangeItemView limit,
                std::vector<std::string>& errors) {
  if (limit.type() != "PersistentVolumeClaim") return;
  Bounds bounds(limit, ReadAmounts(spec.resources().requests()), {}, errors);
  bounds.CheckMin();
  bounds.CheckMaxRequest();
}

// All of them, each once.
std::string Together(const std::vector<std::string>& errors) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> distinct;
  for (const std::string& error : errors)
    if (seen.insert(error).second) distinct.push_back(error);
  if (distinct.size() == 1) return std::string(distinct.front());
  std::string text = "[";
  for (const std::string_view error : distinct) text.append(text.size() > 1 ? ", " : "").append(error);
  return text + "]";
}

}  // namespace

Concern LimitRanger::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  const bool pods = Is(resource, "", kPods) && (subresource.empty() || subresource == "resize");
  return {.mutates = pods, .validates = pods || Is(resource, subresource, kClaims)};
}

base::Task<Verdict> LimitRanger::Mutate(Attributes request) const {
  if (!Handles(request)) co_return Verdict();
  const auto ranges = CO_TRY(co_await objects_.List({"", "limitranges"}, std::string(request.ns)));
  for (const api::Doc& range : *ranges)
    CompletePod(api::core_v1::PodEditor(*request.object), LimitRangeView(range));
  co_return Verdict();
}

base::Task<Verdict> LimitRanger::Validate(Attributes request) const {
  if (!Handles(request)) co_return Verdict();
  const auto ranges = CO_TRY(co_await objects_.List({"", "limitranges"}, std::string(request.ns)));
  const bool pod = Is(*request.resource, "", kPods);
  for (const api::Doc& range : *ranges) {
    std::vector<std::string> errors;
    for (const auto limit : LimitRangeView(range).spec().limits()) {
      if (pod) {
        CheckPod(api::core_v1::PodView(*request.object).spec(), limit, errors);
      } else {
        CheckClaim(api::core_v1::PersistentVolumeClaimView(*request.object).spec(), limit, errors);
      }
    }
    if (!errors.empty()) co_return Refuse(request, Together(errors));
  }
  co_return Verdict();
}

}  // namespace keelson::admission
