// Authorizer: may this user do that?
#pragma once

#include <cstdint>
#include <string>

#include "auth/attributes.h"
#include "base/task.h"

namespace keelson::auth {

enum class Decision : uint8_t { kAllow, kDeny, kNoOpinion };

struct Verdict {
  Decision decision = Decision::kNoOpinion;
  std::string reason;
};

// Threads: any. `attributes` live as long as the request.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual base::Task<Verdict> Authorize(const Attributes& attributes) = 0;
};

}  // namespace keelson::auth
