#include "storage/failed_watch.h"

#include <utility>

namespace keelson::storage {
namespace {

class FailedWatchStream final : public WatchStream {
 public:
  explicit FailedWatchStream(Error error) : error_(std::move(error)) {}
  State Poll(size_t, std::vector<WatchEvent>& out) override {
    if (!told_) out.push_back(ErrorEvent(error_));
    told_ = true;
    return State::kEnd;
  }
  void SetWaker(std::function<void()>) override {}
  Revision position() const override { return 0; }

 private:
  const Error error_;
  bool told_ = false;
};

}  // namespace

WatchEvent ErrorEvent(Error error) {
  WatchEvent event;
  event.type = EventType::kError;
  event.error = std::make_shared<const Error>(std::move(error));
  return event;
}

std::unique_ptr<WatchStream> FailedWatch(Error error) {
  return std::make_unique<FailedWatchStream>(std::move(error));
}

}  // namespace keelson::storage
