// Selectors: parsing what clients send and matching it against a stored object's selector
// block, without decoding the object.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/object.h"

namespace keelson::storage {

// labelSelector=a=b,c!=d,e in (f,g),!h,i>1
class LabelSelector {
 public:
  // The error is upstream's text, for a 400.
  static base::Result<LabelSelector, std::string> Parse(std::string_view text);
  bool empty() const { return requirements_.empty(); }
  bool Matches(const Object& object) const;
  // For tests and controllers: over any lookup.
  template <class Lookup>  // optional<string_view>(string_view key)
  bool MatchesLabels(const Lookup& lookup) const {
    for (const auto& r : requirements_)
      if (!r.Holds(lookup(r.key))) return false;
    return true;
  }

 private:
  enum class Op : uint8_t { kIn, kNotIn, kExists, kNotExists, kGreater, kLess };
  struct Requirement {
    std::string key;
    Op op = Op::kExists;
    std::vector<std::string> values;  // sorted
    int64_t bound = 0;                // kGreater, kLess
    bool Holds(std::optional<std::string_view> value) const;
  };
  friend class LabelSelectorParser;
  std::vector<Requirement> requirements_;
};

// fieldSelector=spec.nodeName=n,status.phase!=Failed
class FieldSelector {
 public:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
  };
  // The error is upstream's text, for a 400.
  static base::Result<FieldSelector, std::string> Parse(std::string_view text);
  bool empty() const { return terms_.empty(); }
  std::span<const Term> terms() const { return terms_; }
  // The value that `field` must equal, when a term says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;
  // Terms that speak of `field` speak of `stored` from then on.
  void Rename(std::string_view field, std::string_view stored);

 private:
  std::vector<Term> terms_;
};

// Both, bound to one resource: field terms are resolved to indexes once.
class Selection {
 public:
  Selection() = default;
  // The error is upstream's text when a field is not selectable, for a 400.
  // `namespaced`: a cluster-scoped resource with fields of its own does not know
  // metadata.namespace.
  static base::Result<Selection, std::string> Bind(LabelSelector labels, const FieldSelector& fields,
                                                   std::span<const std::string_view> selectable_fields,
                                                   bool namespaced = true);
  bool everything() const { return labels_.empty() && terms_.empty(); }
  // Allocates nothing.
  bool Matches(const Object& object) const;

  // The value that the i-th of selectable_fields must equal, when a term says so: a trigger.
  std::optional<std::string_view> exact_field(size_t i) const;
  // metadata.name=x, metadata.namespace=y when required; empty otherwise.
  std::string_view exact_name() const;
  std::string_view exact_namespace() const;

 private:
  struct BoundTerm {
    enum class What : uint8_t { kName, kNamespace, kField } what = What::kName;
    size_t index = 0;
    std::string value;
    bool equal = true;
  };
  std::optional<std::string_view> Exact(BoundTerm::What what, size_t index) const;

  LabelSelector labels_;
  std::vector<BoundTerm> terms_;
};

}  // namespace keelson::storage
