// The words in which the verbs speak: what endpoints know of stored objects, lists and
// watches without knowing the storage below.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/slice.h"
#include "storage/interface.h"
#include "storage/selection.h"

namespace keelson::registry::rest {

template <class T>
using Result = base::Result<T, api::Status>;

using storage::Event;
using storage::EventPtr;
using storage::EventType;
using storage::FieldSelector;
using storage::GetOptions;
using storage::LabelSelector;
using storage::ListOptions;
using storage::ListResult;
using storage::Object;
using storage::ObjectPtr;
using storage::Revision;
using storage::Selection;
using storage::VersionMatch;
using storage::WatchEvent;
using storage::WatchOptions;
// The stream itself; rest::Watcher is the verb that makes one.
using storage::WatchStream;

// An object in its envelope with a share in whatever holds the bytes: a stored object, or
// a buffer when nothing was stored (dry run).
struct Encoded {
  base::Slice bytes;         // envelope and all
  std::string_view message;  // inside `bytes`

  explicit operator bool() const { return !bytes.empty(); }
  static Encoded Of(ObjectPtr object) {
    std::string_view message = object->message();
    std::string_view bytes = object->bytes();
    return {base::Slice::Share(bytes, std::move(object)), message};
  }
};

}  // namespace keelson::registry::rest
