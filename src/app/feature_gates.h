// FeatureGates: what --feature-gates switches.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/features.h"

namespace keelson::app {

class FeatureGates {
 public:
  FeatureGates() = default;  // each as it is by default

  // From pairs `[kube:]Name=bool`; a later one replaces an earlier. Errors are upstream's, and one for a gate
  // whose feature Keelson does not have, or cannot be without: it may be given with the value that describes
  // what Keelson does. AllAlpha and AllBeta switch those that can be, and are refused if there is one that
  // cannot.
  static base::Result<FeatureGates, std::string> Parse(const std::vector<std::string>& pairs);

  // Requires: `name` is a gate of kube-apiserver v1.36.
  bool Enabled(std::string_view name) const;
  // Tells of each gate its name, its stage as upstream writes it ("" is GA), and whether it is on.
  void ForEach(
      const std::function<void(std::string_view name, std::string_view stage, bool enabled)>& tell) const;
  // What is to be logged of gates that need not be given any more.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::set<std::string, std::less<>> changed_;  // names of those that are not as by default
  std::vector<std::string> warnings_;
};

// The features that strategies and validation depend on.
registry::Features FeaturesOf(const FeatureGates& gates);

// The gate that a built-in resource is behind; empty: none.
std::string_view GateOf(std::string_view group, std::string_view version, std::string_view plural);

}  // namespace keelson::app
