// What a metav1.LabelSelector inside an object selects.
#pragma once

#include <string>

#include "api/generated/meta_v1.h"
#include "api/types/view.h"

namespace keelson::api {

// Whether the selector means anything: its operators, keys and values are all valid. An
// absent one does.
bool IsUsableSelector(meta_v1::LabelSelectorView selector);

// An absent selector matches nothing, an empty one everything.
// Requires: IsUsableSelector.
bool SelectorMatches(meta_v1::LabelSelectorView selector, MapView labels);

// As clients write it in a query: "a=b,c in (d,e)". Empty for absent and empty selectors.
// Requires: IsUsableSelector.
std::string SelectorText(meta_v1::LabelSelectorView selector);

}  // namespace keelson::api
