#include "storage/encryption/encrypted_backend.h"

#include <gmock/gmock.h>

#include <atomic>

#include "storage/cacher/cacher.h"
#include "storage/direct/direct_store.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/forwarding_backend.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage::encryption {
namespace {

using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

std::unique_ptr<const Encryption> Rules(const std::vector<ProviderConfig>& providers, std::string resource,
                                        SealIds& seal_ids) {
  EncryptionConfig config;
  config.rules.push_back({.resources = {std::move(resource)}, .providers = providers});
  return std::move(*Encryption::Make(config, "/registry", seal_ids));
}

ProviderConfig Gcm(char name) {
  return {.kind = ProviderConfig::Kind::kAesGcm,
          .keys = {{.name = std::string(1, name), .secret = std::string(32, name)}}};
}
const ProviderConfig kIdentity;

// A store shared by several who encrypt differently, one after the other.
class Shared final : public ForwardingBackend {
 public:
  explicit Shared(Backend& below) : below_(below) {}

 private:
  Backend& inner() const override { return below_; }

  Backend& below_;
};

class EncryptedBackendTest : public testing::Test {
 protected:
  std::unique_ptr<EncryptedBackend> Over(const std::vector<ProviderConfig>& providers) {
    return std::make_unique<EncryptedBackend>(std::make_unique<Shared>(*store_),
                                              Rules(providers, "secrets", seal_ids_));
  }
  std::string Raw(std::string_view key) { return std::string((*store_->Get(key, 0))->value.view()); }

