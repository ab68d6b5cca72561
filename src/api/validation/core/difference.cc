#include "api/validation/core/difference.h"

#include "api/validation/render.h"

namespace keelson::api::core {

std::string DescribeDifference(const StructNode* was, const StructNode* now) {
  std::string out;
  if (!was || !now) return out;
  for (const FieldDesc& field : was->type->fields) {
    const Value& before = was->slot(field.ordinal);
    const Value& after = now->slot(field.ordinal);
    if (field.has(FieldDesc::kInline)) {
      out += DescribeDifference(before.node(), after.node());
      continue;
    }
    const bool presence_differs = field.has(FieldDesc::kPointer) && before.absent() != after.absent();
    if (!presence_differs && Equal(before, after, *field.type)) continue;
    const std::string name = " \"" + std::string(field.name) + "\": ";
    if (!before.absent()) out += "-" + name + field::RenderField(was, field.name) + "\n";
    if (!after.absent()) out += "+" + name + field::RenderField(now, field.name) + "\n";
  }
  return out;
}

}  // namespace keelson::api::core
