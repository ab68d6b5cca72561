#include "storage/object.h"

#include <array>
#include <charconv>
#include <cstdlib>

#include "api/codec/protobuf.h"

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

bool SameContent(const Object& current, std::string_view stored) {
  const auto now = api::protobuf::ParseEnvelope(stored), was = api::protobuf::ParseEnvelope(current.bytes());
  if (!now || !was || now->api_version != was->api_version || now->kind != was->kind) return false;
  std::array<char, 24> digits;
  const char* const end = std::to_chars(digits.begin(), digits.end(), current.revision()).ptr;
  thread_local base::BufferBuilder message;
  message.Clear();
  const bool same = api::protobuf::SpliceResourceVersion(now->raw, {digits.data(), end}, message) &&
                    message.view() == current.message();
  message.Clear();
  return same;
}

}  // namespace keelson::storage
