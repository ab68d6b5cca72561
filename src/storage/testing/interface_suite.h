// The suite that every storage::Interface passes. A test names how to open one:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, InterfaceSuite, testing::Values(InterfaceFactory{...}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/sync_wait.h"
#include "storage/interface.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {

// An Interface with whatever it stands on.
struct OpenStorage {
  std::shared_ptr<void> below;  // goes after `storage`
  std::unique_ptr<Interface> storage;
};

struct InterfaceFactory {
  // Over an empty store.
  std::function<OpenStorage(const api::ResourceDesc&)> open;
};

class InterfaceSuite : public testing::TestWithParam<InterfaceFactory> {
 protected:
  InterfaceSuite() : opened_(GetParam().open(ResourceNamed("pods"))), storage_(*opened_.storage) {}

  OpenStorage opened_;
  Interface& storage_;
};

// Short forms of what tests do all the time. Each Must fails the test on an error.
ObjectPtr MustCreate(Interface& storage, const PodSpecForTest& pod);
ObjectPtr MustUpdate(Interface& storage, const PodSpecForTest& pod);
ObjectPtr MustDelete(Interface& storage, std::string key);
ListResult MustList(Interface& storage, ListOptions options = {});
std::unique_ptr<Watcher> MustWatch(Interface& storage, WatchOptions options = {});

Selection SelectPods(std::string_view labels, std::string_view fields = "");
std::vector<std::string> Names(const ListResult& list);  // "ns/name"
// Everything a watcher has now, as "ADDED ns/name", "BOOKMARK", "ERROR".
std::vector<std::string> Drain(Watcher& watcher, std::vector<WatchEvent>* events = nullptr);

}  // namespace keelson::storage
