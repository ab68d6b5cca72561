// ConvertingWatch: a watch of one version of a custom resource. Events come from a watch of what is stored;
// those that are not in the version are converted, all that have come together, before any of them is told.
// What cannot be converted ends the watch with an error: the client lists again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "extensions/conversion/converted_objects.h"
#include "storage/interface.h"
#include "storage/selection.h"

namespace keelson::extensions {

// Threads: as WatchStream.
class ConvertingWatch final : public storage::WatchStream {
 public:
  // `selection`: by fields of this version, which the stream below does not know; nullopt: there is none.
  ConvertingWatch(std::unique_ptr<storage::WatchStream> below, std::shared_ptr<ConvertedObjects> objects,
                  std::optional<storage::Selection> selection);
  ~ConvertingWatch() override;

  State Poll(size_t limit, std::vector<storage::WatchEvent>& out) override;
  void SetWaker(std::function<void()> waker) override;
  storage::Revision position() const override;

 private:
  // Events that were taken from below and are not told yet. It outlives the watch while it is converted.
  struct Batch;

  // Makes a batch of `events` and has those converted that must be.
  void Begin(std::vector<storage::WatchEvent> events);
  // Takes what is converted already into the batch; gives what is not.
  static std::vector<ConvertedObjects::Wanted> Missing(Batch& batch, ConvertedObjects& objects);
  static base::Task<void> Fetch(std::shared_ptr<Batch> batch, std::shared_ptr<ConvertedObjects> objects,
                                std::vector<ConvertedObjects::Wanted> missing);
  // Tells the batch, whose events are all there. False: it ended in an error.
  bool Tell(std::vector<storage::WatchEvent>& out);
  // What a watch with a selection by fields is told of an event; nullopt: nothing.
  std::optional<storage::WatchEvent> Selected(storage::WatchEvent event,
                                              const storage::EventPtr& before) const;

  const std::unique_ptr<storage::WatchStream> below_;
  const std::shared_ptr<ConvertedObjects> objects_;
  const std::optional<storage::Selection> selection_;
  std::function<void()> waker_;
  std::shared_ptr<Batch> batch_;  // null: there is none
  storage::Revision told_ = 0;    // everything up to here, while there is a batch
  State below_state_ = State::kMore;
  bool ended_ = false;
};

}  // namespace keelson::extensions
