// jsonpatch.escapeKey: a key as part of a JSON pointer.
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

Value EscapeKey(Args args) {
  std::string out;
  for (const char c : args[0].text()) {
    if (c == '/') {
      out += "~1";
    } else if (c == '~') {
      out += "~0";
    } else {
      out += c;
    }
  }
  return Value::String(std::move(out));
}

}  // namespace

void AddJsonPatch(Library& library) {
  library.Global("jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", {types::String()},
                 types::String(), EscapeKey);
}

}  // namespace keelson::cel
