#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/resource_list.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetLimitRangeDefaults(Doc& doc) {
  core_v1::LimitRangeEditor range(doc);
  if (!range.spec()) return;
  for (auto item : range.edit_spec().edit_limits()) {
    // A container without limits gets the maximum as its limit; one without requests gets
    // its limit or else the minimum.
    if (item.type() == "Container") {
      CopyMissing(item.max(), item.mutable_default(), doc.arena());
      CopyMissing(item.default_(), item.mutable_default_request(), doc.arena());
      CopyMissing(item.min(), item.mutable_default_request(), doc.arena());
    }
    RoundUpResourceLists(item.node(), doc.arena());
  }
}

}  // namespace keelson::api::core
