// Ballast: room on the disk that nobody else can take. A store that has filled the disk with history needs
// room to forget it; it gets it by throwing the ballast off, and takes on ballast again before it accepts
// anything new.
//
// A file that is allotted and empty of meaning. One of no size says that it was thrown off: whoever opens the
// store next, perhaps after a crash, knows that room must be made first.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "storage/rocksdb/room.h"

namespace keelson::storage {

class Ballast {
 public:
  // Of at most `most_bytes`, less on a small disk, none where that is less than `least_bytes`, or for 0.
  // Nothing happens yet.
  Ballast(std::string path, uint64_t most_bytes, uint64_t least_bytes = room::kLeastBallast);

  // There is ballast afterwards, or none is wanted here. False: the disk has too little room, which is less
  // than twice the ballast's, or cannot allot any.
  bool TakeOn();
  // False: there was none.
  bool ThrowOff();
  // It was thrown off, and not taken on since.
  bool missing() const;

  // The disk has so little room that a store will soon fail to write, or does already.
  bool DiskIsFull() const;
  uint64_t free_bytes() const;  // on the disk; 0: not known
  uint64_t bytes() const { return bytes_; }

 private:
  const std::string path_;
  uint64_t bytes_ = 0;
};

}  // namespace keelson::storage
