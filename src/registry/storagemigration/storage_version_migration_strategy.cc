#include "api/validation/storagemigration/storage_version_migration.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/storagemigration/strategies.h"

namespace keelson::registry::storagemigration {
namespace {

using api::field::ErrorList;
using api::storagemigration_v1beta1::StorageVersionMigrationView;

// StorageVersionMigration: kube-controller-manager carries it out and tells how far it is in the status.
class MigrationStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storagemigration::ValidateMigration(StorageVersionMigrationView(doc),
                                                    StorageVersionMigrationView());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storagemigration::ValidateMigration(StorageVersionMigrationView(now),
                                                    StorageVersionMigrationView(was));
  }
};

class MigrationStatusStrategy final : public core::StatusStrategy<MigrationStrategy> {
 public:
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
