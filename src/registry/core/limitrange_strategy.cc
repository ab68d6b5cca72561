#include "api/meta/object_meta.h"
#include "api/validation/core/limit_range.h"
#include "api/validation/names.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::LimitRangeView;
using api::field::ErrorList;

class LimitRangeStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  // One without any name gets one.
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    if (api::MetadataOf(doc).name().empty()) api::MutableMetadataOf(doc).set_name(api::NewUid());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateLimitRange(LimitRangeView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateLimitRange(LimitRangeView(now));
  }
  bool AllowCreateOnUpdate() const override { return true; }
};

}  // namespace

const Strategy& LimitRanges() {
  static const LimitRangeStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
