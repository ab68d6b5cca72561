// Reading many versions of keys from the log at once: what fills a cache at start-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/backend.h"
#include "storage/rocksdb/database.h"

namespace keelson::storage {

// Which versions are wanted; they are numbered as they come, in order of key. 24 bytes each, and the key.
class WantedVersions {
 public:
  void Add(Revision revision, std::string_view key);
  size_t size() const { return places_.size(); }

  struct Wanted {
    Revision revision;
    std::string_view key;
    size_t position;  // how many were added before it
  };
  Wanted operator[](size_t i) const;
  // Puts them in the order of the log.
  void Sort();

 private:
  struct Place {
    Revision revision;
    uint64_t key_at;
    uint32_t key_size, position;
  };
  std::string keys_;
  std::vector<Place> places_;
};

// Tells `receiver` of every one of them, from several threads when they are many. An error: some are
// missing or cannot be read; the receiver may have been told of others.
Result<void> ReadVersions(Database& database, const ::rocksdb::ReadOptions& options, WantedVersions wanted,
                          Receiver& receiver);

}  // namespace keelson::storage
