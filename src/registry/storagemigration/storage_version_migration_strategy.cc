#include "api/validation/names.h"
#include "api/validation/storagemigration/storage_version_migration.h"
#include "registry/core/fields.h"
#include "registry/storagemigration/strategies.h"

namespace keelson::registry::storagemigration {
namespace {

using api::field::ErrorList;
using api::storagemigration_v1beta1::StorageVersionMigrationView;

// StorageVersionMigration: kube-controller-manager carries it out and tells how far it is in the status.
class MigrationStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::ClearField(doc, "status");
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storagemigration::ValidateMigration(StorageVersionMigrationView(doc),
                                                    StorageVersionMigrationView());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storagemigration::ValidateMigration(StorageVersionMigrationView(now),
                                                    StorageVersionMigrationView(was));
  }
};

class MigrationStatusStrategy final : public MigrationStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storagemigration::ValidateMigrationStatus(StorageVersionMigrationView(now),
                                                          StorageVersionMigrationView(was));
  }
};

}  // namespace

const Strategy& Migrations() {
  static const MigrationStrategy strategy;
  return strategy;
}

const Strategy& MigrationStatus() {
  static const MigrationStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storagemigration
