// The suite that every Backend passes. An engine's test names its factory:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, BackendContract, testing::Values(BackendFactory{...}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/backend.h"

namespace keelson::storage {

struct BackendFactory {
  // Opens an empty store, with leases told by `clock`. The store lives as long as the backend.
  std::function<std::unique_ptr<Backend>(const base::Clock& clock)> open;
};

class BackendContract : public testing::TestWithParam<BackendFactory> {
 protected:
  BackendContract() : backend_(GetParam().open(clock_)) {}

  base::FakeClock clock_;
  std::unique_ptr<Backend> backend_;
};

// A change with its own copy of everything.
struct SeenChange {
  Write::Type type;
  std::string key;
  std::string value;
  Revision create_revision = 0;
  Revision revision = 0;
  LeaseId lease = 0;
  const WriteTag* tag = nullptr;
  friend bool operator==(const SeenChange&, const SeenChange&) = default;
};

// Keeps what it is told. Any thread may ask.
class RecordingObserver final : public Observer {
 public:
  void OnChanges(std::span<const Change> changes, Revision revision) override;
  void OnBroken(const Error& error) override;

  std::vector<SeenChange> changes() const;
  Revision revision() const;  // the newest it was told of

 private:
  mutable base::Mutex mu_;
  std::vector<SeenChange> changes_ GUARDED_BY(mu_);
  Revision revision_ GUARDED_BY(mu_) = 0;
};

// Short forms of what tests do all the time; they fail the test on an error.
Txn PutTxn(std::string key, std::string_view value, LeaseId lease = 0);
Txn DeleteTxn(std::string key);
TxnResult MustCommit(Backend& backend, Txn txn);
Revision Put(Backend& backend, std::string key, std::string_view value, LeaseId lease = 0);
Revision Delete(Backend& backend, std::string key);
RangeResult MustRange(Backend& backend, std::string_view prefix, const RangeOptions& options = {});
// "key=value" for every key below `prefix`.
std::vector<std::string> Dump(Backend& backend, std::string_view prefix, Revision revision = 0);

}  // namespace keelson::storage
