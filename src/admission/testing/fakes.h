// What tests of plugins need: objects to find, and requests to put to a plugin.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "admission/plugin.h"
#include "api/meta/object_meta.h"
#include "api/validation/testing/json_doc.h"
#include "base/sync_wait.h"
#include "client/testing/fake_client.h"

namespace keelson::admission {

inline const api::ResourceDesc& Resource(std::string_view group, std::string_view plural) {
  const api::ResourceDesc* found = nullptr;
  for (const std::string_view version : {"v1", "v1beta1", "v1alpha2"})
    if (!found) found = api::FindResource(group, version, plural);
  EXPECT_NE(found, nullptr) << group << "/" << plural;
  return *found;
}

// Objects by resource, whatever their namespace.
class FakeObjects final : public client::FakeClient {
 public:
  FakeObjects() : FakeClient(Namespaces::kOne) {}
};

// A write of one object.
class Write {
 public:
  Write(std::string_view group, std::string_view plural, std::string_view json, std::string_view was = "")
      : resource_(Resource(group, plural)), object_(api::testing::DocFromJson(json, *resource_.type)) {
    if (!was.empty()) old_ = api::testing::DocFromJson(was, *resource_.type);
    name_ = api::MetadataOf(object_).name();
  }

  Attributes request() {
    return {.operation = old_ ? Operation::kUpdate : Operation::kCreate,
            .resource = &resource_,
            .name = name_,
            .object = &object_,
            .old_object = old_ ? &old_ : nullptr};
  }
  Verdict Mutate(const Plugin& plugin) {
    EXPECT_TRUE(plugin.ConcernWith(resource_, "").mutates);
    return base::SyncWait(plugin.Mutate(request()));
  }
  Verdict Validate(const Plugin& plugin) {
    EXPECT_TRUE(plugin.ConcernWith(resource_, "").validates);
    return base::SyncWait(plugin.Validate(request()));
  }
  const api::Doc& object() const { return object_; }

 private:
  const api::ResourceDesc& resource_;
  api::Doc object_, old_;
  std::string name_;  // a plug-in may put another object in place
};

// A pod named p whose spec has the members `spec`.
inline std::string Pod(std::string_view spec) {
  return R"({"metadata":{"name":"p"},"spec":{)" + std::string(spec) + "}}";
}

inline std::string Refusal(const Verdict& verdict) { return verdict ? "" : verdict.error().message; }

}  // namespace keelson::admission
