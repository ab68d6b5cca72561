#include "api/validation/apiserverinternal/storage_version.h"
#include "api/validation/names.h"
#include "registry/apiserverinternal/strategies.h"
#include "registry/core/fields.h"

namespace keelson::registry::apiserverinternal {
namespace {

using api::apiserverinternal_v1alpha1::StorageVersionView;
using api::field::ErrorList;

// StorageVersion: in which versions the servers of a cluster store a resource.
class StorageVersionStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::apiserverinternal::NameOfStorageVersion(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::ClearField(doc, "status");
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apiserverinternal::ValidateStorageVersion(StorageVersionView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
};

class StorageVersionStatusStrategy final : public StorageVersionStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
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
