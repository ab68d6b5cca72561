// IndexFeeds: several feeds that keep one index as new as the stores.
#pragma once

#include <deque>

#include "app/feed.h"
#include "auth/authz/index_source.h"

namespace keelson::app {

// Threads: IsCurrent and CatchUp from any; the rest on `loop`, or before it runs.
class IndexFeeds : public auth::IndexSource {
 public:
  // Borrows `loop`.
  explicit IndexFeeds(base::Executor& loop) : loop_(loop) {}

  // Opens the feeds. Requires: on the loop.
  void Start();

  bool IsCurrent() const override;
  base::Task<void> CatchUp() override;

 protected:
  void Add(registry::Store& store, Feed::Observer observer);

 private:
  struct Part {
    Part(registry::Store& store, base::Executor& loop, Feed::Observer o)
        : feed(store, loop), observer(std::move(o)) {}
    Feed feed;
    Feed::Observer observer;  // until it is opened
  };

  base::Executor& loop_;
  std::deque<Part> parts_;
};

}  // namespace keelson::app
