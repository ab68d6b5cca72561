// Remarks: what authentication has to say of a credential besides whose it is.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keelson::auth {

struct Remarks {
  struct Annotation {
    std::string_view key;  // a constant
    std::string value;
  };
  std::vector<Annotation> annotations;  // of the request's audit event
  std::vector<std::string> warnings;    // for the client

  bool empty() const { return annotations.empty() && warnings.empty(); }
  void Annotate(std::string_view key, std::string value) { annotations.push_back({key, std::move(value)}); }
};

}  // namespace keelson::auth
