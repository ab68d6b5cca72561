// KeyService: a provider whose key is kept by a plugin (KMS v2). Values are encrypted with keys that derive
// from a seed; the plugin encrypts the seed, and what it made of it is stored with every value. So writing
// asks nobody, and reading asks once per seed.
//
// The plugin is asked for its status all the time. When it names another key, a new seed is made with it:
// what was written with the old key then counts as sealed otherwise. While it is not well the seed it last
// confirmed is used for three minutes; after that nothing is written. Reading goes on.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "net/loop/event_loop.h"
#include "storage/encryption/cipher.h"
#include "storage/encryption/encryption_config.h"
#include "storage/encryption/kms/connection.h"
#include "storage/encryption/kms/messages.h"
#include "storage/encryption/transformer.h"

namespace keelson::storage::encryption::kms {

struct Timing {
  // Between questions for the status, after a good answer and after a bad one.
  std::chrono::nanoseconds good_interval = std::chrono::minutes(1);
  std::chrono::nanoseconds bad_interval = std::chrono::seconds(10);
  // How old an answer may be when somebody asks for the health of the service.
  std::chrono::nanoseconds good_age = std::chrono::seconds(20);
  std::chrono::nanoseconds bad_age = std::chrono::seconds(3);
  // How long a seed is used after the last good answer.
  std::chrono::nanoseconds seed_life = std::chrono::minutes(3);
  // How long a seed that could not be decrypted is not asked for again.
  std::chrono::nanoseconds refusal_life = std::chrono::seconds(1);
  const base::Clock* clock = &base::Clock::Real();
};

// Threads: any, but Open blocks while the plugin is asked, and never from the loop.
class KeyService final : public Cipher {
 public:
  // `seal_ids` and `loop` must outlive it.
  KeyService(KmsConfig config, SealIds& seal_ids, net::EventLoop& loop, Timing timing);
  ~KeyService() override;

  base::Result<void, std::string> Seal(std::string_view plain, std::string_view context,
                                       base::BufferBuilder& out) const override;
  base::Result<base::Slice, std::string> Open(std::string_view sealed,
                                              std::string_view context) const override;
  SealId CurrentSeal(SealId configured) const override;
  SealId SealOf(std::string_view sealed, SealId configured) const override;
  bool Ready(std::string_view sealed) const override;

  const KmsConfig& config() const { return config_; }

  // What the plugin last said of itself; asks it again, without waiting, if that was long ago.
  base::Result<void, std::string> Health();
  // Whether there is a seed to write with; waits for it so long.
  bool WaitUntilUsable(std::chrono::nanoseconds timeout);
  // No more questions for the status: another configuration is in use. Reading still works.
  void Retire();

 private:
  using SteadyTime = base::Clock::SteadyTime;
  // What is written with.
  struct Seed {
    std::shared_ptr<const Cipher> cipher;
    std::string key_id;
    std::string after_text;  // EncodeAfterText of its source
    SealId seal = kUnsealed;
  };
  struct Known {
    std::shared_ptr<const Cipher> cipher;  // null: refused
    std::string refusal;
    SteadyTime at;
  };

  // The loop's own.
  void Probe();
  void OnStatus(Connection::Answer answer);
  void OnEncrypted(Connection::Answer answer, std::string seed, std::string wanted_key_id, std::string uid,
                   SteadyTime asked);
  void Finish(std::string trouble);

  SealId SealOfKey(std::string_view key_id) const;
  base::Result<std::shared_ptr<const Cipher>, std::string> CipherOf(const KeySource& source) const;

  const KmsConfig config_;
  SealIds& seal_ids_;
  net::EventLoop& loop_;
  const Timing timing_;
  mutable Connection connection_;
  net::Timer probe_timer_;
  bool probing_ = false, retired_ = false;  // the loop's own
  std::string version_;                     // the loop's own: what the plugin first said

  mutable base::Mutex mu_;
  base::CondVar usable_;
  std::shared_ptr<const Seed> seed_ GUARDED_BY(mu_);
  SteadyTime seed_expires_ GUARDED_BY(mu_);
  std::string trouble_ GUARDED_BY(mu_) = "the plugin has not answered yet";  // empty: it is well
  SteadyTime answered_ GUARDED_BY(mu_);
  mutable std::map<std::string, Known, std::less<>> known_ GUARDED_BY(mu_);  // by EncodeAfterText
};

// All key services of a process, with the thread that they are asked on.
//
// Threads: any.
class KeyServices : public std::enable_shared_from_this<KeyServices> {
 public:
  // `seal_ids` must outlive it.
  static std::shared_ptr<KeyServices> Create(SealIds& seal_ids, Timing timing = {});
  ~KeyServices();

  // The one of this configuration; it lives as long as this object, which the pointer keeps.
  std::shared_ptr<KeyService> Get(const KmsConfig& config);

  // These are in use; the others are retired.
  void Use(const std::vector<KmsConfig>& configs);
  // Of those in use, as upstream's check "kms-providers" words it.
  base::Result<void, std::string> Health() const;

 private:
  KeyServices(SealIds& seal_ids, Timing timing);

  SealIds& seal_ids_;
  const Timing timing_;
  net::EventLoop loop_;
  mutable base::Mutex mu_;
  std::vector<std::unique_ptr<KeyService>> services_ GUARDED_BY(mu_);
  std::vector<KeyService*> used_ GUARDED_BY(mu_);
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace keelson::storage::encryption::kms
