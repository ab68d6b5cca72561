#include "registry/core/server_leases.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "registry/testing/store_fixture.h"

namespace keelson::registry::core {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kId = "apiserver-ivcd3cgyhcasg77bedm3gpsjua";
constexpr std::string_view kKey = "/registry/peerserverleases/apiserver-ivcd3cgyhcasg77bedm3gpsjua";

// What kube-apiserver v1.36.4 stores for its peers.
constexpr std::string_view kStoredByUpstream =
    "k8s\0\n\x0f\n\x02v1\x12\tEndpoints\x12p\nK\n\0\x12\0\x1a\0\"\0*\0"
    "2\0"
    "8\x01"
    "B\0"
    "Z9\n\x11"
    "apiserverIdentity\x12$apiserver-ivcd3cgyhcasg77bedm3gpsjua\x12!\n\r\n\t192.0.2."
    "2\x1a\0\x1a\x10\n\x05https\x10"
    "\x81\xa8\x02\x1a\x03TCP\x1a\0\"\0"sv;

class PeerLeasesTest : public StoreFixture {
 protected:
  std::unique_ptr<ServerLeases> Open() {
    auto leases = ServerLeases::Open(backend(), "/registry", ServerLeases::For::kServers);
    EXPECT_TRUE(leases);
    return *std::move(leases);
  }
};

TEST_F(PeerLeasesTest, AreStoredAsKubeApiserverStoresThem) {
  const auto leases = Open();
  ASSERT_TRUE(loop_.Run(leases->Renew({.name = std::string(kId), .address = "192.0.2.2", .port = 37889})));
  const auto stored = backend().Get(kKey, 0);
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->value.view(), kStoredByUpstream);
}

TEST_F(PeerLeasesTest, OfKubeApiserverAreRead) {
  storage::Txn txn;
  txn.writes.push_back({.key = std::string(kKey), .value = base::Slice::Copy(kStoredByUpstream)});
  ASSERT_TRUE(loop_.Run(backend().Commit(std::move(txn))));
  const auto leases = Open();
  const auto found = loop_.Run(leases->Find(std::string(kId)));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->address, "192.0.2.2");
  EXPECT_EQ((*found)->port, 37889);
}

}  // namespace
}  // namespace keelson::registry::core
