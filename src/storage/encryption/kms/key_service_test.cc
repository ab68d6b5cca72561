#include "storage/encryption/kms/key_service.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <future>

#include "storage/cacher/cacher.h"
#include "storage/encryption/encrypted_backend.h"
#include "storage/encryption/kms/testing/fake_plugin.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/interface_suite.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage::encryption::kms {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kKey = "/registry/secrets/ns/s";
constexpr std::string_view kPrefix = "k8s:enc:kms:v2:local:";

class KmsTest : public testing::Test {
 protected:
  KmsTest() {
    char folder[] = "/tmp/kmsXXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~KmsTest() override { std::filesystem::remove_all(folder_); }

  std::string socket() const { return (folder_ / "s").string(); }
  KmsConfig config() const { return {.name = "local", .socket = socket(), .timeout = 500ms}; }
  std::shared_ptr<KeyServices> Services() {
    return KeyServices::Create(seal_ids_, {.good_interval = 5ms,
                                           .bad_interval = 5ms,
                                           .good_age = 0ms,
                                           .bad_age = 0ms,
                                           .seed_life = 180s,
                                           .refusal_life = 0ms,
                                           .clock = &clock_});
  }

  // Waits for something that the questions to the plugin bring about.
  template <class F>
  static bool Eventually(F holds) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  static base::Result<std::string, std::string> Seal(const Cipher& cipher, std::string_view plain) {
    base::BufferBuilder out;
    TRY(cipher.Seal(plain, kKey, out));
    return std::string(out.view());
  }
  static std::string MustSeal(const Cipher& cipher, std::string_view plain) {
    auto sealed = Seal(cipher, plain);
    EXPECT_TRUE(sealed) << sealed.error();
    return sealed.value_or("");
  }
  static std::string Open(const Cipher& cipher, std::string_view sealed) {
    const auto opened = cipher.Open(sealed, kKey);
    return opened ? std::string(opened->view()) : "error: " + opened.error();
  }

  std::filesystem::path folder_;
  SealIds seal_ids_;
  base::FakeClock clock_;
};

TEST_F(KmsTest, OneCallOfThePluginServesAllValues) {
  FakePlugin plugin(socket());
  const auto services = Services();
  const auto service = services->Get(config());
  ASSERT_TRUE(service->WaitUntilUsable(10s));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Open(*service, MustSeal(*service, "word")), "word");
  EXPECT_EQ(plugin.encrypted(), 1);
  EXPECT_EQ(plugin.decrypted(), 0);
  EXPECT_TRUE(Eventually([&] { return services->Health().has_value(); }));

  // Another process reads it all with one call more.
  const auto other_services = Services();
  const auto other = other_services->Get(config());
  const std::string one = MustSeal(*service, "1"), two = MustSeal(*service, "2");
  EXPECT_EQ(Open(*other, one), "1");
  EXPECT_EQ(Open(*other, two), "2");
  EXPECT_EQ(plugin.decrypted(), 1);
  EXPECT_THAT(service->Open(one, "/registry/secrets/ns/other").error(), HasSubstr("authentication failed"));
}

TEST_F(KmsTest, ANewKeyIdMakesANewSeedAndOldValuesStale) {
  FakePlugin plugin(socket());
  const auto services = Services();
  const auto service = services->Get(config());
  ASSERT_TRUE(service->WaitUntilUsable(10s));
  const std::string old = MustSeal(*service, "1");
  const SealId before = service->CurrentSeal(0);
  EXPECT_EQ(service->SealOf(old, 0), before);
  plugin.SetKeyId("key-2");
  ASSERT_TRUE(Eventually([&] { return service->CurrentSeal(0) != before; }));
  EXPECT_EQ(service->SealOf(old, 0), before);
  EXPECT_EQ(service->SealOf(MustSeal(*service, "2"), 0), service->CurrentSeal(0));
  EXPECT_EQ(Open(*service, old), "1");
  EXPECT_EQ(plugin.encrypted(), 2);
}

