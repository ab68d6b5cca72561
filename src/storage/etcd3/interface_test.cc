// Both storages pass their suite over etcd, which others may write to: a fresh one for each test.
#include "storage/cacher/cacher.h"
#include "storage/direct/direct_store.h"
#include "storage/etcd3/etcd_backend.h"
#include "storage/etcd3/testing/etcd_process.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {
namespace {

class EtcdForTest final : public BackendForTest {
 public:
  EtcdForTest() {
    auto opened = EtcdBackend::Open({.endpoints = {etcd_.endpoint()}});
    EXPECT_TRUE(opened) << opened.error().detail;
    backend_ = std::move(*opened);
  }
  Backend& backend() override { return *backend_; }

 private:
  etcd3::EtcdProcess etcd_;
  std::unique_ptr<EtcdBackend> backend_;
};

std::unique_ptr<BackendForTest> OpenEtcd() { return std::make_unique<EtcdForTest>(); }

std::unique_ptr<Interface> CacherOverEtcd(const api::ResourceDesc& resource, Backend& backend,
                                          const LimitsForTest& limits) {
  auto cacher = Cacher::Start(
      resource, backend, {.max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes});
  EXPECT_TRUE(cacher);
  return std::move(*cacher);
}

std::unique_ptr<Interface> DirectOverEtcd(const api::ResourceDesc& resource, Backend& backend,
                                          const LimitsForTest& limits) {
  return std::make_unique<DirectStore>(
      std::make_shared<const ObjectFactory>(resource, "/registry" + std::string(resource.storage_prefix)),
      backend,
      DirectStoreOptions{.max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes});
}

INSTANTIATE_TEST_SUITE_P(CacherOverEtcd, InterfaceSuite,
                         testing::Values(InterfaceFactory{OpenEtcd, CacherOverEtcd}));
INSTANTIATE_TEST_SUITE_P(DirectOverEtcd, InterfaceSuite,
                         testing::Values(InterfaceFactory{OpenEtcd, DirectOverEtcd}));

}  // namespace
}  // namespace keelson::storage
