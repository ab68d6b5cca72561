// IndexInformers: several informers that keep one index as new as what this server has acknowledged.
#pragma once

#include <atomic>
#include <deque>
#include <optional>

#include "api/types/doc.h"
#include "auth/authz/index_source.h"
#include "client/informer.h"

namespace keelson::auth {

// Threads: IsCurrent and CatchUp from any; the rest on `loop`, or before it runs.
class IndexInformers : public IndexSource {
 public:
  // Borrows `loop`.
  explicit IndexInformers(base::Executor& loop) : loop_(loop) {}

  // Requires: on the loop; once.
  void Start();
  // In place of Start: the first CatchUp starts it, so that an index nobody asks costs nothing. Any thread.
  void StartWhenAsked() { starts_when_asked_.store(true, std::memory_order_release); }

  bool IsCurrent() const override;
  base::Task<void> CatchUp() override;

 protected:
  void Add(const client::Client& client, client::Resource resource, client::Informer::Handler handler);

 private:
  struct Part {
    Part(const client::Client& client, client::Resource resource, base::Executor& loop,
         client::Informer::Handler h)
        : informer(client, resource, loop), handler(std::move(h)) {}
    client::Informer informer;
    client::Informer::Handler handler;  // until it is started
  };

  base::Executor& loop_;
  std::deque<Part> parts_;
  std::atomic<bool> starts_when_asked_{false};
};

// The object of a change as a document; nullopt: it is gone, or cannot be read, which is logged and counts as
// gone.
std::optional<api::Doc> DecodedChange(const client::Change& change, const api::TypeDesc& type);

}  // namespace keelson::auth