TEST_F(KmsTest, WithoutThePluginASeedIsGoodForAWhile) {
  auto plugin = std::make_unique<FakePlugin>(socket());
  const auto services = Services();
  const auto service = services->Get(config());
  ASSERT_TRUE(service->WaitUntilUsable(10s));
  plugin->SetHealthz("locked");
  const auto health_says = [&](std::string_view text) {
    const auto health = services->Health();
    return !health && health.error().find(text) != std::string::npos;
  };
  ASSERT_TRUE(Eventually([&] {
    return health_says(
        "kms-provider-0: kmsv2 Provider local is not healthy, error: got unexpected healthz status: locked");
  }));
  const std::string written = MustSeal(*service, "1");
  clock_.Advance(179s);
  MustSeal(*service, "1");
  clock_.Advance(2s);
  EXPECT_THAT(Seal(*service, "1").error(), HasSubstr("expired"));
  EXPECT_EQ(Open(*service, written), "1");
  plugin.reset();
  ASSERT_TRUE(Eventually([&] { return health_says("failed to perform status"); }));
  // The seed is taken up again: it is the plugin's key that counts.
  plugin = std::make_unique<FakePlugin>(socket());
  ASSERT_TRUE(Eventually([&] { return Seal(*service, "1").has_value(); }));
  EXPECT_TRUE(Eventually([&] { return services->Health().has_value(); }));
  EXPECT_EQ(plugin->encrypted(), 0);
}

TEST_F(KmsTest, AServiceThatIsNotThereGivesNoKey) {
  const auto services = Services();
  const auto service = services->Get(config());
  EXPECT_FALSE(service->WaitUntilUsable(20ms));
  EXPECT_THAT(Seal(*service, "1").error(), HasSubstr("gave no key yet"));
  FakePlugin plugin(socket());
  EXPECT_TRUE(service->WaitUntilUsable(10s));
}

TEST_F(KmsTest, WhatUpstreamStoredBeforeItDerivedKeysIsReadAndIsStale) {
  FakePlugin plugin(socket());
  const auto services = Services();
  const auto service = services->Get(config());
  ASSERT_TRUE(service->WaitUntilUsable(10s));
  // The plugin encrypts a key as it is.
  const std::string key(32, 'k');
  std::string text;
  {
    base::BufferBuilder out;
    ASSERT_TRUE(MakeAesGcm(key)->Seal("old", kKey, out));
    text = out.view();
  }
  base::BufferBuilder source;
  ASSERT_TRUE(MakeAesGcm(DigestOf("key-1").substr(7, 32))->Seal(key, "", source));
  const KeySource old{.key_id = "key-1",
                      .ciphertext = std::string(source.view()),
                      .annotations = {{"version.fake.example.com", "1"}},
                      .type = SourceType::kAesGcmKey};
  const std::string stored = EncodeBeforeText(text.size()) + text + EncodeAfterText(old);
  EXPECT_EQ(Open(*service, stored), "old");
  EXPECT_NE(service->SealOf(stored, 0), service->CurrentSeal(0));
}

TEST_F(KmsTest, WhatIsNoEncryptedObjectIsRefused) {
  FakePlugin plugin(socket());
  const auto services = Services();
  const auto service = services->Get(config());
  ASSERT_TRUE(service->WaitUntilUsable(10s));
  EXPECT_EQ(Open(*service, "\xff"), "error: the stored data is no EncryptedObject");
  EXPECT_EQ(Open(*service, ""), "error: encrypted data is empty");
  KeySource source{.key_id = "k", .ciphertext = "c"};
  const auto stored = [&] { return EncodeBeforeText(1) + "t" + EncodeAfterText(source); };
  source.annotations = {{"not a domain", "1"}};
  EXPECT_THAT(Open(*service, stored()), HasSubstr("failed to validate annotations"));
  source.annotations.clear();
  source.key_id = std::string(1025, 'k');
  EXPECT_THAT(Open(*service, stored()), HasSubstr("exceeds the max size of 1024"));
  EXPECT_EQ(plugin.decrypted(), 0);
}

