#include "storage/etcd3/etcd_backend.h"

#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/sync_wait.h"
#include "base/trace.h"
#include "net/tls/client_context.h"
#include "storage/etcd3/client.h"
#include "storage/etcd3/commit.h"
#include "storage/etcd3/endpoint.h"
#include "storage/etcd3/errors.h"
#include "storage/etcd3/feed.h"
#include "storage/etcd3/messages.h"

namespace keelson::storage {
namespace etcd3 {
namespace {

using std::chrono::seconds;

// As long as a read waits for a revision elsewhere: upstream's time for a version to come.
constexpr seconds kCatchUpTimeout{3};
constexpr seconds kSubscribeTimeout{10};
constexpr seconds kProbeInterval{5};
constexpr seconds kRevisionReadTimeout{5};
// A page of a list can be large, and etcd slow.
constexpr seconds kRangeTimeout{60};

// The key by which servers take turns in compacting; the name is upstream's.
constexpr std::string_view kCompactRevKey = "compact_rev_key";

Error ExpiredError(Revision revision) {
  return {.code = Code::kExpired, .detail = "required revision has been compacted", .revision = revision};
}
Error FutureError(Revision revision) {
  return {.code = Code::kTooLarge, .detail = "required revision is a future revision", .revision = revision};
}
Error Malformed() { return {.code = Code::kUnreachable, .detail = "etcd sent a malformed message"}; }

class Connection final : public EtcdBackend {
 public:
  Connection(std::unique_ptr<net::tls::ClientContext> tls, std::vector<net::grpc::Target> targets,
             net::Duration probe_timeout);
  ~Connection() override;

  Result<void> WaitForFirstAnswer(net::Duration timeout);

  base::Task<Result<TxnResult>> Commit(Txn txn) override;
  Result<RangeResult> Range(std::string_view start, std::string_view end,
                            const RangeOptions& options) override;
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override;
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override;
  base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) override;
  base::Task<Result<void>> Compact(Revision revision) override;
  base::Task<Result<void>> CompactInTurn() override;
  base::Task<Result<int64_t>> DatabaseBytes() override;
  base::Result<void, std::string> ReloadTls(const net::tls::ClientTlsConfig& tls) override {
    if (!tls_) return {};
    return tls_->Replace(tls);
  }
  Revision CurrentRevision() const override { return feed_.current(); }
  Revision CompactedRevision() const override { return feed_.compacted(); }
  bool shared() const override { return true; }
  uint64_t History() const override { return feed_.history(); }
  base::Task<Result<void>> CatchUp(Revision revision) override;
  Result<void> Health() const override;

 private:
  using RevisionRead = std::move_only_function<void(Result<Revision>)>;
  class Subscribed;

  void NoteCompacted(Revision revision);
  base::Task<Client::Answer> Ask(std::string_view method, std::string message, CallOptions options);
  // The loop's own, all of these.
  void ReadRevision(RevisionRead done);
  void StartRevisionRead();
  Result<Revision> RevisionOf(const Client::Answer& answer, Revision told);
  void CatchUpOnLoop(Revision revision, base::Completion<Result<void>> done);
  void SubscribeOnLoop(const std::string& prefix, Revision after, Observer& observer,
                       std::promise<Result<void>>& done);
  void Probe();
  void SetHealth(std::optional<Error> error);

  const std::unique_ptr<net::tls::ClientContext> tls_;
  const net::Duration probe_timeout_;
  net::EventLoop loop_;
  Client client_;
  Feed feed_;
  Committer committer_;
  std::vector<RevisionRead> revision_reads_;  // for the next one
  bool reading_revision_ = false;
  net::Timer probe_timer_;

  mutable base::Mutex health_mu_;
  std::optional<Error> unhealthy_ GUARDED_BY(health_mu_);

  // CompactInTurn's own.
  int64_t compact_version_ = 0;
  Revision compact_next_ = 0;

  std::thread thread_;  // last: it uses all of the above
};

class Connection::Subscribed final : public Subscription {
 public:
  Subscribed(ObserverTable& table, std::string prefix, Observer& observer)
      : table_(table), prefix_(std::move(prefix)), observer_(observer) {}
  ~Subscribed() override { table_.Remove(prefix_, observer_); }

