// Endable: what a request of ours waits for, and what can be told that it no longer does.
#pragma once

#include <string>

namespace keelson::net::http {

class Endable {
 public:
  // Ends it; the first reason given is its error.
  virtual void Fail(std::string why) = 0;

 protected:
  ~Endable() = default;
};

}  // namespace keelson::net::http
