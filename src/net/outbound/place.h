// Place: where connections of one loop lead to. Connections to one place are alike.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "net/loop/event_loop.h"

namespace keelson::net::outbound {

using Place = std::pair<EventLoop*, std::string>;
using PlaceView = std::pair<EventLoop*, std::string_view>;

// For maps, in which places are looked up without a copy of the name.
struct PlaceBefore {
  using is_transparent = void;
  static std::pair<const EventLoop*, std::string_view> View(const auto& place) {
    return {place.first, place.second};
  }
  bool operator()(const auto& a, const auto& b) const { return View(a) < View(b); }
};

}  // namespace keelson::net::outbound
