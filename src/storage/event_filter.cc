#include "storage/event_filter.h"

#include <utility>

namespace keelson::storage {

EventFilter::EventFilter(std::string ns, Selection selection) : ns_(std::move(ns)) {
  if (!selection.everything()) selection_ = std::make_unique<const Selection>(std::move(selection));
}

const Selection& EventFilter::selection() const {
  static const Selection kEverything;
  return selection_ ? *selection_ : kEverything;
}

}  // namespace keelson::storage