  SealIds seal_ids_;
  std::unique_ptr<Backend> store_ = OpenMemoryBackend();
};

constexpr const char* kSecret = "/registry/secrets/ns/s";
constexpr const char* kPod = "/registry/pods/ns/p";

TEST_F(EncryptedBackendTest, OnlyWhatTheRulesNameIsEncrypted) {
  auto backend = Over({Gcm('a')});
  RecordingObserver observer;
  auto subscription = backend->Subscribe("/registry/", 0, observer);
  ASSERT_TRUE(subscription);
  Put(*backend, kSecret, "hidden");
  Put(*backend, kPod, "seen");
  EXPECT_THAT(Raw(kSecret), StartsWith("k8s:enc:aesgcm:v1:a:"));
  EXPECT_THAT(Raw(kSecret), Not(testing::HasSubstr("hidden")));
  EXPECT_EQ(Raw(kPod), "seen");
  EXPECT_EQ((*backend->Get(kSecret, 0))->value.view(), "hidden");
  ASSERT_EQ(observer.changes().size(), 2U);
  EXPECT_EQ(observer.changes()[0].value, "hidden");
  EXPECT_EQ(observer.changes()[1].value, "seen");
}

TEST_F(EncryptedBackendTest, AllProvidersReadAndTheFirstWrites) {
  Put(*Over({kIdentity}), "/registry/secrets/ns/plain", "0");
  Put(*Over({Gcm('a')}), "/registry/secrets/ns/old", "1");
  auto backend = Over({Gcm('b'), Gcm('a'), kIdentity});
  Put(*backend, "/registry/secrets/ns/new", "2");
  EXPECT_THAT(Dump(*backend, "/registry/secrets/"),
              ElementsAre("/registry/secrets/ns/new=2", "/registry/secrets/ns/old=1",
                          "/registry/secrets/ns/plain=0"));
  EXPECT_THAT(Raw("/registry/secrets/ns/new"), StartsWith("k8s:enc:aesgcm:v1:b:"));
  const SealId now = backend->SealOf(kSecret);
  EXPECT_EQ((*backend->Get("/registry/secrets/ns/new", 0))->seal, now);
  EXPECT_NE((*backend->Get("/registry/secrets/ns/old", 0))->seal, now);
  EXPECT_EQ((*backend->Get("/registry/secrets/ns/plain", 0))->seal, kUnsealed);
}

TEST_F(EncryptedBackendTest, WhatIsEncryptedIsFoundBehindAnyNumberOfPlainValues) {
  for (int i = 0; i < 1001; ++i) Put(*store_, "/registry/pods/ns/p" + std::to_string(i), "plain");
  EXPECT_EQ(*FindEncrypted(*store_, "/registry"), std::nullopt);
  Put(*Over({Gcm('a')}), kSecret, "hidden");
  EXPECT_EQ(*FindEncrypted(*store_, "/registry"), kSecret);
  EXPECT_EQ(*FindEncrypted(*store_, "/elsewhere"), std::nullopt);
}

TEST_F(EncryptedBackendTest, GoingBackToPlainReadsWhatIsEncrypted) {
  Put(*Over({Gcm('a')}), kSecret, "1");
  auto backend = Over({kIdentity, Gcm('a')});
  EXPECT_THAT(Dump(*backend, "/registry/secrets/"), ElementsAre(std::string(kSecret) + "=1"));
  Put(*backend, kSecret, "2");
  EXPECT_EQ(Raw(kSecret), "2");
}

TEST_F(EncryptedBackendTest, KeysOfOneNameAreTriedInTurn) {
  ProviderConfig other = Gcm('a');
  other.keys[0].secret = std::string(32, 'x');
  Put(*Over({other}), kSecret, "1");
  EXPECT_THAT(Dump(*Over({Gcm('a'), other}), "/registry/secrets/"), ElementsAre(std::string(kSecret) + "=1"));
}

TEST_F(EncryptedBackendTest, WithoutTheKeyReadingIsAnErrorThatNamesTheValue) {
  Put(*Over({Gcm('a')}), kSecret, "1");
  for (const auto& providers : {std::vector{Gcm('b')}, std::vector{kIdentity}}) {
    auto read = Over(providers)->Range("/registry/secrets/", "", {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kCorrupt);
    EXPECT_THAT(read.error().detail, testing::HasSubstr(kSecret));

    const auto loaded = Cacher::Start(ResourceNamed("secrets"), *Over(providers));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Code::kCorrupt);
    EXPECT_EQ(loaded.error().detail, read.error().detail);
  }
  EXPECT_TRUE(Over({Gcm('b')})->Range("/registry/secrets/", "", {.keys_only = true}));
}

TEST_F(EncryptedBackendTest, AValueMovedToAnotherKeyIsNotRead) {
  auto backend = Over({Gcm('a')});
  Put(*backend, kSecret, "1");
  Put(*store_, "/registry/secrets/ns/other", Raw(kSecret));
  EXPECT_FALSE(backend->Get("/registry/secrets/ns/other", 0));
}

TEST_F(EncryptedBackendTest, AFailedCompareShowsThePlainValue) {
  auto backend = Over({Gcm('a')});
  Put(*backend, kSecret, "1");
  Txn txn = PutTxn(kSecret, "2");
  txn.compares.push_back({.key = kSecret, .mod_revision = 0});
  const TxnResult result = MustCommit(*backend, std::move(txn));
  EXPECT_FALSE(result.succeeded);
  EXPECT_EQ(result.current->value.view(), "1");
}

base::Result<Update, std::shared_ptr<const api::Status>> SameBytes(const Object& current, bool stale) {
  return Update{.stored = base::Slice::Copy(current.bytes()), .unchanged = !stale};
}

TEST_F(EncryptedBackendTest, AnUpdateThatChangesNothingIsWrittenWhenTheKeyHasChanged) {
  const api::ResourceDesc& pods = ResourceNamed("pods");
  auto backend = std::make_unique<EncryptedBackend>(std::make_unique<Shared>(*store_),
                                                    Rules({Gcm('a')}, "pods", seal_ids_));
  auto cacher = std::move(*Cacher::Start(pods, *backend));
  const ObjectPtr made = MustCreate(*cacher, {.name = "p"});
  const auto touch = [&] {
    auto updated = base::SyncWait(cacher->GuaranteedUpdate(
        "default/p", false, {},
        [&](ObjectPtr current) -> base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> {
          co_return SameBytes(*current, cacher->Stale(*current));
        }));
    EXPECT_TRUE(updated);
    return (*updated)->revision();
  };
  EXPECT_FALSE(cacher->Stale(*made));
  EXPECT_EQ(touch(), made->revision());
  backend->Use(Rules({Gcm('b'), Gcm('a')}, "pods", seal_ids_));
  EXPECT_TRUE(cacher->Stale(*made));
  const Revision rewritten = touch();
  EXPECT_GT(rewritten, made->revision());
  EXPECT_EQ(touch(), rewritten);
  EXPECT_THAT(Raw("/registry/pods/default/p"), StartsWith("k8s:enc:aesgcm:v1:b:"));
}

// A cipher that hides nothing, and counts.
class CountingCipher final : public Cipher {
 public:
  base::Result<void, std::string> Seal(std::string_view plain, std::string_view,
                                       base::BufferBuilder& out) const override {
    ++sealed;
    out.Append(plain);
    return {};
  }
  base::Result<base::Slice, std::string> Open(std::string_view text, std::string_view) const override {
    ++opened;
    return base::Slice::Copy(text);
  }
  mutable std::atomic<int> sealed{0}, opened{0};
};

// Pods are written through a counting cipher, which the rules take for a key service's.
class CountedEncryptionTest : public EncryptedBackendTest {
 protected:
  std::unique_ptr<EncryptedBackend> OverCounted() {
    EncryptionConfig config;
    config.rules.push_back(
        {.resources = {"pods"}, .providers = {{.kind = ProviderConfig::Kind::kKms, .kms = {.name = "k"}}}});
    auto rules =
        Encryption::Make(config, "/registry", seal_ids_,
                         [this](const KmsConfig&) -> std::shared_ptr<const Cipher> { return cipher_; });
    EXPECT_TRUE(rules) << rules.error();
    return std::make_unique<EncryptedBackend>(std::make_unique<Shared>(*store_), std::move(*rules));
  }

