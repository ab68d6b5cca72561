#include "api/validation/quote.h"
#include "auth/forbidden.h"

namespace keelson::auth {

std::string WithoutMarkup(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (const char c : s) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string ForbiddenMessage(const Attributes& a, std::string_view reason) {
  std::string m = "User ";
  api::AppendQuoted(a.user ? std::string_view(a.user->name) : std::string_view(), m);
  m += " cannot ";
  m += a.verb;
  if (a.resource_request) {
    m += " resource ";
    std::string resource(a.resource);
    if (!a.subresource.empty()) (resource += '/') += a.subresource;
    api::AppendQuoted(resource, m);
    m += " in API group ";
    api::AppendQuoted(a.group, m);
    if (a.ns.empty()) {
      m += " at the cluster scope";
    } else {
      m += " in the namespace ";
      api::AppendQuoted(a.ns, m);
    }
  } else {
    m += " path ";
    api::AppendQuoted(a.path, m);
  }
  m = WithoutMarkup(m);
  if (!reason.empty()) (m += ": ") += reason;
  return m;
}

}  // namespace keelson::auth
