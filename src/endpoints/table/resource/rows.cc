#include "endpoints/table/resource/rows.h"

#include "api/generated/resource_v1.h"
#include "api/generated/resource_v1alpha3.h"

namespace keelson::endpoints::table::resource {
namespace {

using namespace api::resource_v1;

template <class View>
void NameAndAgeRow(const api::StructNode& object, Cells& cells) {
  const View view(&object);
  cells.Text(view.metadata().name());
  cells.Age(view.metadata().creation_timestamp());
}

std::string State(api::resource_v1::ResourceClaimView claim) {
  std::string state;
  const auto add = [&](std::string_view word) { state.append(state.empty() ? "" : ",").append(word); };
  if (claim.metadata().has_deletion_timestamp()) add("deleted");
  if (!claim.status().allocation() && state.empty()) add("pending");
  if (claim.status().allocation()) {
    add("allocated");
    if (!claim.status().reserved_for().empty()) add("reserved");
  }
  return state;
}

void ResourceClaimRow(const api::StructNode& object, Cells& cells) {
  const api::resource_v1::ResourceClaimView claim(&object);
  cells.Text(claim.metadata().name());
  cells.Text(State(claim));
  cells.Age(claim.metadata().creation_timestamp());
}

void ResourceSliceRow(const api::StructNode& object, Cells& cells) {
  const ResourceSliceView slice(&object);
  const auto spec = slice.spec();
  cells.Text(slice.metadata().name());
  cells.Text(spec.node_name());
  cells.Text(spec.driver());
  cells.Text(spec.pool().name());
  cells.Age(slice.metadata().creation_timestamp());
}

void DeviceTaintRuleRow(const api::StructNode& object, Cells& cells) {
  const api::resource_v1alpha3::DeviceTaintRuleView rule(&object);
  const auto taint = rule.spec().taint();
  cells.Text(rule.metadata().name());
  cells.Text(taint.key());
  cells.Text(taint.value());
  cells.Text(taint.effect());
  cells.Text(taint.has_time_added() ? cells.AgeText(taint.time_added()) : "");
  cells.Age(rule.metadata().creation_timestamp());
}

// What the pools of an answer sum up to; "-" where there is none.
void PoolSums(api::resource_v1alpha3::ResourcePoolStatusRequestStatusView status, bool answered,
              Cells& cells) {
  int64_t total = 0, available = 0, allocated = 0, unavailable = 0, errors = 0;
  for (const auto pool : status.pools()) {
    total += pool.total_devices();
    available += pool.available_devices();
    allocated += pool.allocated_devices();
    unavailable += pool.unavailable_devices();
    errors += pool.has_validation_error() ? 1 : 0;
  }
  for (const int64_t sum : {total, available, allocated, unavailable, errors})
    cells.Text(answered ? std::to_string(sum) : "-");
}

void PoolStatusRequestRow(const api::StructNode& object, Cells& cells) {
  const api::resource_v1alpha3::ResourcePoolStatusRequestView request(&object);
  const auto status = request.status();
  std::string state = "Pending", completed(kNone);
  bool failed = false;
  for (const auto condition : status.conditions()) {
    if (condition.status() != "True") continue;
    if (condition.type() == "Complete") {
      state = "Complete";
      completed = cells.AgeText(condition.last_transition_time());
      break;
    }
    if (condition.type() == "Failed") {
      state = "Failed";
      failed = true;
      break;
    }
  }
  const auto listed = static_cast<int64_t>(status.pools().size());
  if (state == "Complete" && status.pool_count() > listed)
    state += " (" + std::to_string(listed) + "/" + std::to_string(status.pool_count()) + " pools)";
  cells.Text(request.metadata().name());
  cells.Text(request.spec().driver());
  PoolSums(status, status && !failed, cells);
  cells.Number(status.pool_count());
  cells.Text(state);
  cells.Text(completed);
}

constexpr KindRow kRows[] = {
    {"ResourcePoolStatusRequest", PoolStatusRequestRow, "v1alpha3"},
    {"DeviceTaintRule", DeviceTaintRuleRow, "v1alpha3"},
    {"DeviceClass", NameAndAgeRow<DeviceClassView>},
    {"ResourceClaim", ResourceClaimRow},
    {"ResourceClaimTemplate", NameAndAgeRow<ResourceClaimTemplateView>},
    {"ResourceSlice", ResourceSliceRow},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::resource
