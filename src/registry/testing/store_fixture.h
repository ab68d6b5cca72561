// StoreFixture: stores of a few kinds over a real cache and a backend in memory.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "auth/user.h"
#include "registry/namespace_store.h"
#include "registry/store.h"
#include "registry/testing/test_loop.h"
#include "storage/backend.h"

namespace keelson::registry {

class StoreFixture : public testing::Test {
 public:
  StoreFixture();
  ~StoreFixture() override;

  static const api::ResourceDesc& Resource(std::string_view plural);  // of the core group or apps/v1

  // Makes a store of `plural` with `strategy`; the objects are shared by stores of one kind.
  Store& Add(std::string_view plural, const Strategy& strategy, StoreOptions extra = {});
  storage::Interface& StorageOf(std::string_view plural);

  // A document of the resource's kind from its JSON.
  static api::Doc Document(std::string_view plural, std::string_view json);
  static std::string Json(const rest::Encoded& object, std::string_view plural);

  rest::WriteRequest Request(std::string ns = "default", bool dry_run = false) {
    return {&user_, ns, dry_run};
  }
  // `json` replaces whatever is there.
  static rest::UpdatedObject Replacement(std::string plural, std::string json, std::string uid = "");

  storage::Backend& backend() { return *backend_; }

  base::FakeClock clock_;
  TestLoop loop_{clock_};
  auth::User user_{.name = "someone"};
  size_t max_object_bytes_ = 0;  // of storage that is made later; 0: no limit

 private:
  std::unique_ptr<storage::Backend> backend_;
  std::map<std::string, std::unique_ptr<storage::Interface>, std::less<>> storages_;
  std::vector<std::unique_ptr<Store>> stores_;
};

}  // namespace keelson::registry
