// The suite that every storage::Interface passes. A test names how to open one:
//
//   INSTANTIATE_TEST_SUITE_P(OverMemory, InterfaceSuite, testing::Values(InterfaceFactory{...}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/sync_wait.h"
#include "storage/backend.h"
#include "storage/interface.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {

// A backend with whatever it stands on.
class BackendForTest {
 public:
  virtual ~BackendForTest() = default;
  virtual Backend& backend() = 0;
};
// One that stands on nothing.
class OwnedBackend final : public BackendForTest {
 public:
  explicit OwnedBackend(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
  Backend& backend() override { return *backend_; }

 private:
  const std::unique_ptr<Backend> backend_;
};

struct LimitsForTest {
  size_t max_object_bytes = 0, quota_bytes = 0;  // as in DirectStoreOptions
};

// How to open a storage: an empty backend, and an Interface over it.
struct InterfaceFactory {
  std::function<std::unique_ptr<BackendForTest>()> open_backend;
  std::function<std::unique_ptr<Interface>(const api::ResourceDesc&, Backend&, const LimitsForTest&)> open;
};

class InterfaceSuite : public testing::TestWithParam<InterfaceFactory> {
 protected:
  // Opens one more storage of pods on the same backend.
  Interface& Open(const LimitsForTest& limits = {});
  // Everything that `watch` is told of what has happened by now, described as by Drain. A watch that is told
  // by a thread of its own is waited for.
  std::vector<std::string> Told(WatchStream& watch, std::vector<WatchEvent>* events = nullptr) const;

  const std::unique_ptr<BackendForTest> below_ = GetParam().open_backend();
  Backend& backend_ = below_->backend();
  std::vector<std::unique_ptr<Interface>> opened_;
  Interface& storage_ = Open();
};

// Short forms of what tests do all the time. Each Must fails the test on an error.
ObjectPtr MustCreate(Interface& storage, const PodSpecForTest& pod);
ObjectPtr MustUpdate(Interface& storage, const PodSpecForTest& pod);
ObjectPtr MustDelete(Interface& storage, std::string key);
ListResult MustList(Interface& storage, ListOptions options = {});
std::unique_ptr<WatchStream> MustWatch(Interface& storage, WatchOptions options = {});

Selection SelectPods(std::string_view labels, std::string_view fields = "");
std::vector<std::string> Names(const ListResult& list);  // "ns/name"
// Everything a watch has now, as "ADDED ns/name", "BOOKMARK", "ERROR".
std::vector<std::string> Drain(WatchStream& watch, std::vector<WatchEvent>* events = nullptr);

}  // namespace keelson::storage
