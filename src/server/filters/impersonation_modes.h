// The ways to act as somebody else. Each has permissions of its own, so that somebody may be allowed, say, to
// list pods as the node they run on, and nothing more.
//
//   mode             who may be impersonated        the verbs that are authorized
//   associated-node  the node of the requester's    impersonate-on:associated-node:<verb>, on the request;
//                    own service account token      impersonate:associated-node, on nodes "*"
//   arbitrary-node   any node                       impersonate-on:arbitrary-node:<verb>; impersonate:…
//   serviceaccount   any service account            likewise
//   user-info        everybody else, with uid,      likewise; impersonate:user-info for each value
//                    groups and extra
//   legacy           everybody                      impersonate, for each value
//
// All but the last are constrained: they ask first whether the request itself may be made that way.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "auth/authorizer.h"
#include "net/http/message.h"
#include "server/incoming_request.h"

namespace keelson::server {

enum class ImpersonationMode : uint8_t {
  kAssociatedNode,
  kArbitraryNode,
  kServiceAccount,
  kUserInfo,
  kLegacy,
};
inline constexpr size_t kImpersonationModes = 5;

// Whom the requester becomes, or the refusal; neither: the mode is not for such users.
struct ImpersonationOutcome {
  std::optional<auth::User> user;
  std::optional<net::http::Response> refused;
};

// `wanted` is what the headers say. Borrows all for the task.
base::Task<ImpersonationOutcome> TryImpersonation(auth::Authorizer& authorizer,
                                                  const IncomingRequest& incoming, const auth::User& wanted,
                                                  ImpersonationMode mode);

// What the audit log tells of the permission that allowed it; empty: the legacy one.
std::string ConstraintOf(ImpersonationMode mode);

// Which mode somebody used last with success: it is tried first. Users share places; a wrong one costs time
// alone. Threads: any.
class LastModes {
 public:
  std::optional<ImpersonationMode> Get(std::string_view user) const;
  void Set(std::string_view user, ImpersonationMode mode);

 private:
  static constexpr size_t kPlaces = 4096;
  std::array<std::atomic<uint8_t>, kPlaces> modes_{};  // the mode and one; 0: none yet
};

}  // namespace keelson::server
