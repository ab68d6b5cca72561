#include "storage/encryption/encrypted_backend.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace keelson::storage::encryption {
namespace {

using base::Err;

Error CannotTransform(std::string_view key, const std::string& why, Code code = Code::kCorrupt) {
  return {.code = code,
          .detail = "unable to transform key \"" + std::string(key) + "\": " + why,
          .key = std::string(key)};
}

// Passes on what is plain; anything else is an error.
class PlainReceiver final : public Receiver {
 public:
  PlainReceiver(const Transformer& transformer, Receiver& next) : transformer_(transformer), next_(next) {}
  void StartOver() override { next_.StartOver(); }
  void Expect(size_t count) override { next_.Expect(count); }
  void Take(size_t position, const StoredView& stored) override {
    auto opened = transformer_.FromStorage(base::Slice::Static(stored.value), stored.key);
    if (opened) return next_.Take(position, stored);
    base::MutexLock lock(mu_);
    if (result_) result_ = Err(CannotTransform(stored.key, opened.error().why));
  }
  Result<void> TakeResult() {
    base::MutexLock lock(mu_);
    return std::move(result_);
  }

 private:
  const Transformer& transformer_;
  Receiver& next_;
  base::Mutex mu_;
  Result<void> result_ GUARDED_BY(mu_);
};

}  // namespace

Result<std::optional<std::string>> FindEncrypted(Backend& stored, std::string_view prefix) {
  constexpr size_t kPage = 500;
  const std::string end = PrefixEnd(prefix);
  std::string start(prefix);
  for (;;) {
    const auto page = TRY(stored.Range(start, end, {.limit = kPage, .counted = false}));
    for (const KeyValue& kv : page.items)
      if (IsEncrypted(kv.value.view())) return kv.key;
    if (!page.more || page.items.empty()) return std::nullopt;
    start = page.items.back().key + '\0';
  }
}

// Decrypts what an observer is told of.
class EncryptedBackend::Feed final : public Subscription, private Observer {
 public:
  Feed(EncryptedBackend& owner, std::string prefix, Observer& observer)
      : owner_(owner), prefix_(std::move(prefix)), observer_(observer) {}

  Result<void> Start(Revision after) {
    below_ = TRY(owner_.below_->Subscribe(prefix_, after, *this));
    return {};
  }

 private:
  void OnChanges(std::span<const Change> changes, Revision revision) override {
    if (broken_) return;
    if (owner_.rules().PlainBelow(prefix_)) return observer_.OnChanges(changes, revision);
    changes_.assign(changes.begin(), changes.end());
    for (Change& change : changes_) {
      if (change.type != Write::Type::kPut) continue;
      if (change.tag && change.tag->plain()) {
        change.value = change.tag->plain()->value;
        change.seal = change.tag->plain()->seal;
        continue;
      }
      const Transformer& transformer = owner_.rules().For(change.key);
      if (!transformer.Ready(change.value.view())) return BreakAt(change);
      auto opened = transformer.FromStorage(change.value, change.key);
      if (opened) {
        change.value = std::move(opened->plain);
        change.seal = opened->seal;
      } else {
        base::Log(base::LogLevel::kError, "a value cannot be decrypted",
                  {{"key", change.key}, {"revision", change.revision}, {"error", opened.error().why}});
      }
    }
    observer_.OnChanges(changes_, revision);
    changes_.clear();
  }
  void OnBroken(const Error& error) override {
    if (!std::exchange(broken_, true)) observer_.OnBroken(error);
  }
  void OnHistoryLost(const Error& error) override {
    broken_ = true;
    observer_.OnHistoryLost(error);
  }
  // Nothing may be left out, and nobody else may be kept waiting: the observer goes on later.
  void BreakAt(const Change& change) {
    broken_ = true;
    const Error error = CannotTransform(change.key, "its key must be asked for", Code::kUnreachable);
    {
      base::MutexLock lock(owner_.mu_);
      owner_.awaited_.insert_or_assign(prefix_, Awaited{std::string(change.key), change.value});
    }
    changes_.clear();
    observer_.OnBroken(error);
  }

  EncryptedBackend& owner_;
  const std::string prefix_;
  Observer& observer_;
  bool broken_ = false;
  std::vector<Change> changes_;
  std::unique_ptr<Subscription> below_;
};

