#include "storage/object.h"

#include <cstdlib>

namespace keelson::storage {

std::optional<std::string_view> Object::FindLabel(std::string_view key) const {
  size_t low = 0;
  size_t high = label_count_;
  while (low < high) {
    const size_t mid = (low + high) / 2;
    const std::string_view at = At(refs()[2 * mid]);
    if (at == key) return At(refs()[2 * mid + 1]);
    (at < key ? low : high) = at < key ? mid + 1 : mid;
  }
  return std::nullopt;
}

void Object::Destroy(Object* object) {
  object->~Object();
  std::free(object);
}

}  // namespace keelson::storage
