// SpecAndStatusStrategy: the rules of resources with a DNS name, a spec that clients write and a status that
// only its subresource writes, whose changes are not counted (SpecStrategy counts them). StatusStrategy: the
// rules of such a subresource.
#pragma once

#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/strategy.h"

namespace keelson::registry::core {

class SpecAndStatusStrategy : public Strategy {
 public:
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { ClearField(doc, "status"); }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
  }
};

// `Base`: the strategy of the resource.
template <class Base>
class StatusStrategy : public Base {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    KeepMetadataForStatus(now, was);
  }
};

}  // namespace keelson::registry::core
