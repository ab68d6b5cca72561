// SpecStrategy: the rules that most resources share: a DNS name, a spec whose changes are
// counted, and a status, if there is one, that only its subresource writes.
#pragma once

#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/generation.h"
#include "registry/strategy.h"

namespace keelson::registry::core {

class SpecStrategy : public Strategy {
 public:
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    if (HasStatus(doc)) ClearField(doc, "status");
    StartGeneration(doc);
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    if (HasStatus(now)) KeepField(now, was, "status");
    CountGeneration(now, was, "spec");
  }

 private:
  static bool HasStatus(const api::Doc& doc) { return doc.type().FindMember("status").field != nullptr; }
};

}  // namespace keelson::registry::core
