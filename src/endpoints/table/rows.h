// The rows of `kubectl get` for the kinds that have columns of their own.
#pragma once

#include "api/types/resource_desc.h"
#include "endpoints/table/printer.h"

namespace keelson::endpoints::table {

// The printer of a built-in resource; the default one when it has no columns of its own.
const Printer& PrinterFor(const api::ResourceDesc& resource);

}  // namespace keelson::endpoints::table
