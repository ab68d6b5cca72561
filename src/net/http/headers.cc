#include "net/http/headers.h"

namespace keelson::net::http {

std::string Headers::Joined(std::string_view name) const {
  std::string out;
  bool first = true;
  for (const auto& f : fields_) {
    if (f.name != name) continue;
    if (!first) out += ", ";
    out += f.value;
    first = false;
  }
  return out;
}

}  // namespace keelson::net::http
