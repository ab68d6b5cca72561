#include "api/types/type_desc.h"

namespace keelson::api {

MemberRef TypeDesc::FindMember(std::string_view json_name) const {
  size_t low = 0, high = members.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = members[middle].name.compare(json_name);
    if (order == 0) return Resolve(members[middle]);
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return {};
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