EncryptedBackend::EncryptedBackend(std::unique_ptr<Backend> below,
                                   std::unique_ptr<const Encryption> encryption)
    : below_(std::move(below)) {
  Use(std::move(encryption));
}

EncryptedBackend::~EncryptedBackend() = default;

void EncryptedBackend::Use(std::unique_ptr<const Encryption> encryption) {
  base::MutexLock lock(mu_);
  rules_.store(encryption.get(), std::memory_order_release);
  owned_.push_back(std::move(encryption));
}

base::Task<Result<TxnResult>> EncryptedBackend::Commit(Txn txn) {
  const Encryption& encryption = rules();
  const auto plain = [&](const auto& one) { return encryption.For(one.key).plain(); };
  if (std::ranges::all_of(txn.writes, plain) && std::ranges::all_of(txn.compares, plain))
    return below_->Commit(std::move(txn));
  return CommitEncrypted(std::move(txn));
}

base::Task<Result<TxnResult>> EncryptedBackend::CommitEncrypted(Txn txn) {
  for (Write& write : txn.writes) {
    if (write.type != Write::Type::kPut) continue;
    auto sealed = rules().For(write.key).ToStorage(write.value, write.key);
    if (!sealed) co_return Err(CannotTransform(write.key, sealed.error(), Code::kUnreachable));
    if (write.tag) write.tag->SetPlain({.value = std::move(write.value), .seal = sealed->seal});
    write.value = std::move(sealed->stored);
  }
  const bool wants_current_value = txn.wants_current_value;
  auto result = co_await below_->Commit(std::move(txn));
  if (result && result->current) {
    KeyValue& current = *result->current;
    if (!wants_current_value || !rules().For(current.key).Ready(current.value.view())) {
      current.value = {};
    } else if (auto decrypted = Decrypt(current); !decrypted) {
      co_return Err(std::move(decrypted.error()));
    }
  }
  co_return result;
}

Result<void> EncryptedBackend::Decrypt(KeyValue& kv) const {
  auto opened = rules().For(kv.key).FromStorage(kv.value, kv.key);
  if (!opened) {
    const auto& [why, may_pass] = opened.error();
    return Err(CannotTransform(kv.key, why, may_pass ? Code::kUnreachable : Code::kCorrupt));
  }
  kv.value = std::move(opened->plain);
  kv.seal = opened->seal;
  return {};
}

Result<RangeResult> EncryptedBackend::Range(std::string_view start, std::string_view end,
                                            const RangeOptions& options) {
  auto result = below_->Range(start, end, options);
  if (!result || options.keys_only) return result;
  for (KeyValue& kv : result->items) TRY(Decrypt(kv));
  return result;
}

Result<Revision> EncryptedBackend::ReadAll(std::string_view prefix, Receiver& receiver, size_t page) {
  const Encryption& encryption = rules();
  if (!encryption.PlainBelow(prefix)) return Backend::ReadAll(prefix, receiver, page);
  PlainReceiver plain(encryption.For(prefix), receiver);
  auto revision = below_->ReadAll(prefix, plain, page);
  if (auto result = plain.TakeResult(); revision && !result) return Err(std::move(result.error()));
  return revision;
}

Result<std::optional<KeyValue>> EncryptedBackend::Get(std::string_view key, Revision revision) {
  auto result = below_->Get(key, revision);
  if (result && *result) TRY(Decrypt(**result));
  return result;
}

// The value at which the last feed of `prefix` broke: reading it gets its key.
Result<void> EncryptedBackend::ReadAwaited(const std::string& prefix) {
  Awaited awaited;
  {
    base::MutexLock lock(mu_);
    const auto at = awaited_.find(prefix);
    if (at == awaited_.end()) return {};
    awaited = at->second;
  }
  const auto opened = rules().For(awaited.key).FromStorage(awaited.value, awaited.key);
  if (!opened && opened.error().may_pass)
    return Err(CannotTransform(awaited.key, opened.error().why, Code::kUnreachable));
  base::MutexLock lock(mu_);
  awaited_.erase(prefix);
  return {};
}

Result<std::unique_ptr<Backend::Subscription>> EncryptedBackend::Subscribe(std::string prefix, Revision after,
                                                                           Observer& observer) {
  TRY(ReadAwaited(prefix));
  auto feed = std::make_unique<Feed>(*this, std::move(prefix), observer);
  TRY(feed->Start(after));
  return feed;
}

}  // namespace keelson::storage::encryption
