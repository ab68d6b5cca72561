#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

// Go's %q of text that is printable; anything else is escaped byte by byte.
void AppendQuoted(std::string_view s, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
}

// Nothing a browser could take for HTML.
std::string Sanitize(std::string_view s) {
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

}  // namespace

std::string ForbiddenMessage(const Attributes& a, std::string_view reason) {
  std::string m = "User ";
  AppendQuoted(a.user ? std::string_view(a.user->name) : std::string_view(), m);
  m += " cannot ";
  m += a.verb;
  if (a.resource_request) {
    m += " resource ";
    std::string resource(a.resource);
    if (!a.subresource.empty()) (resource += '/') += a.subresource;
    AppendQuoted(resource, m);
    m += " in API group ";
    AppendQuoted(a.group, m);
    if (a.ns.empty()) {
      m += " at the cluster scope";
    } else {
      m += " in the namespace ";
      AppendQuoted(a.ns, m);
    }
  } else {
    m += " path ";
    AppendQuoted(a.path, m);
  }
  m = Sanitize(m);
  if (!reason.empty()) (m += ": ") += reason;
  return m;
}

}  // namespace keelson::auth
