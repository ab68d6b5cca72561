// Authorizer: may this user do that?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/attributes.h"
#include "base/task.h"

namespace keelson::auth {

enum class Decision : uint8_t { kAllow, kDeny, kNoOpinion };

struct Verdict {
  Decision decision = Decision::kNoOpinion;
  std::string reason;
  std::string error = {};  // why it could not be found out; what is not allowed then is a 500
};

// What somebody may do. "*" stands for all.
struct ResourceRule {
  std::vector<std::string> verbs, groups, resources, names;
};
struct NonResourceRule {
  std::vector<std::string> verbs, paths;
};
struct Rules {
  std::vector<ResourceRule> resources;
  std::vector<NonResourceRule> non_resources;
  bool incomplete = false;  // there may be more
  std::string error;        // why
};

// Threads: any. `attributes` live as long as the request.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual base::Task<Verdict> Authorize(const Attributes& attributes) = 0;
  // The same, when it can be told without waiting for anything; else nullopt.
  virtual std::optional<Verdict> AuthorizeNow(const Attributes& /*attributes*/) { return std::nullopt; }
  // What `user` may do in `ns`, for people and their tools to see; not to decide on.
  // Borrowed: both live as long as the request.
  virtual base::Task<Rules> RulesFor(const User& user, std::string_view ns);
};

}  // namespace keelson::auth
