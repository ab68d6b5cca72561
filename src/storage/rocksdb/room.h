// How much room a disk must have for what the store does on it. As it fills up:
//
//   free                            the store
//   twice the ballast or more       takes everything (Ballast::TakeOn)
//   in between                      goes on as it was
//   less than kAlmostFull           throws off the ballast, forgets history, and takes only what frees room:
//     half of the ballast or more     deletions, and values in place of others that are about as large
//     kToOpen or more                 deletions
//     less                            nothing
//   less than kToRewrite + a table  leaves that table as it is (Shrinker)
#pragma once

#include <cstdint>

namespace keelson::storage::room {

// The ballast is so much of the disk, and needs so much to be of use: to forget history a store must write
// what is in memory, and merge files.
constexpr uint64_t kDiskPerBallast = 8;
constexpr uint64_t kLeastBallast = 24 << 20;
// A disk with less free space counts as full: RocksDB may have to write its write buffers at any time.
constexpr uint64_t kAlmostFull = 12 << 20;
// Left alone by all that makes room: opening a database, and the log of deletions, need some.
constexpr uint64_t kToRewrite = 6 << 20;
// Opening writes a new log, a new manifest and the options. Deletions leave that much alone. Where a disk is
// too small for it, less will do.
constexpr uint64_t kToOpen = 4 << 20;
constexpr uint64_t kLeastToOpen = 1 << 20;
// Write buffers and write-ahead logs may take this share of the ballast's size (one in so many): when the
// disk is full they are flushed to tables into the room that the ballast had.
constexpr uint64_t kBuffersPerBallast = 16;
constexpr uint64_t kLogsPerBallast = 4;

}  // namespace keelson::storage::room
