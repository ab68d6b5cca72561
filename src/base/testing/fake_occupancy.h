// FakeOccupancy: somebody's place at the server, for tests.
#pragma once

#include <string>

#include "base/occupancy.h"

namespace keelson::base {

class FakeOccupancy final : public Occupancy {
 public:
  // How often it was given back and taken again, in order.
  std::string moves;

 private:
  void Vacate() override { moves += "out "; }
  void Reoccupy() override { moves += "in "; }
};

}  // namespace keelson::base
