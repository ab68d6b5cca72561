// CustomResources: follows the CustomResourceDefinitions and keeps a storage for each whose names are
// accepted. Served, in discovery and to requests, is what the definition's condition Established says is:
// the storage is there before that is written. What is served changes in one step.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"
#include "client/informer.h"
#include "endpoints/custom_set.h"
#include "endpoints/openapi/custom.h"
#include "extensions/crd/custom_storage.h"
#include "extensions/crd/worker.h"

namespace keelson::extensions {

// Threads: made and loaded by one; from Start on everything on `loop`. Borrows all; outlives the loop's
// running.
class CustomResources {
 public:
  struct Options {
    const client::Client& client;  // reads the definitions
    base::Executor& loop;
    StorageOptions storage;
    MakeRuleChecker make_rules;
    // Is told of each definition that serves something else from now on.
    std::function<void(std::vector<endpoints::CustomChange>)> publish;
    // The same for what documents say of it.
    std::function<void(std::vector<endpoints::openapi::CustomDescription>)> describe;
  };
  explicit CustomResources(Options options);
  ~CustomResources();

  // Serves what is defined, before the loop runs; blocks meanwhile. An error: the definitions cannot be read.
  base::Result<void, std::string> Load();
  void Start();
  // Follows no more; what is served stays.
  void Stop();

  using StoragePtr = std::shared_ptr<CustomStorage>;
  // Is told of each storage that comes (`was` null), is replaced, or goes (`now` null).
  using Observer = std::function<void(const StoragePtr& now, const StoragePtr& was)>;
  // The observer is told at once of what there is, and from then on for as long as this lives.
  void Observe(Observer observer);

  // Of a definition, by its name; null: there is none.
  StoragePtr Find(std::string_view name) const;
  // What the definition of that name and uid defines is served as soon as that is established.
  bool IsReady(std::string_view name, std::string_view uid) const;

  // Around the write of the condition: between the two a client may read that the definition is established
  // before it is served. Who finds nothing meanwhile waits for Settled.
  void BeginEstablishing(std::string_view name);
  void EndEstablishing(std::string_view name, std::string_view uid, bool established);
  // Threads: any.
  bool establishing() const { return unsettled_.load(std::memory_order_acquire) > 0; }
  // Resumes when what was being established at the call is served, or turned out not to be established.
  base::Task<void> Settled();

  // What changes within this is published together.
  static constexpr std::chrono::milliseconds kGather{5};
  // A definition that cannot be read is read again after a pause, which doubles with each failure.
  static constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{10'000};
  std::vector<StoragePtr> All() const;

 private:
  struct Entry {
    StoragePtr storage;
    bool building = false;
    bool again = false;                  // the definition changed meanwhile
    std::string established;             // uid of the definition that is, or was last
    std::chrono::milliseconds pause{0};  // before the next attempt to read it; zero: the last succeeded
    bool follows_later = false;          // that attempt is due
    bool served() const;
  };
  struct Replacement {
    std::string name;
    StoragePtr now, was;
  };

  struct Outlined {
    client::ObjectPtr object;  // null: there is no such definition
    api::Doc outline;          // without the schemas
  };
  base::Task<client::Result<Outlined>> ReadOutline(std::string name) const;

  base::Result<void, std::string> LoadAll();
  // Of every definition that is followed.
  std::vector<std::string> Names() const;
  // Reads the definition, now or after its pause, and serves what it says.
  void Follow(const std::string& name);
  void FollowLater(const std::string& name);
  base::Task<void> Sync(std::string name);
  // What the definition asks for is served from now on; null: nothing.
  void Install(const std::string& name, StoragePtr storage);

  // The definition of that name and uid is established; once it is, it stays so.
  void NoteEstablished(std::string_view name, std::string_view uid);
  void PublishSoon();
  void Flush();
  void Settle(const std::vector<std::string>& names);
  StoragePtr Open(std::shared_ptr<const CustomResource> resource, bool terminating) const;
  // Tells of what has changed, and of nothing else: there may be thousands.
  void Publish();

  const Options options_;
  client::Informer definitions_;
  const std::shared_ptr<Worker> worker_;
  std::map<std::string, Entry, std::less<>> entries_;  // by name of the definition
  std::vector<Observer> observers_;
  std::vector<Replacement> replaced_;  // and not published yet
  std::set<std::string> changed_;      // definitions that serve something else than was published
  std::vector<std::string> written_;   // definitions whose condition is written, and not published yet
  bool publishing_soon_ = false;
  bool running_ = false;

  struct Waiter {
    uint64_t number;  // of the next to begin when it came: it waits for those before
    base::Completion<bool> settled;
  };
  std::atomic<size_t> unsettled_{0};  // size of establishing_
  base::Mutex mu_;
  std::map<std::string, uint64_t, std::less<>> establishing_ GUARDED_BY(mu_);  // numbered as they began
  uint64_t next_ GUARDED_BY(mu_) = 0;
  std::vector<Waiter> waiters_ GUARDED_BY(mu_);
};

}  // namespace keelson::extensions
