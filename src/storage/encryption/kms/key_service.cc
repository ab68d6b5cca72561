#include "storage/encryption/kms/key_service.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "api/meta/object_meta.h"
#include "base/log.h"

namespace keelson::storage::encryption::kms {
namespace {

using base::Err;

// As upstream joins errors.
std::string Join(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::string all;
  for (const std::string& error : errors) all += (all.empty() ? "" : ", ") + error;
  return "[" + all + "]";
}

// Null: the plugin decrypted something that is no key.
std::shared_ptr<const Cipher> MakeCipher(SourceType type, std::string_view key) {
  if (type == SourceType::kSeed) return key.size() < kSeedSize ? nullptr : MakeSeededAesGcm(key);
  const bool aes = key.size() == 16 || key.size() == 24 || key.size() == 32;
  return aes ? MakeAesGcm(key) : nullptr;
}

}  // namespace

KeyService::KeyService(KmsConfig config, SealIds& seal_ids, net::EventLoop& loop, Timing timing)
    : config_(std::move(config)),
      seal_ids_(seal_ids),
      loop_(loop),
      timing_(timing),
      connection_(loop, config_.socket, config_.timeout),
      probe_timer_(loop.timers(), [this] { Probe(); }) {
  loop_.Post([this] { Probe(); });
}

KeyService::~KeyService() = default;

void KeyService::Probe() {
  if (retired_ || std::exchange(probing_, true)) return;
  connection_.Call(kStatusMethod, "", [this](Connection::Answer answer) { OnStatus(std::move(answer)); });
}

void KeyService::OnStatus(Connection::Answer answer) {
  const auto unwell = [&](const std::string& why) {
    Finish("kmsv2 Provider " + config_.name + " is not healthy, error: " + why);
  };
  if (!answer)
    return Finish("failed to perform status section of the healthz check for KMS Provider " + config_.name +
                  ", error: " + answer.error());
  const auto status = DecodeStatus(answer->view());
  if (!status) return unwell("the status is malformed");
  std::vector<std::string> errors;
  if (status->healthz != "ok") errors.push_back("got unexpected healthz status: " + status->healthz);
  if (status->version != "v2" && status->version != "v2beta1") {
    errors.push_back("expected KMSv2 API version v2, got " + status->version);
  } else {
    if (version_.empty()) version_ = status->version;
    if (version_ != status->version)
      errors.push_back("KMSv2 API version should not change after the initial status response version " +
                       version_ + ", got " + status->version);
  }
  if (const std::string wrong = CheckKeyId(status->key_id); !wrong.empty())
    errors.push_back("got invalid KMSv2 KeyID hash \"" + DigestOf(status->key_id) + "\": " + wrong);
  if (!errors.empty()) return unwell(Join(errors));

  // The time of the seed begins before the plugin is asked for it.
  const SteadyTime now = timing_.clock->SteadyNow();
  {
    base::MutexLock lock(mu_);
    if (seed_ && seed_->key_id == status->key_id) {
      seed_expires_ = now + timing_.seed_life;
      errors.clear();
    } else {
      errors.emplace_back();  // the key is another one
    }
  }
  if (errors.empty()) return Finish("");
  auto seed = RandomBytes(kSeedSize);
  if (!seed) return unwell(seed.error());
  std::string uid = api::NewUid();
  std::string request = EncodeEncrypt(*seed, uid);
  connection_.Call(kEncryptMethod, std::move(request),
                   [this, seed = std::move(*seed), key_id = status->key_id, uid = std::move(uid),
                    now](Connection::Answer encrypted) mutable {
                     OnEncrypted(std::move(encrypted), std::move(seed), std::move(key_id), std::move(uid),
                                 now);
                   });
}

void KeyService::OnEncrypted(Connection::Answer answer, std::string seed, std::string wanted_key_id,
                             std::string uid, SteadyTime asked) {
  KeySource source;
  std::string wrong;
  if (!answer) {
    wrong = "failed to encrypt DEK, error: " + answer.error();
  } else if (auto encrypted = DecodeEncrypt(answer->view()); !encrypted) {
    wrong = "the answer is malformed";
  } else {
    source = {.key_id = std::move(encrypted->key_id),
              .ciphertext = std::move(encrypted->ciphertext),
              .annotations = std::move(encrypted->annotations)};
    wrong = CheckSource(source);
    if (wrong.empty() && source.key_id != wanted_key_id) wrong = "the plugin used another key than it named";
  }
  if (!wrong.empty())
    return Finish("kmsv2 Provider " + config_.name + " is not healthy, error: failed to rotate DEK uid=\"" +
                  uid + "\", errGen=" + wrong + ", statusKeyIDHash=\"" + DigestOf(wanted_key_id) +
                  "\", encryptKeyIDHash=\"" + DigestOf(source.key_id) + "\"");
  auto made = std::make_shared<Seed>();
  made->cipher = MakeCipher(source.type, seed);
  made->after_text = EncodeAfterText(source);
  made->seal = SealOfKey(source.key_id);
  made->key_id = std::move(source.key_id);
  {
    base::MutexLock lock(mu_);
    known_.insert_or_assign(made->after_text, Known{.cipher = made->cipher});
    seed_ = std::move(made);
    seed_expires_ = asked + timing_.seed_life;
  }
  base::Log(base::LogLevel::kInfo, "a new key of a KMS provider is in use",
            {{"provider", config_.name}, {"keyIDHash", DigestOf(wanted_key_id)}});
  usable_.NotifyAll();
  Finish("");
}

void KeyService::Finish(std::string trouble) {
  probing_ = false;
  const bool good = trouble.empty();
  if (!retired_) probe_timer_.Start(good ? timing_.good_interval : timing_.bad_interval);
  base::MutexLock lock(mu_);
  if (!good && trouble != trouble_)
    base::Log(base::LogLevel::kError, "a KMS provider is not well",
              {{"provider", config_.name}, {"why", trouble}});
  trouble_ = std::move(trouble);
  answered_ = timing_.clock->SteadyNow();
}

base::Result<void, std::string> KeyService::Health() {
  base::MutexLock lock(mu_);
  const bool good = trouble_.empty();
  if (timing_.clock->SteadyNow() - answered_ > (good ? timing_.good_age : timing_.bad_age))
    loop_.Post([this] { Probe(); });
  if (!good) return Err(trouble_);
  return {};
}

bool KeyService::WaitUntilUsable(std::chrono::nanoseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  base::MutexLock lock(mu_);
  while (!seed_ && std::chrono::steady_clock::now() < deadline) usable_.WaitUntil(mu_, deadline);
  return seed_ != nullptr;
}

void KeyService::Retire() {
  loop_.Post([this] {
    retired_ = true;
    probe_timer_.Cancel();
  });
}

SealId KeyService::SealOfKey(std::string_view key_id) const {
  return seal_ids_.Number("k8s:enc:kms:v2:" + config_.name + ":", key_id);
}

SealId KeyService::CurrentSeal(SealId configured) const {
  base::MutexLock lock(mu_);
  return seed_ ? seed_->seal : configured;
}

SealId KeyService::SealOf(std::string_view sealed, SealId configured) const {
  const auto stored = DecodeStored(sealed);
  // A key that is not derived is of the past, whatever its name.
  if (!stored || stored->source.type != SourceType::kSeed) return configured;
  {
    base::MutexLock lock(mu_);
    if (seed_ && seed_->key_id == stored->source.key_id) return seed_->seal;
  }
  return SealOfKey(stored->source.key_id);
}

base::Result<void, std::string> KeyService::Seal(std::string_view plain, std::string_view context,
                                                 base::BufferBuilder& out) const {
  std::shared_ptr<const Seed> seed;
  {
    base::MutexLock lock(mu_);
    if (!seed_) return Err("KMS provider " + config_.name + " gave no key yet: " + trouble_);
    if (timing_.clock->SteadyNow() > seed_expires_)
      return Err("encryptedDEKSource with keyID hash \"" + DigestOf(seed_->key_id) +
                 "\" expired: " + trouble_);
    seed = seed_;
  }
  out.Append(EncodeBeforeText(plain.size() + kSeededOverhead));
  TRY(seed->cipher->Seal(plain, context, out));
  out.Append(seed->after_text);
  return {};
}

base::Result<base::Slice, std::string> KeyService::Open(std::string_view sealed,
                                                        std::string_view context) const {
  const auto stored = TRY(DecodeStored(sealed));
  const auto cipher = TRY(CipherOf(stored.source));
  return cipher->Open(stored.text, context);
}

bool KeyService::Ready(std::string_view sealed) const {
  const auto stored = DecodeStored(sealed);
  if (!stored) return true;  // nobody is asked for that
  const std::string name = EncodeAfterText(stored->source);
  base::MutexLock lock(mu_);
  const auto at = known_.find(name);
  return at != known_.end() && at->second.cipher != nullptr;
}

base::Result<std::shared_ptr<const Cipher>, std::string> KeyService::CipherOf(const KeySource& source) const {
  const std::string name = EncodeAfterText(source);
  {
    base::MutexLock lock(mu_);
    if (const auto at = known_.find(name); at != known_.end()) {
      if (at->second.cipher) return at->second.cipher;
      // Of many values of one seed only the first waits for a plugin that does not answer.
      if (timing_.clock->SteadyNow() - at->second.at < timing_.refusal_life) return Err(at->second.refusal);
    }
  }
  const auto answer = connection_.Ask(kDecryptMethod, EncodeDecrypt(source, api::NewUid()));
  Known known{.at = timing_.clock->SteadyNow()};
  if (!answer) {
    known.refusal = "failed to decrypt DEK, error: " + answer.error();
  } else if (const auto key = DecodeDecrypt(answer->view()); key) {
    known.cipher = MakeCipher(source.type, *key);
  }
  if (!known.cipher && known.refusal.empty())
    known.refusal =
        "failed to decrypt DEK, error: what KMS provider " + config_.name + " decrypted is no key";
  base::MutexLock lock(mu_);
  // Another thread may have got it meanwhile.
  Known& kept = known_[name];
  if (!kept.cipher) kept = std::move(known);
  if (!kept.cipher) return Err(kept.refusal);
  return kept.cipher;
}

std::shared_ptr<KeyServices> KeyServices::Create(SealIds& seal_ids, Timing timing) {
  return std::shared_ptr<KeyServices>(new KeyServices(seal_ids, timing));
}

KeyServices::KeyServices(SealIds& seal_ids, Timing timing)
    : seal_ids_(seal_ids), timing_(timing), thread_([this] { loop_.Run(); }) {
  pthread_setname_np(thread_.native_handle(), "kms");
}

KeyServices::~KeyServices() {
  loop_.Stop();
  thread_.join();
}

std::shared_ptr<KeyService> KeyServices::Get(const KmsConfig& config) {
  base::MutexLock lock(mu_);
  auto at = std::ranges::find_if(used_, [&](const KeyService* s) { return s->config() == config; });
  if (at == used_.end()) {
    services_.push_back(std::make_unique<KeyService>(config, seal_ids_, loop_, timing_));
    at = used_.insert(used_.end(), services_.back().get());
  }
  return {shared_from_this(), *at};
}

void KeyServices::Use(const std::vector<KmsConfig>& configs) {
  base::MutexLock lock(mu_);
  std::erase_if(used_, [&](KeyService* service) {
    if (std::ranges::find(configs, service->config()) != configs.end()) return false;
    service->Retire();
    return true;
  });
}

base::Result<void, std::string> KeyServices::Health() const {
  base::MutexLock lock(mu_);
  std::vector<std::string> errors;
  for (size_t i = 0; i < used_.size(); ++i)
    if (const auto healthy = used_[i]->Health(); !healthy)
      errors.push_back("kms-provider-" + std::to_string(i) + ": " + healthy.error());
  if (errors.empty()) return {};
  return Err(Join(errors));
}

}  // namespace keelson::storage::encryption::kms
