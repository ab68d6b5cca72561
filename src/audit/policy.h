// Policy: what is kept of which request. Read once, at the start.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/level.h"
#include "auth/attributes.h"
#include "base/result.h"

namespace keelson::audit {

// What the policy says of one request.
struct Decision {
  Level level = Level::kNone;
  Stages omitted;
  bool omit_managed_fields = false;
};

struct GroupResources {
  std::string group;                   // "*": every one
  std::vector<std::string> resources;  // "pods", "pods/log", "pods/*", "*/scale", "*"; empty: all
  std::vector<std::string> names;      // empty: all
};

// An empty list matches everything.
struct Rule {
  std::vector<std::string> users, groups, verbs, namespaces, paths;
  std::vector<GroupResources> resources;
  Decision decision;

  bool Matches(const auth::Attributes& request) const;
};

// Threads: any; it never changes.
class Policy {
 public:
  // YAML or JSON of a Policy of audit.k8s.io/v1. Fields that are unknown or given twice are logged and left
  // out; the error is upstream's text.
  static base::Result<Policy, std::string> Parse(std::string_view text);
  static base::Result<Policy, std::string> ReadFile(const std::filesystem::path& file);

  // What the first rule that matches says; where none does, nothing is kept.
  Decision Evaluate(const auth::Attributes& request) const;

  const std::vector<Rule>& rules() const { return rules_; }

 private:
  std::vector<Rule> rules_;
};

}  // namespace keelson::audit
