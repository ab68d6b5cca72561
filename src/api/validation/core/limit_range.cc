#include "api/validation/core/limit_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "api/codec/quantity.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr std::string_view kPod = "Pod", kContainer = "Container",
                           kPersistentVolumeClaim = "PersistentVolumeClaim";

ErrorList ValidateType(std::string_view type, const Path& path) {
  ErrorList errors;
  errors.AddInvalid(path, type, IsQualifiedName(type));
  const bool standard = type == kPod || type == kContainer || type == kPersistentVolumeClaim;
  if (errors.empty() && !standard && type.find('/') == type.npos) {
    errors.Add(field::Invalid(path, RenderValue(type), "must be a standard limit type or fully qualified"));
  }
  return errors;
}

std::optional<Quantity> QuantityIn(MapView list, std::string_view resource) {
  const Value* value = list.Find(resource);
  if (!value) return std::nullopt;
  const auto quantity = Quantity::Parse(value->string());
  return quantity ? std::optional(*quantity) : std::nullopt;
}

// As Go prints %f.
std::string RenderFloat(double d) {
  if (std::isinf(d)) return d > 0 ? "+Inf" : "-Inf";
  if (std::isnan(d)) return "NaN";
  return std::to_string(d);
}

// The limits that one item sets for one resource, against each other.
class ResourceLimits {
 public:
  ResourceLimits(core_v1::LimitRangeItemView item, std::string_view resource, const Path& path,
                 ErrorList& errors)
      : resource_(resource),
        path_(path),
        errors_(errors),
        min_(QuantityIn(item.min(), resource)),
        max_(QuantityIn(item.max(), resource)),
        ratio_(QuantityIn(item.max_limit_request_ratio(), resource)) {
    if (item.type() != kPod) {  // which has no defaults
      default_ = QuantityIn(item.default_(), resource);
      default_request_ = QuantityIn(item.default_request(), resource);
    }
  }

  void Validate() {
    ExpectOrder("min", min_, "min value ", min_, " is greater than max value ", max_);
    ExpectOrder("defaultRequest", default_request_, "min value ", min_,
                " is greater than default request value ", default_request_);
    ExpectOrder("defaultRequest", default_request_, "default request value ", default_request_,
                " is greater than max value ", max_);
    ExpectOrder("defaultRequest", default_request_, "default request value ", default_request_,
                " is greater than default limit value ", default_);
    ExpectOrder("default", min_, "min value ", min_, " is greater than default value ", default_);
    ExpectOrder("default", max_, "default value ", default_, " is greater than max value ", max_);
    if (ratio_) ValidateRatio();
    if (!IsOvercommitAllowed(resource_) && default_ && default_request_ && *default_ != *default_request_) {
      Refuse("defaultRequest", *default_request_,
             "default value " + default_->ToString() + " must equal to defaultRequest value " +
                 default_request_->ToString() + " in " + std::string(resource_));
    }
  }

 private:
  void Refuse(std::string_view where, const Quantity& value, const std::string& why) {
    errors_.Add(field::Invalid(path_.Child(where).Key(resource_), RenderValue(value.ToString()), why));
  }

  void ExpectOrder(std::string_view where, const std::optional<Quantity>& shown, std::string_view low_text,
                   const std::optional<Quantity>& low, std::string_view high_text,
                   const std::optional<Quantity>& high) {
    if (!low || !high || low->Compare(*high) <= 0) return;
    Refuse(where, *shown,
           std::string(low_text) + low->ToString() + std::string(high_text) + high->ToString());
  }

  void ValidateRatio() {
    if (*ratio_ < Quantity(1)) {
      Refuse("maxLimitRequestRatio", *ratio_, "ratio " + ratio_->ToString() + " is less than 1");
    }
    if (!min_ || !max_) return;
    // In milli where all three fit, so that fractions count.
    constexpr int64_t kMaxMilliValue = std::numeric_limits<int64_t>::max() / 1000;
    const bool fine =
        ratio_->Value() < kMaxMilliValue && min_->Value() < kMaxMilliValue && max_->Value() < kMaxMilliValue;
    const double ratio =
        fine ? static_cast<double>(ratio_->MilliValue()) / 1000 : static_cast<double>(ratio_->Value());
    const double limit = static_cast<double>(fine ? max_->MilliValue() : max_->Value()) /
                         static_cast<double>(fine ? min_->MilliValue() : min_->Value());
    if (ratio > limit) {
      Refuse("maxLimitRequestRatio", *ratio_,
             "ratio " + ratio_->ToString() + " is greater than max/min = " + RenderFloat(limit));
    }
  }

  const std::string_view resource_;
  const Path& path_;
  ErrorList& errors_;
  const std::optional<Quantity> min_, max_, ratio_;
  std::optional<Quantity> default_, default_request_;
};

// Checks the names of every list and gathers them.
class ItemNames {
 public:
  ItemNames(std::string_view type, const Path& path, ErrorList& errors)
      : type_(type), path_(path), errors_(errors) {}

  void Add(std::string_view list_name, MapView list) {
    const Path path = path_.Child(list_name);
    const bool compute = type_ == kPod || type_ == kContainer;
    for (const auto& [resource, quantity] : list) {
      const Path at = path.Key(resource);
      errors_.Append(compute ? ValidateContainerResourceName(resource, at)
                             : ValidateResourceName(resource, at));
      all_.insert(resource);
    }
  }
  const std::set<std::string_view>& all() const { return all_; }

 private:
  const std::string_view type_;
  const Path& path_;
  ErrorList& errors_;
  std::set<std::string_view> all_;
};

void ValidateItem(core_v1::LimitRangeItemView item, const Path& path, ErrorList& errors) {
  ItemNames names(item.type(), path, errors);
  names.Add("max", item.max());
  names.Add("min", item.min());
  if (item.type() == kPod) {
    constexpr std::string_view kNotForPods = "may not be specified when `type` is 'Pod'";
    if (!item.default_().empty()) errors.Add(field::Forbidden(path.Child("default"), kNotForPods));
    if (!item.default_request().empty())
      errors.Add(field::Forbidden(path.Child("defaultRequest"), kNotForPods));
  } else {
    names.Add("default", item.default_());
    names.Add("defaultRequest", item.default_request());
  }
  if (item.type() == kPersistentVolumeClaim && !item.min().Find("storage") && !item.max().Find("storage")) {
    errors.Add(
        field::Required(path.Child("limits"),
                        "either minimum or maximum storage value is required, but neither was provided"));
  }
  names.Add("maxLimitRequestRatio", item.max_limit_request_ratio());
  for (std::string_view resource : names.all()) ResourceLimits(item, resource, path, errors).Validate();
}

}  // namespace

ErrorList ValidateLimitRange(core_v1::LimitRangeView range) {
  ErrorList errors;
  std::set<std::string_view> types;
  const Path spec("spec");
  const Path limits = spec.Child("limits");
  size_t i = 0;
  for (const auto item : range.spec().limits()) {
    const Path path = limits.Index(i++);
    errors.Append(ValidateType(item.type(), path.Child("type")));
    if (!types.insert(item.type()).second) {
      errors.Add(field::Duplicate(path.Child("type"), RenderValue(item.type())));
    }
    ValidateItem(item, path, errors);
  }
  return errors;
}

}  // namespace keelson::api::core
