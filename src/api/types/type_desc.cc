#include "api/types/type_desc.h"

#include <algorithm>

namespace keelson::api {

MemberRef TypeDesc::FindMember(std::string_view json_name) const {
  auto it = std::lower_bound(members.begin(), members.end(), json_name,
                             [](const Member& m, std::string_view name) { return m.name < name; });
  if (it == members.end() || it->name != json_name) return {};
  if (it->outer == 0) return {nullptr, &fields[it->field]};
  const FieldDesc* outer = &fields[it->outer - 1];
  return {outer, &outer->type->fields[it->field]};
}

}  // namespace keelson::api
