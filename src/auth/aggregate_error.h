// AggregateError: several errors as one text, as upstream prints them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace keelson::auth {

class AggregateError {
 public:
  // An empty one is none; one that is there already counts once.
  void Add(std::string error) {
    if (!error.empty() && std::ranges::find(errors_, error) == errors_.end())
      errors_.push_back(std::move(error));
  }
  bool empty() const { return errors_.empty(); }
  // "one", or "[one, two]".
  std::string ToString() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_.front();
    std::string text = "[";
    for (const std::string& error : errors_) (text += text.size() > 1 ? ", " : "") += error;
    return text + "]";
  }

 private:
  std::vector<std::string> errors_;
};

}  // namespace keelson::auth
