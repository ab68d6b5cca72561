// File descriptors: connections, the store's files and requests to others share what the process may have.
#pragma once

#include <cstddef>

namespace keelson::app {

// Raises the soft limit on open files to the hard one; how many the process may open.
size_t RaiseDescriptorLimit();

// How many connections of clients fit beside what is kept for the store, for requests to others, and for
// newcomers such as health checks.
size_t ConnectionsWithin(size_t descriptors);

}  // namespace keelson::app