 private:
  ObserverTable& table_;
  const std::string prefix_;
  Observer& observer_;
};

Connection::Connection(std::unique_ptr<net::tls::ClientContext> tls, std::vector<net::grpc::Target> targets,
                       net::Duration probe_timeout)
    : tls_(std::move(tls)),
      probe_timeout_(probe_timeout),
      client_(loop_, std::move(targets),
              {.on_up =
                   [this] {
                     feed_.OnUp();
                     Probe();
                   },
               .on_down =
                   [this] {
                     feed_.OnDown();
                     SetHealth(Error{.code = Code::kUnreachable, .detail = client_.trouble()});
                   }}),
      feed_(loop_, client_),
      committer_(loop_, client_, feed_),
      probe_timer_(loop_.timers(), [this] { Probe(); }),
      thread_([this] { loop_.Run(); }) {
  pthread_setname_np(thread_.native_handle(), "etcd");
}

Connection::~Connection() {
  loop_.Stop();
  thread_.join();
}

Result<void> Connection::WaitForFirstAnswer(net::Duration timeout) {
  auto asked = Ask(kRangeMethod, EncodeGet(kCompactRevKey, 0), {.wait = timeout, .timeout = timeout});
  auto answer = base::SyncWait(std::move(asked));
  if (!answer) return base::Err(ToError(answer.error()));
  auto range = DecodeRange(*answer);
  if (!range) return base::Err(Malformed());
  std::promise<void> started;
  loop_.Post([&] {
    SetHealth(std::nullopt);  // as the probe on its way will find
    if (!feed_.started()) feed_.Start(range->header);
    started.set_value();
  });
  started.get_future().wait();
  return {};
}

base::Task<Client::Answer> Connection::Ask(std::string_view method, std::string message,
                                           CallOptions options) {
  base::Completion<Client::Answer> done;
  loop_.Post([this, method, message = std::move(message), options, done]() mutable {
    client_.Call(method, std::move(message), options,
                 [done](Client::Answer answer) { done.Set(std::move(answer)); });
  });
  co_return co_await done;
}

// ---- Writing

base::Task<Result<TxnResult>> Connection::Commit(Txn txn) {
  const std::string_view method = kTxnMethod.substr(1);
  base::ScopedSpan span(txn.trace, method, base::SpanKind::kClient);
  if (const base::SpanContext context = span.context(); context.valid())
    txn.trace_parent = base::TraceParent(context);
  base::Completion<Result<TxnResult>> done;
  loop_.Post([this, txn = std::move(txn), done]() mutable { committer_.Start(std::move(txn), done); });
  auto result = co_await done;
  if (span) {
    span->Set("rpc.method", method);
    span->Set("rpc.system.name", "grpc");
    if (result)
      span->Set("rpc.response.status_code", "OK");
    else
      span->Fail(result.error().detail);
  }
  co_return result;
}

base::Task<Result<LeaseId>> Connection::GrantLease(std::chrono::seconds ttl) {
  // Repeating it leaves at worst a lease behind that nobody uses; it ends by itself.
  auto answer = co_await Ask(kLeaseGrantMethod, EncodeLeaseGrant(ttl.count()), {});
  if (!answer) co_return base::Err(ToError(answer.error()));
  const auto lease = DecodeLeaseGrant(*answer);
  if (!lease) co_return base::Err(Malformed());
  co_return *lease;
}

// etcd is told to forget one revision less. What it compacts to it keeps as a state but, before
// 3.4.36 and 3.5.18, not as events if it was a deletion; and the feed promises these.
base::Task<Result<void>> Connection::Compact(Revision revision) {
  if (revision > feed_.current()) co_return base::Err(FutureError(revision));
  if (revision <= feed_.compacted()) co_return base::Err(ExpiredError(revision));
  if (revision > 1) {
    const auto answer = co_await Ask(kCompactMethod, EncodeCompact(revision - 1), {.timeout = kRangeTimeout});
    if (!answer) {
      Error error = ToError(answer.error());
      // Compacted by the attempt before this one, or by another server; further than asked, perhaps.
      if (error.code != Code::kExpired) co_return base::Err(std::move(error));
    }
  }
  NoteCompacted(revision);
  co_return Result<void>();
}

// Of what another cluster said, before this one was found at its place, nothing is kept.
void Connection::NoteCompacted(Revision revision) {
  if (revision <= feed_.current()) feed_.NoteCompacted(revision);
}

base::Task<Result<void>> Connection::CompactInTurn() {
  const Revision target = std::min(compact_next_, feed_.current());  // the cluster may have gone back since
  // Not repeated: whether this server is the one is told by the answer.
  const auto answer =
      co_await Ask(kTxnMethod, EncodePutIfVersion(kCompactRevKey, compact_version_, std::to_string(target)),
                   {.repeat = Repeat::kUnprocessed});
  if (!answer) co_return base::Err(ToError(answer.error()));
  const auto turn = DecodeTxn(*answer);
  if (!turn) co_return base::Err(Malformed());
  compact_next_ = turn->header.revision;
  if (turn->succeeded) {
    ++compact_version_;
    if (target <= feed_.compacted()) co_return Result<void>();
    co_return co_await Compact(target);
  }
  if (turn->ranges.empty() || turn->ranges[0].items.empty()) {
    compact_version_ = 0;
    co_return Result<void>();
  }
  const WireKeyValue& kv = turn->ranges[0].items[0];
  compact_version_ = kv.version;
  Revision compacted = 0;
  std::from_chars(kv.value.data(), kv.value.data() + kv.value.size(), compacted);
  NoteCompacted(compacted);
  co_return Result<void>();
}

base::Task<Result<int64_t>> Connection::DatabaseBytes() {
  const auto answer = co_await Ask(kStatusMethod, "", {});
  if (!answer) co_return base::Err(ToError(answer.error()));
  const auto bytes = DecodeDatabaseBytes(*answer);
  if (!bytes) co_return base::Err(Malformed());
  co_return *bytes;
}

// ---- Reading

Result<RangeResult> Connection::Range(std::string_view start, std::string_view end,
                                      const RangeOptions& options) {
  if (options.revision != 0 && options.revision < feed_.compacted())
    return base::Err(ExpiredError(options.revision));
  auto asked = Ask(kRangeMethod, EncodeRange(start, end, options), {.timeout = kRangeTimeout});
  auto answer = base::SyncWait(std::move(asked));
  if (!answer) return base::Err(ToError(answer.error()));
  auto range = DecodeRange(*answer);
  if (!range) return base::Err(Malformed());
  RangeResult result{
      .revision = range->header.revision, .items = {}, .more = range->more, .count = range->count};
  result.items.reserve(range->items.size());
  for (WireKeyValue& kv : range->items) result.items.push_back(std::move(kv).ToKeyValue());
  return result;
}

Result<std::optional<KeyValue>> Connection::Get(std::string_view key, Revision revision) {
  if (revision != 0 && revision < feed_.compacted()) return base::Err(ExpiredError(revision));
  auto asked = Ask(kRangeMethod, EncodeGet(key, revision), {});
  auto answer = base::SyncWait(std::move(asked));
  if (!answer) return base::Err(ToError(answer.error()));
  auto range = DecodeRange(*answer);
  if (!range) return base::Err(Malformed());
  if (range->items.empty()) return std::optional<KeyValue>();
  return std::optional<KeyValue>(std::move(range->items[0]).ToKeyValue());
}

// Readers that come while a read is under way share the next one: what is under way may have
// been answered before they came.
void Connection::ReadRevision(RevisionRead done) {
  revision_reads_.push_back(std::move(done));
  if (!reading_revision_) StartRevisionRead();
}

void Connection::StartRevisionRead() {
  reading_revision_ = true;
  client_.Call(kRangeMethod, EncodeRevisionRead(), {.timeout = kRevisionReadTimeout},
               [this, told = feed_.current(),
                readers = std::exchange(revision_reads_, {})](const Client::Answer& answer) mutable {
                 reading_revision_ = false;
                 if (!revision_reads_.empty()) StartRevisionRead();
                 const Result<Revision> revision = RevisionOf(answer, told);
                 if (revision) SetHealth(std::nullopt);
                 for (RevisionRead& reader : readers) reader(revision);
               });
}

// Of a linearizable read that was sent when the feed had come to `told`.
Result<Revision> Connection::RevisionOf(const Client::Answer& answer, Revision told) {
  if (!answer) return base::Err(ToError(answer.error()));
  const auto header = DecodeHeaderOnly(*answer);
  if (!header) return base::Err(Malformed());
  if (!feed_.started()) feed_.Start(*header);
  if (!feed_.CheckHistory(*header, told))
    return base::Err(Error{.code = Code::kUnreachable, .detail = "etcd has lost what it told of before"});
  return header->revision;
}

base::Task<Result<void>> Connection::CatchUp(Revision revision) {
  if (revision != 0 && revision <= feed_.current()) co_return Result<void>();
  base::Completion<Result<void>> done;
  loop_.Post([this, revision, done] { CatchUpOnLoop(revision, done); });
  co_return co_await done;
}

void Connection::CatchUpOnLoop(Revision revision, base::Completion<Result<void>> done) {
  const auto wait = [this, done](Revision until, Code late) {
    feed_.WaitFor(until, kCatchUpTimeout, [done, until, late](bool reached) {
      done.Set(reached ? Result<void>()
                       : base::Err(
                             Error{.code = late, .detail = "etcd's changes do not come", .revision = until}));
    });
  };
  if (revision != 0) return wait(revision, Code::kTooLarge);
  ReadRevision([wait, done](Result<Revision> now) {
    if (!now) return done.Set(base::Err(std::move(now.error())));
    wait(*now, Code::kUnreachable);
  });
}

// ---- Subscribing

Result<std::unique_ptr<Backend::Subscription>> Connection::Subscribe(std::string prefix, Revision after,
                                                                     Observer& observer) {
  std::promise<Result<void>> done;
  loop_.Post([&] { SubscribeOnLoop(prefix, after, observer, done); });
  TRY(done.get_future().get());
  return std::make_unique<Subscribed>(feed_.observers(), std::move(prefix), observer);
}

void Connection::SubscribeOnLoop(const std::string& prefix, Revision after, Observer& observer,
                                 std::promise<Result<void>>& done) {
  ReadRevision([this, prefix, after, &observer, &done](Result<Revision> now) {
    if (!now) return done.set_value(base::Err(std::move(now.error())));
    if (after > *now) return done.set_value(base::Err(FutureError(after)));
    if (after + 1 < feed_.compacted()) return done.set_value(base::Err(ExpiredError(after)));
    feed_.WaitFor(*now, kSubscribeTimeout, [this, prefix, after, &observer, &done](bool reached) {
      if (!reached)
        return done.set_value(
            base::Err(Error{.code = Code::kUnreachable, .detail = "etcd's changes do not come"}));
      feed_.Join(prefix, after, observer,
                 [&done](Result<void> joined) { done.set_value(std::move(joined)); });
    });
  });
}

// ---- Health

void Connection::Probe() {
  probe_timer_.Start(kProbeInterval);
  const net::TimePoint began = loop_.timers().now();
  client_.Call(kRangeMethod, EncodeRevisionRead(), {.timeout = probe_timeout_},
               [this, began, told = feed_.current()](const Client::Answer& answer) {
                 const Result<Revision> revision = RevisionOf(answer, told);
                 if (revision) return SetHealth(std::nullopt);
                 SetHealth(revision.error());
                 if (answer) return;
                 // A member that answers nothing at all may be cut off from the others; one that is slow is
                 // not.
                 if (client_.channel() && client_.last_working() < began)
                   client_.Leave(answer.error().message);
               });
}

void Connection::SetHealth(std::optional<Error> error) {
  base::MutexLock lock(health_mu_);
  unhealthy_ = std::move(error);
}

Result<void> Connection::Health() const {
  base::MutexLock lock(health_mu_);
  if (unhealthy_) return base::Err(*unhealthy_);
  return {};
}

}  // namespace
}  // namespace etcd3

