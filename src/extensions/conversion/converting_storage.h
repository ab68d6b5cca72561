// ConvertingStorage: the storage of a custom resource as it is in one of its versions. Objects are kept below
// in the version that they were written in; what is read is converted to this version, and what is written to
// the one that the definition says to store. So the registry and everybody above it know one version only.
//
//   Store of v1 ─▶ ConvertingStorage of v1 ─┐
//   Store of v2 ─▶ ConvertingStorage of v2 ─┴▶ Cacher, whose objects are in v2 or, if they are old, in v1
//
// Nobody is asked about objects that are in the version already, nor where only metadata is wanted.
#pragma once

#include <memory>
#include <string>

#include "extensions/conversion/converted_objects.h"
#include "storage/interface.h"

namespace keelson::extensions {

// Threads: as those of the storage below.
class ConvertingStorage final : public storage::Interface {
 public:
  // `stored`: the version that is written. Borrows it and `below`.
  ConvertingStorage(std::shared_ptr<ConvertedObjects> objects, const api::ResourceDesc& stored,
                    storage::Interface& below);

  base::Task<storage::Result<storage::ObjectPtr>> Create(std::string key, storage::Draft draft,
                                                         storage::CreateOptions options) override;
  base::Task<storage::Result<storage::ObjectPtr>> Get(std::string key, storage::GetOptions options) override;
  base::Task<storage::Result<storage::ListResult>> List(storage::ListOptions options) override;
  base::Task<storage::Result<storage::ObjectPtr>> GuaranteedUpdate(std::string key, bool create_if_absent,
                                                                   storage::ChangeOptions options,
                                                                   storage::UpdateFn update) override;
  base::Task<storage::Result<storage::ObjectPtr>> Delete(std::string key, storage::ChangeOptions options,
                                                         storage::DeleteCheckFn check) override;
  base::Task<storage::Result<std::unique_ptr<storage::WatchStream>>> Watch(
      storage::WatchOptions options) override;
  bool Stale(const storage::Object& object) const override { return below_.Stale(object); }
  int64_t Count() const override { return below_.Count(); }
  storage::Revision CurrentRevision() const override { return below_.CurrentRevision(); }
  storage::Revision NewestChange() const override { return below_.NewestChange(); }
  bool Follows() const override { return below_.Follows(); }
  uint64_t Loads() const override { return below_.Loads(); }

  // The items of a list in this version. `occupancy` as in the options.
  base::Task<storage::Result<storage::ListResult>> Convert(storage::ListResult list,
                                                           base::Occupancy* occupancy);

 private:
  // What is written for a draft in this version.
  base::Task<storage::Result<storage::Draft>> ToStored(storage::Draft draft, base::Occupancy* occupancy);
  using Updated = base::Result<storage::Update, std::shared_ptr<const api::Status>>;
  base::Task<Updated> UpdateConverted(std::shared_ptr<const storage::UpdateFn> update,
                                      storage::ObjectPtr current, base::Occupancy* occupancy);
  // Lists what a selection by fields of this version leaves.
  base::Task<storage::Result<storage::ListResult>> ListSelected(storage::ListOptions options);

  const std::shared_ptr<ConvertedObjects> objects_;
  const api::ResourceDesc& stored_;
  storage::Interface& below_;
};

}  // namespace keelson::extensions
