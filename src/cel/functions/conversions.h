// Conversions that checks of literals also need.
#pragma once

#include "cel/library.h"

namespace keelson::cel {

Value ToDuration(const Value& value);
Value ToTimestamp(const Value& value);
Value ToString(const Value& value);
Value ToDouble(const Value& value);
Value ToInt(const Value& value);
Value ToUint(const Value& value);

}  // namespace keelson::cel
