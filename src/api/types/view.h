// What the generated views (api/generated/*.h) are made of.
//
// PodView reads: PodView(doc).spec().containers()[0].name(). An absent struct gives a
// null view, whose fields all read as absent; test it with `if (view.spec())`.
// PodEditor also writes: set_x(), clear_x(), mutable_x() (made if absent), add_x().
#pragma once

#include <optional>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api {

class StructView {
 public:
  StructView() = default;
  explicit StructView(const StructNode* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }
  const StructNode* node() const { return node_; }

 protected:
  const Value& at(size_t ordinal) const { return node_ ? node_->slot(ordinal) : kAbsentValue; }
  const StructNode* node_ = nullptr;

 private:
  static constexpr Value kAbsentValue{};
};

// A list of structs read as views.
template <class View>
class ListView {
 public:
  explicit ListView(const ListNode* list = nullptr) : list_(list) {}
  size_t size() const { return list_ ? list_->size : 0; }
  bool empty() const { return size() == 0; }
  View operator[](size_t i) const { return View(list_->data[i].node()); }

  class iterator {
   public:
    explicit iterator(const Value* p) : p_(p) {}
    View operator*() const { return View(p_->node()); }
    iterator& operator++() { ++p_; return *this; }
    bool operator==(const iterator&) const = default;
   private:
    const Value* p_;
  };
  iterator begin() const { return iterator(list_ ? list_->data : nullptr); }
  iterator end() const { return iterator(list_ ? list_->data + list_->size : nullptr); }

 private:
  const ListNode* list_;
};

// A list of scalars, by their values.
class ScalarList {
 public:
  explicit ScalarList(const ListNode* list = nullptr) : list_(list) {}
  size_t size() const { return list_ ? list_->size : 0; }
  bool empty() const { return size() == 0; }
  const Value& operator[](size_t i) const { return list_->data[i]; }
  const Value* begin() const { return list_ ? list_->data : nullptr; }
  const Value* end() const { return list_ ? list_->data + list_->size : nullptr; }

 private:
  const ListNode* list_;
};

// A map from string to anything, in key order.
class MapView {
 public:
  explicit MapView(const MapNode* map = nullptr) : map_(map) {}
  size_t size() const { return map_ ? map_->size : 0; }
  bool empty() const { return size() == 0; }
  const Value* Find(std::string_view key) const {
    return map_ ? map_->Find(key) : nullptr;
  }
  const MapNode::Entry* begin() const { return map_ ? map_->data : nullptr; }
  const MapNode::Entry* end() const { return map_ ? map_->data + map_->size : nullptr; }

 private:
  const MapNode* map_;
};

}  // namespace keelson::api
