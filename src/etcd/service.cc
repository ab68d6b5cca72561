#include "etcd/service.h"

#include <map>
#include <utility>

#include "net/grpc/message_reader.h"

namespace keelson::etcd {
namespace {

using net::http::Request;
using net::http::Response;

constexpr std::string_view kWatch = "/etcdserverpb.Watch/Watch";
constexpr std::string_view kKeepAlive = "/etcdserverpb.Lease/LeaseKeepAlive";
constexpr std::chrono::milliseconds kLeaseTick{500};
constexpr size_t kFrameHead = 5;

Status Malformed() { return {.code = Code::kInternal, .message = "malformed message"}; }

Response Text(int status, std::string_view type, std::string_view body) {
  Response response;
  response.status = status;
  response.headers.Add("content-type", type);
  response.body = net::http::FixedBody(base::Slice::Copy(body));
  return response;
}

}  // namespace

void Service::Start(Store& store, base::Executor& loop) {
  store_ = &store;
  loop_ = &loop;
  loop_->Post([this] {
    EndLeasesNowAndThen();
    NotifyProgressNowAndThen();
  });
}

void Service::EndLeasesNowAndThen() {
  base::Spawn(store_->EndLeases());
  loop_->PostAfter(kLeaseTick, [this] { EndLeasesNowAndThen(); });
}

void Service::NotifyProgressNowAndThen() {
  std::erase_if(watches_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : watches_)
    if (const auto stream = weak.lock()) stream->NotifyProgress();
  loop_->PostAfter(options_.progress_interval, [this] { NotifyProgressNowAndThen(); });
}

Header Service::HeaderAt(Revision revision) const {
  return {.cluster_id = options_.cluster_id, .member_id = options_.member_id, .revision = revision};
}

Service::Method Service::MethodOf(std::string_view path) {
  static const std::map<std::string_view, Method> kMethods = {
      {"/etcdserverpb.KV/Range", &Service::Range},
      {"/etcdserverpb.KV/Put", &Service::Put},
      {"/etcdserverpb.KV/DeleteRange", &Service::DeleteRange},
      {"/etcdserverpb.KV/Txn", &Service::Txn},
      {"/etcdserverpb.KV/Compact", &Service::Compact},
      {"/etcdserverpb.Lease/LeaseGrant", &Service::LeaseGrant},
      {"/etcdserverpb.Lease/LeaseRevoke", &Service::LeaseRevoke},
      {"/etcdserverpb.Lease/LeaseTimeToLive", &Service::LeaseTimeToLive},
      {"/etcdserverpb.Lease/LeaseLeases", &Service::LeaseLeases},
      {"/etcdserverpb.Cluster/MemberList", &Service::MemberList},
      {"/etcdserverpb.Maintenance/Status", &Service::ServerStatus},
      {"/etcdserverpb.Maintenance/Alarm", &Service::OnlyHeader},
      {"/etcdserverpb.Maintenance/Defragment", &Service::OnlyHeader}};
  const auto found = kMethods.find(path);
  return found == kMethods.end() ? nullptr : found->second;
}

base::Task<Response> Service::Handle(Request& request) {
  if (!request.headers.Get("content-type").value_or("").starts_with("application/grpc"))
    co_return PlainAnswer(request);
  if (request.path == kWatch) co_return Watch(request);
  if (request.path == kKeepAlive) co_return KeepAlive(request);
  if (const Method method = MethodOf(request.path)) co_return co_await Call(method, request);
  co_return StatusResponse(
      {.code = Code::kUnimplemented, .message = "keelson does not serve " + request.path});
}

Response Service::PlainAnswer(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return Text(405, "text/plain", "Method Not Allowed\n");
  if (request.path == "/health") {
    const auto health = store_->backend().Health();
    return health ? Text(200, "application/json", R"({"health":"true","reason":""})")
                  : Text(503, "application/json", R"({"health":"false","reason":"STORAGE"})");
  }
  if (request.path == "/livez" || request.path == "/readyz") return Text(200, "text/plain", "ok\n");
  const std::string version(kServedVersion);
  if (request.path == "/version")
    return Text(200, "application/json",
                R"({"etcdserver":")" + version + R"(","etcdcluster":")" + version + R"("})");
  return Text(404, "text/plain", "404 page not found\n");
}

// ---- One message each way

base::Task<Response> Service::Call(Method method, Request& request) {
  auto body = co_await request.body->ReadAll(options_.max_request_bytes + kFrameHead);
  if (!body) co_return StatusResponse(TooLarge());
  base::Slice message;
  size_t messages = 0;
  net::grpc::MessageReader reader;
  const bool well_formed = reader.Feed(body->view(), [&](base::Slice one) {
    message = std::move(one);
    ++messages;
  });
  if (!well_formed || messages != 1 || !reader.between_messages()) co_return StatusResponse(Malformed());
  auto answer = co_await (this->*method)(std::move(message));
  if (!answer) co_return StatusResponse(answer.error());
  const auto out = std::make_shared<MessageQueue>();
  out->Push(*answer);
  out->End({});
  co_return out->MakeResponse();
}

base::Task<Service::Bytes> Service::Range(base::Slice message) {
  const auto request = DecodeRange(message);
  if (!request) co_return base::Err(Malformed());
  auto read = store_->Range(*request);
  if (!read) co_return base::Err(std::move(read.error()));
  co_return Encode(HeaderAt(read->revision), read->answer);
}

base::Task<Service::Bytes> Service::CommitOne(base::Slice message, Operation operation) {
  TxnRequest request;
  request.success.push_back(std::move(operation));
  const auto committed = co_await store_->Commit(std::move(message), std::move(request));
  if (!committed) co_return base::Err(committed.error());
  co_return std::visit([&](const auto& answer) { return Encode(HeaderAt(committed->revision), answer); },
                       committed->answer.answers.front());
}

base::Task<Service::Bytes> Service::Put(base::Slice message) {
  auto request = DecodePut(message);
  if (!request) co_return base::Err(Malformed());
  co_return co_await CommitOne(std::move(message), std::move(*request));
}

base::Task<Service::Bytes> Service::DeleteRange(base::Slice message) {
  auto request = DecodeDeleteRange(message);
  if (!request) co_return base::Err(Malformed());
  co_return co_await CommitOne(std::move(message), *request);
}

base::Task<Service::Bytes> Service::Txn(base::Slice message) {
  auto request = DecodeTxn(message);
  if (!request) co_return base::Err(Malformed());
  const auto committed = co_await store_->Commit(std::move(message), std::move(*request));
  if (!committed) co_return base::Err(committed.error());
  co_return Encode(HeaderAt(committed->revision), committed->answer);
}

base::Task<Service::Bytes> Service::Compact(base::Slice message) {
  const auto numbers = DecodeNumbers(message);
  if (!numbers) co_return base::Err(Malformed());
  const auto compacted = co_await store_->Compact(numbers->first);
  if (!compacted) co_return base::Err(compacted.error());
  co_return Encode(HeaderNow());
}

base::Task<Service::Bytes> Service::LeaseGrant(base::Slice message) {
  const auto numbers = DecodeNumbers(message);
  if (!numbers) co_return base::Err(Malformed());
  const auto granted = co_await store_->Grant(numbers->second, numbers->first);
  if (!granted) co_return base::Err(granted.error());
  co_return Encode(HeaderNow(), *granted);
}

base::Task<Service::Bytes> Service::LeaseRevoke(base::Slice message) {
  const auto numbers = DecodeNumbers(message);
  if (!numbers) co_return base::Err(Malformed());
  const auto revoked = co_await store_->Revoke(numbers->first);
  if (!revoked) co_return base::Err(revoked.error());
  co_return Encode(HeaderNow());
}

base::Task<Service::Bytes> Service::LeaseTimeToLive(base::Slice message) {
  const auto numbers = DecodeNumbers(message);
  if (!numbers) co_return base::Err(Malformed());
  LeaseState state = store_->leases().StateOf(numbers->first);
  if (numbers->second == 0) state.keys.clear();
  co_return Encode(HeaderNow(), state);
}

base::Task<Service::Bytes> Service::LeaseLeases(base::Slice) {
  co_return Encode(HeaderNow(), store_->leases().All());
}

base::Task<Service::Bytes> Service::MemberList(base::Slice) {
  co_return Encode(HeaderNow(), options_.member);
}

base::Task<Service::Bytes> Service::ServerStatus(base::Slice) {
  co_return Encode(HeaderNow(),
                   etcd::ServerStatus{.version = std::string(kServedVersion), .db_size = options_.db_size()});
}

base::Task<Service::Bytes> Service::OnlyHeader(base::Slice) { co_return Encode(HeaderNow()); }

// ---- Streams

// Hands every message of the client to `take`, until that says no or the client has no more to say. The body
// may be gone once `out` is closed.
base::Task<void> Service::ReadMessages(std::shared_ptr<MessageQueue> out, net::http::BodyReader* body,
                                       std::function<bool(const base::Slice&)> take) {
  net::grpc::MessageReader reader;
  bool well_formed = true;
  while (well_formed && !out->closed()) {
    const auto piece = co_await body->Read();
    if (!piece || !*piece) break;
    const bool framed = reader.Feed(
        (*piece)->view(), [&](const base::Slice& message) { well_formed = well_formed && take(message); });
    well_formed = well_formed && framed;
  }
  out->End(well_formed ? Status{} : Malformed());
}

Response Service::Watch(Request& request) {
  const auto out = std::make_shared<MessageQueue>();
  const auto stream = std::make_shared<WatchStream>(*store_, *loop_, HeaderAt(0), out);
  watches_.push_back(stream);
  Response response = out->MakeResponse();
  // It lives as long as the answer is sent.
  out->set_on_closed([stream] { stream->Close(); });
  base::Spawn(ReadMessages(out, request.body, [weak = std::weak_ptr(stream)](const base::Slice& message) {
    const auto wanted = DecodeWatch(message);
    const auto self = weak.lock();
    if (wanted && self) self->Take(*wanted);
    return wanted.has_value();
  }));
  return response;
}

Response Service::KeepAlive(Request& request) {
  const auto out = std::make_shared<MessageQueue>();
  Response response = out->MakeResponse();
  base::Spawn(ReadMessages(out, request.body, [this, out](const base::Slice& message) {
    const auto numbers = DecodeNumbers(message);
    if (numbers) out->Push(Encode(HeaderNow(), store_->leases().KeepAlive(numbers->first)));
    return numbers.has_value();
  }));
  return response;
}

}  // namespace keelson::etcd
