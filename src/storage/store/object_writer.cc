#include "storage/store/object_writer.h"

#include <utility>

namespace keelson::storage {

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Put(std::string key, base::Slice stored,
                                                            Revision expected,
                                                            std::optional<std::chrono::seconds> ttl) {
  Write write{.type = Write::Type::kPut, .key = std::move(key), .value = std::move(stored)};
  if (ttl && ttl->count() > 0) {
    auto lease = co_await leases_.Get(*ttl);
    if (!lease) co_return base::Err(std::move(lease.error()));
    write.lease = *lease;
  }
  co_return co_await Commit(std::move(write), expected);
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Delete(std::string key, Revision expected) {
  Write write{.type = Write::Type::kDelete, .key = std::move(key)};
  co_return co_await Commit(std::move(write), expected);
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Commit(Write write, Revision expected) {
  auto tag = std::make_shared<WriteTag>();
  std::string key = write.key;
  write.tag = tag;
  Txn txn;
  txn.compares.push_back({.key = key, .mod_revision = expected});
  txn.writes.push_back(std::move(write));
  auto result = co_await backend_.Commit(std::move(txn));
  if (!result) {
    Error error = std::move(result.error());
    error.key = std::move(key);
    co_return base::Err(std::move(error));
  }
  if (result->succeeded && !tag->object)
    co_return base::Err(Error{.code = Code::kCorrupt,
                              .detail = "stored bytes do not decode",
                              .key = std::move(key),
                              .revision = result->revision});
  co_return Outcome{.object = tag->object, .revision = result->revision};
}

}  // namespace keelson::storage
