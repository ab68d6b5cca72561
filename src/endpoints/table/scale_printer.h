// The columns of a Scale. Those of custom resources say a little more of themselves.
#pragma once

#include "endpoints/table/printer.h"

namespace keelson::endpoints::table {

const Printer& ScalePrinter(bool custom);

}  // namespace keelson::endpoints::table
