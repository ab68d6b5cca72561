#include "storage/request_plan.h"

#include <utility>

#include "storage/continue_token.h"
#include "storage/messages.h"
#include "storage/resource_version.h"

namespace keelson::storage {

using base::Err;

Error ListPlan::Expired() const {
  if (continue_start.empty()) return {.code = Code::kExpired, .detail = std::string(kListExpired)};
  return {.code = Code::kExpired,
          .detail = std::string(kContinueExpired),
          .continue_token = EncodeContinue({.revision = -1, .start_key = continue_start})};
}

std::string ListPlan::ContinueAfter(Revision of, std::string_view key) const {
  std::string next(key.substr(path.size()));
  next.push_back('\0');
  return EncodeContinue({.revision = of, .start_key = std::move(next)});
}

// The table of upstream: a continue token names its version; then the match rule counts; without one a limit
// makes a version exact, otherwise it is a lower bound.
Result<ListPlan> PlanList(const ListOptions& options) {
  ListPlan plan;
  // As upstream, a list at "0" is not cut into pages.
  if (options.limit > 0 && options.resource_version != "0") plan.limit = static_cast<size_t>(options.limit);
  if (!options.ns.empty()) plan.path = options.ns + "/";
  if (!options.continue_token.empty()) {
    auto token = DecodeContinue(options.continue_token);
    if (!token) return Err(InvalidOption("invalid continue token: " + token.error()));
    if (!options.resource_version.empty() && options.resource_version != "0")
      return Err(InvalidOption("specifying resource version is not allowed when using continue"));
    plan.continue_start = std::move(token->start_key);
    if (token->revision > 0) {
      plan.version = ListPlan::Version::kExact;
      plan.revision = token->revision;
    }
    return plan;
  }
  auto revision = ParseResourceVersion(options.resource_version);
  if (!revision) return Err(InvalidOption("invalid resource version: " + revision.error()));
  plan.revision = *revision;
  const bool exact =
      options.match == VersionMatch::kExact || (options.match == VersionMatch::kUnset && options.limit > 0);
  if (exact && *revision > 0) plan.version = ListPlan::Version::kExact;
  return plan;
}

// Unset and "0" mean "from now, but first tell me what there is", unless the client has said that it does not
// want that: a match rule comes only with such a word.
Result<WatchPlan> PlanWatch(const WatchOptions& options) {
  auto after = ParseResourceVersion(options.resource_version);
  if (!after) return Err(InvalidOption(std::move(after.error())));
  return WatchPlan{
      .after = *after,
      .initial = options.send_initial_events || (*after == 0 && options.match == VersionMatch::kUnset),
      .initial_bookmark = options.send_initial_events && options.allow_bookmarks,
      .initial_at_least = options.send_initial_events && *after > 0,
      .newest = options.send_initial_events && options.resource_version.empty()};
}

}  // namespace keelson::storage
