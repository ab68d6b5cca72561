// Collection: the objects of one resource, as a controller in the process reads and writes
// them. The composition root implements it over the stores.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Threads: every call comes on the controller's loop and resumes there.
class Collection {
 public:
  template <class T>
  using Result = base::Result<T, api::Status>;

  // Borrowed for the call that brings it.
  struct Change {
    std::string_view ns, name;
    bool gone = false;
    bool added = false;  // it was not there, or not known to be
  };

  virtual ~Collection() = default;

  // Calls `see` with every object there is, then with each change; again with all after
  // some changes may have gone by unseen. Requires: it is not watched.
  virtual void Watch(std::function<void(const Change&)> see) = 0;
  virtual void StopWatching() = 0;

  // nullopt: there is none of that name.
  virtual base::Task<Result<std::optional<api::Doc>>> Get(std::string ns, std::string name) = 0;
  // In the order of their names; `ns` empty: all.
  virtual base::Task<Result<std::vector<api::Doc>>> List(std::string ns) = 0;
  // How many there are in `ns`; cheaper than a list.
  virtual base::Task<Result<int64_t>> Count(std::string ns) = 0;
  virtual base::Task<Result<void>> Create(std::string ns, api::Doc doc) = 0;
  // `edit` is called with the object as it is, again after each conflict; false: it may stay
  // as it is.
  using Edit = std::function<bool(api::Doc&)>;
  virtual base::Task<Result<void>> Update(std::string ns, std::string name, Edit edit) = 0;
  // The same on the status.
  virtual base::Task<Result<void>> UpdateStatus(std::string ns, std::string name, Edit edit) = 0;
  // Server-side apply of `config`, the object's JSON with what its status should say, whoever
  // owned that before.
  virtual base::Task<Result<void>> ApplyStatus(std::string ns, std::string name, std::string config) = 0;
};

}  // namespace keelson::client
