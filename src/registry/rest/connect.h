// Connecter: a subresource that answers a request by itself: logs, exec, proxies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/user.h"
#include "base/occupancy.h"
#include "base/request_notes.h"
#include "base/task.h"
#include "net/http/message.h"
#include "registry/rest/types.h"

namespace keelson::audit {
struct Event;
}

namespace keelson::registry::rest {

struct ConnectRequest {
  const auth::User* user = nullptr;       // never null
  net::http::Request* request = nullptr;  // never null; lives until the answer is sent
  std::string ns, name;
  std::string path;  // after the subresource, percent-encoded, with its first slash; may be empty
  std::vector<std::string>* warnings = nullptr;  // as those of WriteRequest
  audit::Event* audit = nullptr;                 // as that of WriteRequest
  base::Occupancy* occupancy = nullptr;          // as that of WriteRequest
  base::RequestNotes* notes = nullptr;           // as those of WriteRequest
};

class Connecter {
 public:
  virtual ~Connecter() = default;
  virtual base::Task<Result<net::http::Response>> Connect(ConnectRequest request) = 0;
  // Whether a path may follow the subresource.
  virtual bool takes_path() const { return false; }
  // The medium of its answers, if clients must accept them as they must accept objects; empty:
  // it answers as whatever it asks answers.
  virtual std::string_view medium() const { return {}; }
};

}  // namespace keelson::registry::rest
