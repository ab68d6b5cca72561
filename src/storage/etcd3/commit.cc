#include "storage/etcd3/commit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "storage/etcd3/errors.h"
#include "storage/etcd3/messages.h"

namespace keelson::storage::etcd3 {
namespace {

using std::chrono::seconds;

// For all attempts of one transaction.
constexpr seconds kCommitTimeout{15};
// Between attempts, growing: a cluster that elects a leader refuses at once, and is not helped by more of the
// same.
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{1600};
// What is committed is answered even if the feed does not come to it: the writer must not be
// told of a failure, and not wait for ever.
constexpr seconds kFeedTimeout{5};

const Compare* CompareOf(const Txn& txn, const Write& write) {
  const auto found = std::ranges::find(txn.compares, write.key, &Compare::key);
  return found != txn.compares.end() ? &*found : nullptr;
}

// Whether what became of it can be read afterwards.
bool Guarded(const Txn& txn) {
  return std::ranges::all_of(txn.writes,
                             [&](const Write& write) { return CompareOf(txn, write) != nullptr; });
}

// Whether the first time makes a compare fail for ever, so that none of it can happen twice. A key
// that has to be absent may have been made and removed by somebody else since: it would be made again.
bool Repeatable(const Txn& txn) {
  return std::ranges::any_of(txn.writes, [&](const Write& write) {
    const Compare* const compare = CompareOf(txn, write);
    return compare && compare->mod_revision != 0;
  });
}

Error NotKnown(const std::string& why) {
  return {.code = Code::kUnreachable, .detail = "whether it was written is not known: " + why};
}

}  // namespace

struct Committer::Commit {
  Txn txn;
  base::Completion<Result<TxnResult>> done;
  net::TimePoint deadline;
  net::Duration pause = kFirstPause;  // before the next attempt
  bool maybe_written = false;         // an attempt was lost on the way
  bool asks_only = false;             // the attempt under way writes nothing
  std::vector<Feed::Expected> expected;
};

void Committer::Start(Txn txn, base::Completion<Result<TxnResult>> done) {
  auto commit = std::make_shared<Commit>();
  commit->txn = std::move(txn);
  commit->done = std::move(done);
  commit->deadline = std::chrono::steady_clock::now() + kCommitTimeout;
  for (const Write& write : commit->txn.writes)
    if (write.tag) commit->expected.push_back({.write = &write});
  for (Feed::Expected& expected : commit->expected) feed_.Expect(expected);
  Send(std::move(commit));
}

void Committer::Send(CommitPtr commit) {
  const net::Duration left = commit->deadline - std::chrono::steady_clock::now();
  commit->asks_only = commit->maybe_written && !Repeatable(commit->txn);
  std::string message =
      EncodeTxn(commit->asks_only ? Txn{.compares = commit->txn.compares, .writes = {}} : commit->txn);
  client_.Call(kTxnMethod, std::move(message),
               {.repeat = Repeat::kUnprocessed, .timeout = left, .trace_parent = commit->txn.trace_parent},
               [this, commit](Client::Answer answer) { OnAnswer(commit, std::move(answer)); });
}

void Committer::OnAnswer(const CommitPtr& commit, Client::Answer answer) {
  if (!answer) return OnLost(commit, answer.error());
  auto result = DecodeTxn(*answer);
  if (!result) return Finish(commit, base::Err(NotKnown("malformed message")));
  if (!result->succeeded) return OnRefused(commit, std::move(*result));
  if (commit->asks_only)
    return Finish(commit, base::Err(NotKnown("the connection was lost, and it is not there now")));
  for (Feed::Expected& expected : commit->expected) expected.revision = result->header.revision;
  FinishAt(commit, {.succeeded = true, .revision = result->header.revision, .current = std::nullopt});
}

void Committer::OnRefused(const CommitPtr& commit, TxnAnswer answer) {
  const Txn& txn = commit->txn;
  // What each compared key is now, by the order of the compares; null: absent.
  const auto now = [&](size_t i) -> WireKeyValue* {
    return i < answer.ranges.size() && !answer.ranges[i].items.empty() ? &answer.ranges[i].items[0] : nullptr;
  };
  if (commit->maybe_written) {
    // Refused by its own lost attempt, if what it wrote is there.
    Revision written = 0;
    const bool ours = std::ranges::all_of(txn.writes, [&](const Write& write) {
      const Compare* const compare = CompareOf(txn, write);
      const WireKeyValue* kv = now(static_cast<size_t>(compare - txn.compares.data()));
      if (write.type != Write::Type::kPut || !kv || kv->value.view() != write.value.view()) return false;
      written = kv->mod_revision;
      return kv->mod_revision > compare->mod_revision;
    });
    if (!ours)
      return Finish(commit, base::Err(NotKnown("the connection was lost, and the key changed since")));
    return FinishAt(commit, {.succeeded = true, .revision = written, .current = std::nullopt});
  }
  TxnResult result{.succeeded = false, .revision = answer.header.revision, .current = std::nullopt};
  for (size_t i = 0; i < txn.compares.size(); ++i) {
    WireKeyValue* const kv = now(i);
    if ((kv ? kv->mod_revision : 0) == txn.compares[i].mod_revision) continue;
    if (kv) result.current = std::move(*kv).ToKeyValue();
    break;
  }
  FinishAt(commit, std::move(result));
}

void Committer::OnLost(const CommitPtr& commit, const net::grpc::Status& status) {
  if (NotWritten(status)) {
    if (commit->maybe_written) return Finish(commit, base::Err(NotKnown(status.message)));
    return Finish(commit, base::Err(ToError(status)));
  }
  commit->maybe_written = true;
  if (!Guarded(commit->txn) || std::chrono::steady_clock::now() + commit->pause >= commit->deadline)
    return Finish(commit, base::Err(NotKnown(status.message)));
  SendLater(commit);
}

void Committer::SendLater(const CommitPtr& commit) {
  const net::Duration pause = commit->pause;
  commit->pause = std::min<net::Duration>(2 * pause, kLongestPause);
  loop_.PostAfter(pause, [this, commit] { Send(commit); });
}

void Committer::FinishAt(const CommitPtr& commit, TxnResult result) {
  const Revision revision = result.revision;
  feed_.WaitFor(revision, kFeedTimeout, [this, commit, result = std::move(result)](bool reached) mutable {
    if (!reached)
      base::Log(base::LogLevel::kWarning, "etcd's changes come late", {{"revision", result.revision}});
    Finish(commit, std::move(result));
  });
}

void Committer::Finish(const CommitPtr& commit, Result<TxnResult> result) {
  for (Feed::Expected& expected : commit->expected) feed_.Forget(expected);
  commit->done.Set(std::move(result));
}

}  // namespace keelson::storage::etcd3
