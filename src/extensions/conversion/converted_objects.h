// ConvertedObjects: the stored objects of a custom resource in one of its versions. What was converted is
// kept, by uid and resourceVersion, within a bound of bytes; who wants what is being converted waits for
// that. So an event is converted once for all watches of the version, and encoded once.
//
// An example: two informers watch v1 and one v2, the stored version, of a resource. Object a changes: the
// informers of v1 ask for a at its new resourceVersion, and the second finds the question of the first under
// way. One review is sent; both are given the same event. The informer of v2 is given the object as it is
// stored.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/types/custom_type.h"
#include "api/types/resource_desc.h"
#include "base/mutex.h"
#include "base/task.h"
#include "storage/interface.h"
#include "storage/object_factory.h"

namespace keelson::extensions {

// Threads: any.
class ConvertedObjects {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;

  // `version`: borrowed, and so is its converter. `prefix`: of the keys of the resource.
  // Requires: the version's kind has a converter.
  ConvertedObjects(const api::ResourceDesc& version, std::string prefix, size_t most_bytes = kMostBytes);

  const api::ResourceDesc& version() const { return version_; }
  const std::string& api_version() const { return api_version_; }
  const api::CustomConverter& converter() const { return converter_; }
  bool IsInVersion(const storage::Object& object) const;

  // An object that is wanted in the version.
  struct Wanted {
    storage::ObjectPtr object;
    // It is shown at a revision that is another object's of the same uid: what left a selection is shown as
    // it was before, at the revision of the event that took it away.
    bool as_before = false;
  };
  // What it is in the version: an event with the object and its encodings. Null: it must be converted.
  storage::EventPtr Find(const Wanted& wanted);
  // All of them in the version, in their order, asked for with one question. The error ends the request.
  base::Task<storage::Result<std::vector<storage::EventPtr>>> Convert(std::vector<Wanted> wanted,
                                                                      bool as_list);
  base::Task<storage::Result<storage::ObjectPtr>> Convert(storage::ObjectPtr object);

  // An object of this version with another resourceVersion.
  storage::ObjectPtr AtRevision(const storage::Object& object, storage::Revision revision) const {
    return factory_.AtRevision(object, revision);
  }
  size_t bytes() const;

 private:
  using Result = storage::Result<storage::EventPtr>;
  // A conversion under way.
  struct Flight {
    std::vector<base::Completion<bool>> waiters;
    std::shared_ptr<const Result> result;  // null until it is there
  };
  using FlightPtr = std::shared_ptr<Flight>;
  struct Kept {
    std::string key;
    storage::EventPtr event;
    size_t bytes = 0;
  };

  static std::string KeyOf(const Wanted& wanted);
  storage::EventPtr FindLocked(const std::string& key) REQUIRES_LOCK(mu_);
  void KeepLocked(const std::string& key, const storage::EventPtr& event) REQUIRES_LOCK(mu_);
  // Asks for objects that nobody has asked for, as `keys` say in `flights_`, and ends the flights.
  base::Task<void> Fly(std::vector<Wanted> wanted, std::vector<std::string> keys, bool as_list);
  base::Task<storage::Result<std::vector<storage::EventPtr>>> Ask(const std::vector<Wanted>& wanted,
                                                                  bool as_list);
  void Land(const std::string& key, Result result);

  const api::ResourceDesc& version_;
  const std::string api_version_;
  const api::CustomConverter& converter_;
  const storage::ObjectFactory factory_;
  const size_t most_bytes_;

  mutable base::Mutex mu_;
  std::list<Kept> kept_ GUARDED_BY(mu_);  // the most recently used first
  std::unordered_map<std::string, std::list<Kept>::iterator> index_ GUARDED_BY(mu_);
  size_t bytes_ GUARDED_BY(mu_) = 0;  // sum over kept_
  std::unordered_map<std::string, FlightPtr> flights_ GUARDED_BY(mu_);
};

// What a request is told of a conversion that failed: a 500 with the bare text, as upstream.
storage::Error ConversionFailed(std::string_view text);

}  // namespace keelson::extensions
