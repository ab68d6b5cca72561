// FlowSchemaSpec: what a FlowSchema object says, and FlowSchemaIndex: which of several a request matches.
//
// Rules are numbered in the order they are tried: schemas by precedence, then by name, the rules of each as
// they stand. The subjects of all rules are kept by name, each with the set of rules it stands in. A request
// looks up its user, the user's groups and, for a service account, its namespace; the union of those sets are
// the rules to look at, in order.
//
// Example: rule 0 is for group masters, rule 1 for user bob and group ops, rule 2 for everybody who is
// authenticated. {groups: masters -> {0}, ops -> {1}, authenticated -> {2}; users: bob -> {1}}. bob,
// authenticated: {1} | {2}, so rule 1 is tried, then rule 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/generated/flowcontrol_v1.h"
#include "auth/user.h"
#include "base/string_hash.h"
#include "endpoints/request_info.h"

namespace keelson::server::flow_control {

// Strings of a rule; "*" alone is every string.
class StringSet {
 public:
  StringSet() = default;
  explicit StringSet(std::vector<std::string> strings)
      : all_(strings.size() == 1 && strings.front() == "*"), strings_(std::move(strings)) {}
  bool Has(std::string_view s) const;

 private:
  bool all_ = false;
  std::vector<std::string> strings_;
};

struct ResourceRule {
  StringSet verbs, groups, resources, namespaces;  // a subresource is "resource/subresource"
  bool cluster_scope = false;
  bool Matches(const endpoints::RequestInfo& info) const;
};

struct NonResourceRule {
  StringSet verbs;
  std::vector<std::string> urls;  // "*", a path with all below it, or "/a/*"
  bool Matches(const endpoints::RequestInfo& info) const;
};

struct FlowSubject {
  enum class Kind : uint8_t { kUser, kGroup, kServiceAccount };
  Kind kind = Kind::kUser;
  std::string ns;    // of a service account
  std::string name;  // "*": all
};

struct FlowRule {
  std::vector<FlowSubject> subjects;
  std::vector<ResourceRule> resource_rules;
  std::vector<NonResourceRule> non_resource_rules;
  // Subjects aside.
  bool Matches(const endpoints::RequestInfo& info) const;
};

struct FlowSchemaSpec {
  enum class Distinguisher : uint8_t { kNone, kByUser, kByNamespace };
  std::string name, uid;
  int64_t generation = 0;  // grows with every change of what it says
  std::string level;
  int32_t precedence = 0;
  Distinguisher distinguisher = Distinguisher::kNone;
  std::vector<FlowRule> rules;

  static FlowSchemaSpec Of(api::flowcontrol_v1::FlowSchemaView schema);
  // The order in which they are tried.
  static bool IsBefore(const FlowSchemaSpec& a, const FlowSchemaSpec& b) {
    return a.precedence != b.precedence ? a.precedence < b.precedence : a.name < b.name;
  }
};

// Threads: any, once made.
class FlowSchemaIndex {
 public:
  FlowSchemaIndex() = default;
  // In the order they are tried.
  explicit FlowSchemaIndex(std::vector<FlowSchemaSpec> schemas);

  const std::vector<FlowSchemaSpec>& schemas() const { return schemas_; }
  // Position of the first that matches; -1: none does.
  int Find(const endpoints::RequestInfo& info, const auth::User& user) const;

 private:
  using RuleSet = std::vector<uint64_t>;  // a bit for each rule
  using Sets = std::unordered_map<std::string, RuleSet, base::StringHash, std::equal_to<>>;
  void Add(const FlowSubject& subject, size_t rule);
  static void Unite(const Sets& sets, std::string_view key, uint64_t* rules);

  std::vector<FlowSchemaSpec> schemas_;
  struct Rule {
    int schema;
    const FlowRule* rule;
  };
  std::vector<Rule> rules_;
  size_t words_ = 0;
  RuleSet everybody_;
  Sets users_, groups_;  // service accounts are users
  Sets account_namespaces_;
};

}  // namespace keelson::server::flow_control
