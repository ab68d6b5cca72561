// Service: etcd's v3 API over HTTP/2, and what is asked of etcd over plain HTTP: health and version.
//
// Served: KV, Watch, Lease, and of Cluster and Maintenance what tells of a cluster of one member. Not served:
// authentication, members that come and go, snapshots, hashes; they are answered as not implemented.
//
// Threads: requests come on one loop, the store's.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "base/slice.h"
#include "base/task.h"
#include "etcd/errors.h"
#include "etcd/message_queue.h"
#include "etcd/messages.h"
#include "etcd/store.h"
#include "etcd/watch_stream.h"
#include "net/http/message.h"

namespace keelson::etcd {

inline constexpr std::string_view kServedVersion = "3.6.0";  // of the API

struct ServiceOptions {
  uint64_t cluster_id = 1, member_id = 1;
  Member member;
  size_t max_request_bytes = 3 << 19;                                     // 1.5 MiB
  std::chrono::nanoseconds progress_interval = std::chrono::minutes(10);  // of watches that want to know
  std::function<int64_t()> db_size = [] { return int64_t{0}; };
};

class Service final : public net::http::Handler {
 public:
  explicit Service(ServiceOptions options) : options_(std::move(options)) {}

  // Before the first request. Borrowed; the loop must not run any more when this is destroyed.
  void Start(Store& store, base::Executor& loop);

  base::Task<net::http::Response> Handle(net::http::Request& request) override;

 private:
  using Bytes = Result<std::string>;
  using Method = base::Task<Bytes> (Service::*)(base::Slice message);

  static Method MethodOf(std::string_view path);
  base::Task<net::http::Response> Call(Method method, net::http::Request& request);
  net::http::Response PlainAnswer(const net::http::Request& request) const;
  net::http::Response Watch(net::http::Request& request);
  net::http::Response KeepAlive(net::http::Request& request);
  base::Task<void> ReadMessages(std::shared_ptr<MessageQueue> out, net::http::BodyReader* body,
                                std::function<bool(const base::Slice&)> take);
  void EndLeasesNowAndThen();
  void NotifyProgressNowAndThen();
  Header HeaderAt(Revision revision) const;
  Header HeaderNow() const { return HeaderAt(store_->revision()); }

  base::Task<Bytes> Range(base::Slice message);
  base::Task<Bytes> Put(base::Slice message);
  base::Task<Bytes> DeleteRange(base::Slice message);
  base::Task<Bytes> Txn(base::Slice message);
  base::Task<Bytes> Compact(base::Slice message);
  base::Task<Bytes> LeaseGrant(base::Slice message);
  base::Task<Bytes> LeaseRevoke(base::Slice message);
  base::Task<Bytes> LeaseTimeToLive(base::Slice message);
  base::Task<Bytes> LeaseLeases(base::Slice message);
  base::Task<Bytes> MemberList(base::Slice message);
  base::Task<Bytes> ServerStatus(base::Slice message);
  base::Task<Bytes> OnlyHeader(base::Slice message);  // Alarm: there are none; Defragment: nothing to do

  base::Task<Bytes> CommitOne(base::Slice message, Operation operation);

  const ServiceOptions options_;
  Store* store_ = nullptr;
  base::Executor* loop_ = nullptr;
  std::list<std::weak_ptr<WatchStream>> watches_;
};

}  // namespace keelson::etcd
