// Descriptions: what built-in types and fields are for, in words, for who writes a document. The words of a
// schema are inflated when one of its types is first asked about, and dropped with this object.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/types/type_desc.h"

namespace keelson::endpoints::openapi {

// Threads: one. What it returns lives as long as it does.
class Descriptions {
 public:
  // Of a struct; empty: nothing is said of it.
  std::string_view Of(const api::TypeDesc& type);
  // Of a field of that struct itself, not of one inlined in it.
  std::string_view Of(const api::TypeDesc& type, const api::FieldDesc& field);

 private:
  // Those of a type: its own, then one for each field; null: there are none.
  const std::string_view* TextsOf(const api::TypeDesc& type);
  void Inflate(std::string_view schema);

  std::set<std::string_view> inflated_;  // schemas
  std::deque<std::string> bytes_;
  std::deque<std::vector<std::string_view>> texts_;
  std::unordered_map<const api::TypeDesc*, const std::string_view*> by_type_;
};

}  // namespace keelson::endpoints::openapi
