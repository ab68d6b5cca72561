// What both protocols say at the head of a response.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

#include "net/http/message.h"

namespace keelson::net {

// "Not Found" for 404; empty when the code has no name.
std::string_view ReasonPhrase(int status);

// The value of a Date field for this second. Valid until the next call on this thread.
std::string_view HttpDate();

// Whether a response of this status has a body at all.
inline bool StatusAllowsBody(int status) { return status >= 200 && status != 204 && status != 304; }

// Fields about the connection, which the protocol engine sets by itself.
bool IsConnectionField(std::string_view name);

// A field's value as it may go on the wire: no line ends, which would begin another field.
// Returns `value` itself, or a cleaned copy that is put into `storage`.
std::string_view WireValue(std::string_view value, std::forward_list<std::string>& storage);

// A short plain-text answer for requests that never reach the handler.
http::Response PlainError(int status, std::string_view detail);

}  // namespace keelson::net
