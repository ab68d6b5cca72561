#include "storage/interface.h"

namespace keelson::storage {

Event::~Event() {
  for (auto& slot : encodings_) delete slot.load(std::memory_order_acquire);
}

const base::Slice* Event::Encoding(size_t slot) const {
  return encodings_[slot].load(std::memory_order_acquire);
}

const base::Slice& Event::SetEncoding(size_t slot, base::Slice encoded) const {
  auto* mine = new base::Slice(std::move(encoded));
  base::Slice* first = nullptr;
  if (encodings_[slot].compare_exchange_strong(first, mine, std::memory_order_acq_rel)) return *mine;
  delete mine;
  return *first;
}

}  // namespace keelson::storage
