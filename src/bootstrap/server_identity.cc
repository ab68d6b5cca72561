#include "bootstrap/server_identity.h"

#include <span>
#include <utility>

#include "api/generated/coordination_v1.h"
#include "base/sha256.h"

namespace keelson::bootstrap {
namespace {

using api::coordination_v1::LeaseEditor;
using api::coordination_v1::LeaseView;

constexpr client::Resource kIdentityLeases{"coordination.k8s.io", "leases"};
constexpr std::string_view kIdentityNamespace = "kube-system";
constexpr std::string_view kComponentLabel = "apiserver.kubernetes.io/identity",
                           kComponent = "kube-apiserver";
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";
constexpr std::string_view kPeerAddressAnnotation = "kubernetes.io/peer-advertise-address";
constexpr int32_t kIdentitySeconds = 3600;
constexpr size_t kHashBytes = 16;

int64_t NowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// RFC 4648's base 32 in lower case, without padding.
std::string Base32(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "abcdefghijklmnopqrstuvwxyz234567";
  std::string text;
  uint32_t held = 0;
  int bits = 0;
  for (const uint8_t byte : bytes) {
    held = held << 8 | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += kDigits[held >> (bits - 5) & 31];
  }
  if (bits > 0) text += kDigits[held << (5 - bits) & 31];
  return text;
}

void AddWithLength(std::string& bytes, std::string_view text) {
  bytes += static_cast<char>(text.size() >> 8 & 0xff);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += text;
}

bool IsExpired(const LeaseView& lease, int64_t now) {
  if (!lease.spec().has_renew_time() || !lease.spec().has_lease_duration_seconds()) return true;
  return lease.spec().renew_time() + int64_t{lease.spec().lease_duration_seconds()} * 1'000'000 < now;
}

bool IsIdentity(const LeaseView& lease) {
  const api::Value* const component = lease.metadata().labels().Find(kComponentLabel);
  return component && component->string() == kComponent;
}

}  // namespace

std::string ServerIdOf(std::string_view host_name) {
  std::string bytes;
  AddWithLength(bytes, host_name);
  AddWithLength(bytes, kComponent);
  const auto hash = base::Sha256(bytes);
  return "apiserver-" + Base32(std::span(hash).first(kHashBytes));
}

ServerIdentity::ServerIdentity(const client::Client& client, Options options)
    : client_(client), options_(std::move(options)), name_(ServerIdOf(options_.host_name)) {}

bool ServerIdentity::Put(api::Doc& doc) const {
  LeaseEditor lease(doc);
  lease.mutable_metadata().put_labels(kComponentLabel, kComponent);
  lease.mutable_metadata().put_labels(kHostLabel, options_.host_name);
  lease.mutable_metadata().put_annotations(kPeerAddressAnnotation, options_.address);
  lease.mutable_spec().set_lease_duration_seconds(kIdentitySeconds);
  lease.mutable_spec().set_renew_time(NowMicroseconds());
  return true;
}

base::Task<Done> ServerIdentity::Begin() {
  const auto turn = co_await turns_.Take();
  CO_TRY(co_await Remove());
  co_return co_await Write();
}

base::Task<Done> ServerIdentity::Renew() {
  const auto turn = co_await turns_.Take();
  if (withdrawn_) co_return Done();
  co_return co_await Write();
}

base::Task<Done> ServerIdentity::Write() {
  const std::string ns(kIdentityNamespace);
  const auto found = co_await client_.GetObject(kIdentityLeases, ns, name_, client::Fresh::kAbsenceIsSure);
  if (!found) co_return base::Err(found.error().message);
  client::Result<client::Written> written;
  if (*found) {
    written = co_await client_.Update(kIdentityLeases, ns, name_, [this](api::Doc& doc) { return Put(doc); });
  } else {
    api::Doc doc(LeaseView::Type());
    LeaseEditor lease(doc);
    lease.set_kind_static("Lease");
    lease.set_api_version_static("coordination.k8s.io/v1");
    lease.mutable_metadata().set_name(name_);
    lease.mutable_metadata().set_namespace(ns);
    lease.mutable_spec().set_holder_identity(options_.holder);
    Put(doc);
    written = co_await client_.Create(kIdentityLeases, ns, std::move(doc));
  }
  if (!written) co_return base::Err(written.error().message);
  co_return Done();
}

base::Task<Done> ServerIdentity::RemoveExpired() {
  const std::string ns(kIdentityNamespace);
  const auto listed = co_await client_.List(kIdentityLeases, ns);
  if (!listed) co_return base::Err(listed.error().message);
  const int64_t now = NowMicroseconds();
  for (const api::Doc& doc : **listed) {
    const LeaseView lease(doc);
    if (!IsIdentity(lease) || !IsExpired(lease, now)) continue;
    // Whoever renews it meanwhile keeps it.
    const auto removed =
        co_await client_.Delete(kIdentityLeases, ns, std::string(lease.metadata().name()),
                                {.uid = std::string(lease.metadata().uid()),
                                 .resource_version = std::string(lease.metadata().resource_version())});
    if (!removed && removed.error().code != 404 && removed.error().code != 409)
      co_return base::Err(removed.error().message);
  }
  co_return Done();
}

base::Task<Done> ServerIdentity::Withdraw() {
  withdrawn_ = true;
  const auto turn = co_await turns_.Take();
  co_return co_await Remove();
}

base::Task<Done> ServerIdentity::Remove() {
  const auto removed = co_await client_.Delete(kIdentityLeases, std::string(kIdentityNamespace), name_);
  if (!removed && removed.error().code != 404) co_return base::Err(removed.error().message);
  co_return Done();
}

}  // namespace keelson::bootstrap
