// Amounts of resources as values; also made outside of expressions.
#pragma once

#include "api/codec/quantity.h"
#include "cel/value.h"

namespace keelson::cel {

Value QuantityValue(api::Quantity quantity);
// Null: `value` is no quantity.
const api::Quantity* AsQuantity(const Value& value);

}  // namespace keelson::cel
