#include "storage/backend.h"

namespace keelson::storage {
namespace {

constexpr int kReadAttempts = 5;

}  // namespace

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) ++end.back();
  return end;
}

void TellAll(std::span<const KeyValue> items, size_t position, Receiver& receiver) {
  receiver.Expect(position + items.size());
  for (const KeyValue& kv : items)
    receiver.Take(position++, {kv.key, kv.value.view(), kv.create_revision, kv.mod_revision, kv.seal});
}

Result<Revision> Backend::ReadAll(std::string_view prefix, Receiver& receiver, size_t page_size) {
  const std::string end = PrefixEnd(prefix);
  for (int attempt = 1;; ++attempt) {
    receiver.StartOver();
    std::string start(prefix);
    size_t position = 0;
    RangeOptions range{.limit = page_size, .counted = false};
    for (;;) {
      auto page = Range(start, end, range);
      if (!page) {
        // Compacted while it was read: start over.
        if (page.error().code == Code::kExpired && attempt < kReadAttempts) break;
        return base::Err(std::move(page.error()));
      }
      if (range.revision == 0) range.revision = page->revision;
      TellAll(page->items, position, receiver);
      position += page->items.size();
      if (!page->more || page->items.empty()) return range.revision;
      start = page->items.back().key + '\0';
    }
  }
}

base::Task<Result<void>> Backend::CatchUp(Revision) { co_return Result<void>(); }

base::Task<Result<void>> Backend::Jump(Revision) {
  co_return base::Err(Error{.code = Code::kInvalidOption, .detail = "the store counts its revisions itself"});
}

}  // namespace keelson::storage