  const std::shared_ptr<CountingCipher> cipher_ = std::make_shared<CountingCipher>();
};

TEST_F(CountedEncryptionTest, WhatThisProcessSealsItDoesNotOpen) {
  auto backend = OverCounted();
  auto cacher = std::move(*Cacher::Start(ResourceNamed("pods"), *backend));
  const ObjectPtr made = MustCreate(*cacher, {.name = "p"});
  const ObjectPtr updated = MustUpdate(*cacher, {.name = "p", .node = "n1"});
  EXPECT_EQ(*base::SyncWait(cacher->Get("default/p", {})), updated);
  EXPECT_FALSE(cacher->Stale(*updated));
  // A conflict neither: the writer takes the newer object from the cache.
  bool first = true;
  auto later = base::SyncWait(cacher->GuaranteedUpdate(
      "default/p", false, {},
      [&](ObjectPtr) -> base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> {
        if (std::exchange(first, false)) MustUpdate(*cacher, {.name = "p", .node = "n2"});
        co_return Update{.stored = StoredPod({.name = "p", .node = "n3"})};
      }));
  ASSERT_TRUE(later);
  MustDelete(*cacher, "default/p");
  EXPECT_EQ(cipher_->sealed, 5);
  EXPECT_EQ(cipher_->opened, 0);
}

TEST_F(CountedEncryptionTest, WhatAnotherProcessSealedIsOpenedOnce) {
  auto ours = OverCounted();
  auto theirs = OverCounted();
  auto cacher = std::move(*Cacher::Start(ResourceNamed("pods"), *ours));
  Txn txn;
  txn.writes.push_back({.key = "/registry/pods/default/p", .value = StoredPod({.name = "p"})});
  ASSERT_TRUE(base::SyncWait(theirs->Commit(std::move(txn))));
  EXPECT_TRUE(base::SyncWait(cacher->Get("default/p", {})));
  EXPECT_TRUE(base::SyncWait(cacher->Get("default/p", {})));
  EXPECT_EQ(cipher_->opened, 1);
}

// Everything encrypted: it is a backend like the one below, and an Interface stands on it.
std::unique_ptr<Backend> AllEncrypted(std::unique_ptr<Backend> below) {
  static SealIds seal_ids;
  EncryptionConfig config;
  config.rules.push_back({.resources = {"*.*"}, .providers = {Gcm('a')}});
  return std::make_unique<EncryptedBackend>(std::move(below),
                                            std::move(*Encryption::Make(config, "/registry", seal_ids)));
}

INSTANTIATE_TEST_SUITE_P(Encrypted, BackendContract,
                         testing::Values(BackendFactory{[](const base::Clock& clock) {
                           return AllEncrypted(OpenMemoryBackend({.clock = &clock}));
                         }}));

std::unique_ptr<BackendForTest> EncryptedForTest() {
  return std::make_unique<OwnedBackend>(AllEncrypted(OpenMemoryBackend()));
}
std::unique_ptr<Interface> OpenCacher(const api::ResourceDesc& resource, Backend& backend,
                                      const LimitsForTest& limits) {
  auto cacher = Cacher::Start(
      resource, backend, {.max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes});
  EXPECT_TRUE(cacher);
  return std::move(*cacher);
}
std::unique_ptr<Interface> OpenDirect(const api::ResourceDesc& resource, Backend& backend,
                                      const LimitsForTest& limits) {
  return std::make_unique<DirectStore>(
      std::make_shared<const ObjectFactory>(resource, "/registry" + std::string(resource.storage_prefix)),
      backend,
      DirectStoreOptions{.max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes});
}

INSTANTIATE_TEST_SUITE_P(CacherOverEncrypted, InterfaceSuite,
                         testing::Values(InterfaceFactory{EncryptedForTest, OpenCacher}));
INSTANTIATE_TEST_SUITE_P(DirectOverEncrypted, InterfaceSuite,
                         testing::Values(InterfaceFactory{EncryptedForTest, OpenDirect}));

}  // namespace
}  // namespace keelson::storage::encryption