Result<std::unique_ptr<EtcdBackend>> EtcdBackend::Open(const EtcdOptions& options) {
  const auto invalid = [](std::string detail) {
    return base::Err(Error{.code = Code::kInvalidOption, .detail = std::move(detail)});
  };
  if (options.endpoints.empty()) return invalid("no etcd endpoint");
  const bool configured = !options.ca_pem.empty() || !options.certificate_pem.empty();
  std::unique_ptr<net::tls::ClientContext> tls;
  if (configured || std::ranges::any_of(options.endpoints, etcd3::IsSecureEndpoint)) {
    auto context = net::tls::ClientContext::Create({.ca_pem = options.ca_pem,
                                                    .certificate_pem = options.certificate_pem,
                                                    .private_key_pem = options.private_key_pem});
    if (!context) return invalid("etcd: " + context.error());
    tls = std::move(*context);
  }
  std::vector<net::grpc::Target> targets;
  for (const std::string& endpoint : options.endpoints) {
    auto target = etcd3::ParseEndpoint(endpoint, tls.get(), configured);
    if (!target) return invalid(std::move(target.error()));
    targets.push_back(std::move(*target));
  }
  auto connection =
      std::make_unique<etcd3::Connection>(std::move(tls), std::move(targets), options.probe_timeout);
  const auto answered = connection->WaitForFirstAnswer(options.start_timeout);
  if (!answered && (options.must_answer || answered.error().code != Code::kUnreachable))
    return base::Err(answered.error());
  return std::unique_ptr<EtcdBackend>(std::move(connection));
}

}  // namespace keelson::storage
