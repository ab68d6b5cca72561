// Cells that the kinds which make pods have in common.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"
#include "api/generated/meta_v1.h"
#include "endpoints/table/cells.h"

namespace keelson::endpoints::table {

// Two cells: the names and the images of the template's containers.
void TemplateCells(api::core_v1::PodTemplateSpecView pod_template, Cells& cells);

// "a=b,c in (d,e)", or <none>; <error> when it makes no sense.
void SelectorCell(api::meta_v1::LabelSelectorView selector, Cells& cells);

}  // namespace keelson::endpoints::table
