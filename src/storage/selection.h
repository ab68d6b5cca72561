// Selectors: parsing what clients send and matching it against a stored object's selector
// block, without decoding the object.
#pragma once

#include <cstdint>
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
    Op op;
    std::vector<std::string> values;  // sorted
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
  static base::Result<FieldSelector, std::string> Parse(std::string_view text);
  bool empty() const { return terms_.empty(); }
  std::span<const Term> terms() const { return terms_; }
  // The value that `field` must equal, when a term says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;

 private:
  std::vector<Term> terms_;
};

// Both, bound to one resource: field terms are resolved to indexes once.
class Selection {
 public:
  Selection() = default;
  // kInvalidOption text when a field is not selectable: upstream's "field label not supported".
  static base::Result<Selection, std::string> Bind(LabelSelector labels, const FieldSelector& fields,
                                                   std::span<const std::string_view> selectable_fields);
  bool everything() const { return labels_.empty() && terms_.empty(); }
  bool Matches(const Object& object) const;

  // Index into selectable_fields and value when one field must equal one value: a trigger.
  struct ExactField {
    size_t index;
    std::string_view value;
  };
  std::span<const ExactField> exact_fields() const { return exact_; }
  // metadata.name=x, metadata.namespace=y when required.
  std::string_view exact_name() const { return exact_name_; }
  std::string_view exact_namespace() const { return exact_namespace_; }

 private:
  struct BoundTerm {
    enum class What : uint8_t { kName, kNamespace, kField } what;
    size_t index;
    std::string value;
    bool equal;
  };
  LabelSelector labels_;
  std::vector<BoundTerm> terms_;
  std::vector<ExactField> exact_;
  std::string_view exact_name_, exact_namespace_;
};

}  // namespace keelson::storage
