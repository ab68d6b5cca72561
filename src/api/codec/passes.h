// Passes: how often documents went through a codec. Decoding a text or message into a tree, encoding a tree,
// and rewriting one form as another are a pass each; what one codec asks of another meanwhile is part of its
// pass. Requests are held to a number of passes by tests, which count them here.
//
// Threads: passes are counted on all threads. While nobody counts, a pass costs the load of a pointer.
#pragma once

#include <atomic>

namespace keelson::api::codec {

// Counts from its making to its end. Only one lives at a time.
class PassCountForTest {
 public:
  PassCountForTest() { counting_.store(this, std::memory_order_release); }
  ~PassCountForTest() { counting_.store(nullptr, std::memory_order_release); }
  PassCountForTest(const PassCountForTest&) = delete;
  PassCountForTest& operator=(const PassCountForTest&) = delete;

  int decodes() const { return decodes_.load(); }
  int encodes() const { return encodes_.load(); }
  int transcodes() const { return transcodes_.load(); }
  int all() const { return decodes() + encodes() + transcodes(); }

 private:
  friend class Pass;
  static inline std::atomic<PassCountForTest*> counting_{nullptr};
  std::atomic<int> decodes_{0}, encodes_{0}, transcodes_{0};
};

// One pass: lives in every function by which a document enters or leaves a codec.
class Pass {
 public:
  static Pass Decode() { return Pass(&PassCountForTest::decodes_); }
  static Pass Encode() { return Pass(&PassCountForTest::encodes_); }
  static Pass Transcode() { return Pass(&PassCountForTest::transcodes_); }
  // No pass: what codecs are asked for meanwhile is a small part of a document, as the keys of a field set.
  static Pass Part() { return Pass(nullptr); }
  ~Pass() {
    if (counted_) [[unlikely]]
      --depth_;
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

 private:
  using Counter = std::atomic<int> PassCountForTest::*;
  explicit Pass(Counter counter) {
    PassCountForTest* const count = PassCountForTest::counting_.load(std::memory_order_acquire);
    if (!count) [[likely]]
      return;
    counted_ = true;
    if (depth_++ == 0 && counter) ++(count->*counter);
  }

  static inline thread_local int depth_ = 0;  // passes within passes
  bool counted_ = false;
};

}  // namespace keelson::api::codec