// A Cacher of pods, on a store that is encrypted here with one seed and written to elsewhere with another.
class KmsFeedTest : public KmsTest {
 protected:
  void Start(const KmsConfig& kms) {
    EncryptionConfig rules;
    rules.rules.push_back(
        {.resources = {"pods"}, .providers = {{.kind = ProviderConfig::Kind::kKms, .kms = kms}}});
    auto encryption = Encryption::Make(rules, "/registry", seal_ids_,
                                       [this](const KmsConfig& config) { return ours_->Get(config); });
    ASSERT_TRUE(encryption);
    auto store = OpenMemoryBackend();
    below_ = store.get();
    backend_ = std::make_unique<EncryptedBackend>(std::move(store), std::move(*encryption));
    ASSERT_TRUE(ours_->Get(kms)->WaitUntilUsable(10s));
    cacher_ = std::move(*Cacher::Start(ResourceNamed("pods"), *backend_, {.reload_pause = 1ms}));
  }
  // The pod at kPod as another process stores it: its seed is not known here.
  std::string SealedElsewhere() {
    const auto other = theirs_->Get(config());
    EXPECT_TRUE(other->WaitUntilUsable(10s));
    base::BufferBuilder out;
    out.Append(kPrefix);
    EXPECT_TRUE(other->Seal(StoredPod({.name = "p"}).view(), kPod, out));
    return std::string(out.view());
  }

  static constexpr const char* kPod = "/registry/pods/default/p";
  FakePlugin plugin_{socket()};
  const std::shared_ptr<KeyServices> ours_ = Services(), theirs_ = Services();
  Backend* below_ = nullptr;  // what is stored, as it is stored
  std::unique_ptr<EncryptedBackend> backend_;
  std::unique_ptr<Cacher> cacher_;
};

TEST_F(KmsFeedTest, AFeedBreaksWhileTheServiceIsAwayAndLosesNothing) {
  ASSERT_NO_FATAL_FAILURE(Start(config()));
  const std::string sealed = SealedElsewhere();
  plugin_.RefuseDecrypt(true);
  Put(*below_, kPod, sealed);
  ASSERT_TRUE(Eventually([&] { return plugin_.decrypted() > 2; }));
  EXPECT_EQ(cacher_->Count(), 0);
  plugin_.RefuseDecrypt(false);
  EXPECT_TRUE(Eventually([&] { return cacher_->Count() == 1; }));
}

TEST_F(KmsFeedTest, APluginThatHangsHoldsUpNobodyButThoseWhoReadWithIt) {
  KmsConfig slow = config();
  slow.timeout = 60s;
  ASSERT_NO_FATAL_FAILURE(Start(slow));
  auto watcher = MustWatch(*cacher_);
  EXPECT_THAT(Drain(*watcher), testing::IsEmpty());

  const std::string sealed = SealedElsewhere();
  plugin_.HangInDecrypt(true);
  auto written = std::async(std::launch::async, [&] {
    Put(*below_, kPod, sealed);
    return Put(*backend_, "/registry/configmaps/default/c", "c");
  });
  EXPECT_EQ(written.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(cacher_->Count(), 0);
  // What is in its way cannot be shown now, and is not waited for.
  Txn guarded = PutTxn(kPod, "mine");
  guarded.compares.push_back({.key = kPod, .mod_revision = 0});
  auto refused = std::async(std::launch::async, [&] { return MustCommit(*backend_, std::move(guarded)); });
  EXPECT_EQ(refused.wait_for(20s), std::future_status::ready);
  plugin_.HangInDecrypt(false);
  EXPECT_FALSE(refused.get().succeeded);
  EXPECT_TRUE(Eventually([&] { return cacher_->Count() == 1; }));
  EXPECT_THAT(Drain(*watcher), testing::ElementsAre("ADDED default/p"));
}

}  // namespace
}  // namespace keelson::storage::encryption::kms
