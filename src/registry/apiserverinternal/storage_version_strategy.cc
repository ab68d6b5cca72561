#include "api/validation/apiserverinternal/storage_version.h"
#include "registry/apiserverinternal/strategies.h"
#include "registry/core/spec_and_status_strategy.h"

namespace keelson::registry::apiserverinternal {
namespace {

using api::apiserverinternal_v1alpha1::StorageVersionView;
using api::field::ErrorList;

// StorageVersion: in which versions the servers of a cluster store a resource.
class StorageVersionStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::apiserverinternal::NameOfStorageVersion(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apiserverinternal::ValidateStorageVersion(StorageVersionView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
};

class StorageVersionStatusStrategy final : public core::StatusStrategy<StorageVersionStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apiserverinternal::ValidateStorageVersion(StorageVersionView(now));
  }
};

}  // namespace

const Strategy& StorageVersions() {
  static const StorageVersionStrategy strategy;
  return strategy;
}

const Strategy& StorageVersionStatus() {
  static const StorageVersionStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apiserverinternal
