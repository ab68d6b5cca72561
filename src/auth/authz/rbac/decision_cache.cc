#include "auth/authz/rbac/decision_cache.h"

#include <functional>
#include <string_view>

namespace keelson::auth::rbac {
namespace {

// Longer questions and reasons are not kept: whoever chooses the names of groups must not fill the memory
// with them.
constexpr size_t kLongest = 1024;

// With its length: no part can pass for two.
void AppendPart(std::string_view part, std::string& out) {
  const auto size = static_cast<uint32_t>(part.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
}

void WriteQuestion(const Attributes& a, std::string& out) {
  out.clear();
  AppendPart(a.user->name, out);
  for (const std::string_view part : {a.verb, a.group, a.resource, a.subresource, a.ns})
    AppendPart(part, out);
  for (const std::string& group : a.user->groups) AppendPart(group, out);
}

}  // namespace

DecisionCache& DecisionCache::ForThread() {
  thread_local DecisionCache cache;
  return cache;
}

DecisionCache::Entry& DecisionCache::PlaceOf(const std::string& question) {
  return entries_[std::hash<std::string>()(question) % kPlaces];
}

const std::string* DecisionCache::ReasonFor(const Attributes& attributes, uint64_t version) {
  WriteQuestion(attributes, question_);
  const Entry& entry = PlaceOf(question_);
  return entry.version == version && entry.question == question_ ? &entry.reason : nullptr;
}

void DecisionCache::Keep(uint64_t version, std::string_view reason) {
  if (question_.size() > kLongest || reason.size() > kLongest) return;
  Entry& entry = PlaceOf(question_);
  entry.version = version;
  entry.question = question_;
  entry.reason = reason;
}

}  // namespace keelson::auth::rbac
