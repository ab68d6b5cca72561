#include "storage/rocksdb/swept_filter.h"

namespace keelson::storage {
namespace {

class SweptFilter final : public ::rocksdb::CompactionFilter {
 public:
  SweptFilter(::rocksdb::DB& db, ::rocksdb::ColumnFamilyHandle* family) : db_(db), family_(family) {
    read_.fill_cache = false;
  }
  const char* Name() const override { return "keelson.swept"; }
  // What cannot be read now is kept.
  bool Filter(int, const ::rocksdb::Slice& key, const ::rocksdb::Slice&, std::string*, bool*) const override {
    ::rocksdb::PinnableSlice newest;
    return db_.Get(read_, family_, key, &newest).IsNotFound();
  }

 private:
  ::rocksdb::DB& db_;
  ::rocksdb::ColumnFamilyHandle* const family_;
  ::rocksdb::ReadOptions read_;
};

}  // namespace

std::unique_ptr<::rocksdb::CompactionFilter> SweptFilterFactory::CreateCompactionFilter(
    const ::rocksdb::CompactionFilter::Context&) {
  ::rocksdb::DB* const db = db_.load(std::memory_order_acquire);
  if (!db) return nullptr;
  return std::make_unique<SweptFilter>(*db, family_);
}

}  // namespace keelson::storage
