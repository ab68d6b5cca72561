// WhatIsWrongWithTable checks the footer and the properties block of a table, which RocksDB uses without
// checking them first.
//
// It checks blocks against the kind of checksum that a table's footer names, and the footer against nothing:
// one that has become «none» makes it take whatever it reads for a block. And it makes a block of a table's
// properties before it looks at their checksum. Where RocksDB is built with assertions, as Debian's is, such
// a table ends the process without a word of which file it was.
#pragma once

#include <optional>
#include <string>

#include "storage/errors.h"

namespace keelson::storage {

// "is damaged: …", or nothing: also for a file that is no whole table, which RocksDB refuses or deletes.
// Reads three small pieces. An error: the file cannot be read.
Result<std::optional<std::string>> WhatIsWrongWithTable(const std::string& path);

}  // namespace keelson::storage
