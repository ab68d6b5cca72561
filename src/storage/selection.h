// Selectors: parsing what clients send and matching it against a stored object's selector
// block, without decoding the object.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/selector_requirement.h"
#include "base/result.h"
#include "storage/object.h"

namespace keelson::storage {

// labelSelector=a=b,c!=d,e in (f,g),!h,i>1
//
// Parsing takes time n log n in the length of the text, and matching an object takes a few
// look-ups for each of its labels, however long the selector is.
class LabelSelector {
 public:
  // The error is upstream's text, for a 400; it is cut at the size of a field::ErrorList.
  static base::Result<LabelSelector, std::string> Parse(std::string_view text);
  // The requirements one by one, in order of their keys; what does not parse has none.
  static api::SelectorRequirements ParseRequirements(std::string_view text);
  bool empty() const { return rules_.empty(); }
  bool Matches(const Object& object) const;
  // For tests and controllers: over any lookup.
  template <class Lookup>  // optional<string_view>(string_view key)
  bool MatchesLabels(const Lookup& lookup) const {
    for (const auto& r : rules_)
      if (!r.Holds(lookup(r.key))) return false;
    return true;
  }

 private:
  // All requirements that speak of one key, taken together.
  struct Rule {
    std::string key;
    bool present = false;                        // the label must exist
    bool absent = false;                         // the label must not exist
    std::optional<std::vector<std::string>> in;  // sorted; what all `in` lists have in common
    std::vector<std::string> not_in;             // sorted; of all `notin` lists
    std::optional<int64_t> above, below;
    bool Holds(std::optional<std::string_view> value) const;
    void Add(Rule other);  // makes `not_in` unsorted
  };
  friend class LabelSelectorParser;
  std::vector<Rule> rules_;  // sorted by key, each key once
  size_t present_ = 0;       // how many rules want their label present
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
  // The terms as requirements, in order of their texts; what does not parse has none.
  static api::SelectorRequirements ParseRequirements(std::string_view text);
  bool empty() const { return terms_.empty(); }
  std::span<const Term> terms() const { return terms_; }
  // The value that `field` must equal, when a term says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;
  // The same of a text that is not parsed yet, in one pass that keeps nothing; nullopt also
  // when the text does not parse.
  static std::optional<std::string> FindExactMatch(std::string_view text, std::string_view field);
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
  // Whether it speaks of fields besides the name and the namespace, and what it is without those terms.
  bool has_fields() const;
  Selection WithoutFields() const;
  // Allocates nothing.
  bool Matches(const Object& object) const;

  // The value that the i-th of selectable_fields must equal, when a term says so: a trigger.
  std::optional<std::string_view> exact_field(size_t i) const;
  // metadata.name=x, metadata.namespace=y when required; empty otherwise.
  std::string_view exact_name() const;
  std::string_view exact_namespace() const;

 private:
  // All terms that speak of one field, taken together.
  struct BoundTerm {
    enum class What : uint8_t { kName, kNamespace, kField } what = What::kName;
    size_t index = 0;
    std::optional<std::string> equal;    // the first of the values that it must equal
    bool contradictory = false;          // it must equal two different values
    std::vector<std::string> not_equal;  // sorted
    bool Holds(std::string_view value) const;
  };
  BoundTerm& TermOf(BoundTerm::What what, size_t index);
  std::optional<std::string_view> Exact(BoundTerm::What what, size_t index) const;

  LabelSelector labels_;
  std::vector<BoundTerm> terms_;
};

}  // namespace keelson::storage
