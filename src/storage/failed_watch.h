// A watch that has failed before it began: an error event and the end.
#pragma once

#include <memory>

#include "storage/interface.h"

namespace keelson::storage {

WatchEvent ErrorEvent(Error error);
std::unique_ptr<WatchStream> FailedWatch(Error error);

}  // namespace keelson::storage
