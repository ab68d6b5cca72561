// Whether two lists of structs read the same, as upstream's semantic comparison sees it.
#pragma once

#include "api/types/view.h"

namespace keelson::admission {

template <class View>
bool SameList(api::ListView<View> a, api::ListView<View> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!api::Equal(a[i].node(), b[i].node())) return false;
  return true;
}

}  // namespace keelson::admission
