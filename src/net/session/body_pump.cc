#include "net/session/body_pump.h"

#include <utility>

namespace keelson::net {

using State = http::BodySource::State;

void BodyPump::Start(std::unique_ptr<http::BodySource> source, std::function<void()> on_wake) {
  source_ = std::move(source);
  on_wake_ = std::move(on_wake);
  state_ = State::kMore;
  source_->set_waker([this] { OnWake(); });
}

void BodyPump::OnWake() {
  if (asking_) {
    woken_ = true;
  } else if (state_ == State::kSleep) {
    state_ = State::kMore;
    on_wake_();
  }
}

void BodyPump::Fill(size_t want) {
  while (state_ == State::kMore && queued_ < want) {
    const size_t had = slices_.size();
    const size_t before = queued_;
    asking_ = true;
    woken_ = false;
    state_ = source_->Next(want - queued_, slices_);
    asking_ = false;
    if (state_ == State::kSleep && woken_) state_ = State::kMore;
    for (size_t i = had; i < slices_.size(); ++i) queued_ += slices_[i].size();
    if (queued_ == before) break;
  }
  // Thousands of sources sleep: they keep no room for slices meanwhile.
  if (queued_ == 0 && state_ != State::kMore) {
    slices_ = {};
    head_ = 0;
  }
}

void BodyPump::Take(size_t n, Sink& sink) {
  queued_ -= n;
  while (n > 0) {
    base::Slice& slice = slices_[head_];
    const size_t part = std::min(n, slice.size());
    sink.Append(slice.view().substr(0, part));
    n -= part;
    if (part < slice.size()) {
      slice.RemovePrefix(part);
    } else {
      slice = base::Slice();
      ++head_;
    }
  }
  if (queued_ == 0) {
    slices_.clear();
    head_ = 0;
  } else if (head_ >= 64 && head_ * 2 >= slices_.size()) {
    slices_.erase(slices_.begin(), slices_.begin() + head_);
    head_ = 0;
  }
}

void BodyPump::Reset() {
  if (source_) source_->set_waker(nullptr);
  source_.reset();
  on_wake_ = nullptr;
  slices_ = {};
  head_ = 0;
  queued_ = 0;
  state_ = State::kEnd;
}

}  // namespace keelson::net
