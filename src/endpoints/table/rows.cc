#include "endpoints/table/rows.h"

#include <algorithm>
#include <map>

#include "endpoints/table/admissionregistration/rows.h"
#include "endpoints/table/apiextensions/rows.h"
#include "endpoints/table/apiregistration/rows.h"
#include "endpoints/table/apiserverinternal/rows.h"
#include "endpoints/table/apps/rows.h"
#include "endpoints/table/authentication/rows.h"
#include "endpoints/table/authorization/rows.h"
#include "endpoints/table/autoscaling/rows.h"
#include "endpoints/table/batch/rows.h"
#include "endpoints/table/certificates/rows.h"
#include "endpoints/table/coordination/rows.h"
#include "endpoints/table/core_rows.h"
#include "endpoints/table/discovery/rows.h"
#include "endpoints/table/events/rows.h"
#include "endpoints/table/flowcontrol/rows.h"
#include "endpoints/table/networking/rows.h"
#include "endpoints/table/node/rows.h"
#include "endpoints/table/policy/rows.h"
#include "endpoints/table/rbac/rows.h"
#include "endpoints/table/resource/rows.h"
#include "endpoints/table/scheduling/rows.h"
#include "endpoints/table/storage/rows.h"
#include "endpoints/table/storagemigration/rows.h"

namespace keelson::endpoints::table {
namespace {

struct GroupRows {
  std::string_view group;
  std::span<const KindRow> (*rows)();
};
constexpr GroupRows kGroups[] = {
    {"", CoreRows},
    {"admissionregistration.k8s.io", admissionregistration::Rows},
    {"apiextensions.k8s.io", apiextensions::Rows},
    {"apiregistration.k8s.io", apiregistration::Rows},
    {"apps", apps::Rows},
    {"authentication.k8s.io", authentication::Rows},
    {"authorization.k8s.io", authorization::Rows},
    {"autoscaling", autoscaling::Rows},
    {"batch", batch::Rows},
    {"certificates.k8s.io", certificates::Rows},
    {"coordination.k8s.io", coordination::Rows},
    {"discovery.k8s.io", discovery::Rows},
    {"events.k8s.io", events::Rows},
    {"flowcontrol.apiserver.k8s.io", flowcontrol::Rows},
    {"internal.apiserver.k8s.io", apiserverinternal::Rows},
    {"networking.k8s.io", networking::Rows},
    {"node.k8s.io", node::Rows},
    {"policy", policy::Rows},
    {"rbac.authorization.k8s.io", rbac::Rows},
    {"resource.k8s.io", resource::Rows},
    {"scheduling.k8s.io", scheduling::Rows},
    {"storage.k8s.io", storage_api::Rows},
    {"storagemigration.k8s.io", storagemigration::Rows},
};

class RowPrinter final : public Printer {
 public:
  RowPrinter(const api::ResourceDesc& resource, RowFn row) : columns_(resource.columns), row_(row) {}
  std::span<const api::ColumnDesc> columns() const override { return columns_; }
  void PrintRow(const api::StructNode& object, base::Clock::WallTime now, RowWriter& row) const override {
    Cells cells(row, now);
    row_(object, cells);
  }

 private:
  std::span<const api::ColumnDesc> columns_;
  RowFn row_;
};

std::map<const api::ResourceDesc*, RowPrinter> AllPrinters() {
  std::map<const api::ResourceDesc*, RowPrinter> printers;
  for (const api::ResourceDesc& resource : api::BuiltinResources()) {
    const auto group = std::ranges::find(kGroups, resource.group, &GroupRows::group);
    if (group == std::end(kGroups)) continue;
    for (const KindRow& entry : group->rows())
      if (entry.kind == resource.kind && entry.version == resource.version)
        printers.emplace(&resource, RowPrinter(resource, entry.row));
  }
  return printers;
}

}  // namespace

const Printer& PrinterFor(const api::ResourceDesc& resource) {
  static const std::map<const api::ResourceDesc*, RowPrinter> all = AllPrinters();
  const auto found = all.find(&api::StoredResource(resource));
  return found == all.end() ? DefaultPrinter() : found->second;
}

}  // namespace keelson::endpoints::table
