#include "api/types/type_desc.h"

#include <algorithm>

namespace keelson::api {

MemberRef TypeDesc::FindMember(std::string_view json_name) const {
  auto it = std::lower_bound(members.begin(), members.end(), json_name,
                             [](const Member& m, std::string_view name) { return m.name < name; });
  if (it == members.end() || it->name != json_name) return {};
  return Resolve(*it);
}

MemberRef TypeDesc::Resolve(const Member& member) const {
  MemberRef ref{.index = static_cast<uint16_t>(&member - members.data())};
  const TypeDesc* owner = this;
  if (member.outer != 0) {
    ref.outer = &owner->fields[member.outer - 1];
    owner = ref.outer->type;
  }
  if (member.inner != 0) {
    ref.inner = &owner->fields[member.inner - 1];
    owner = ref.inner->type;
  }
  ref.field = &owner->fields[member.field];
  return ref;
}

}  // namespace keelson::api
