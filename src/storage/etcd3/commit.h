// Committer: transactions on their way to etcd and back.
//
// Threads: the loop's own.
#pragma once

#include <memory>

#include "base/task.h"
#include "storage/backend.h"
#include "storage/etcd3/client.h"
#include "storage/etcd3/feed.h"

namespace keelson::storage::etcd3 {

class Committer {
 public:
  Committer(net::EventLoop& loop, Client& client, Feed& feed) : loop_(loop), client_(client), feed_(feed) {}

  // Backend::Commit. `done` is set once the feed has come to the answer's revision.
  void Start(Txn txn, base::Completion<Result<TxnResult>> done);

 private:
  struct Commit;
  using CommitPtr = std::shared_ptr<Commit>;

  void Send(CommitPtr commit);
  void OnAnswer(const CommitPtr& commit, Client::Answer answer);
  void OnRefused(const CommitPtr& commit, TxnAnswer answer);
  void OnLost(const CommitPtr& commit, const net::grpc::Status& status);
  void SendLater(const CommitPtr& commit);
  void FinishAt(const CommitPtr& commit, TxnResult result);
  void Finish(const CommitPtr& commit, Result<TxnResult> result);

  net::EventLoop& loop_;
  Client& client_;
  Feed& feed_;
};

}  // namespace keelson::storage::etcd3
