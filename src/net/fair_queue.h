// FairQueue: work of many senders, each of which gets an equal share of what is done while others wait.
//
// Every item has a stamp, and the smallest goes first. Stamps of one sender are a step apart, and time goes
// on by a step when each sender with items could have had one done. The first items of a sender that had less
// than its share go before all that is due now, so who asks for little does not wait for those who ask for
// much. No flow of new senders keeps an item waiting for ever: time goes on for them, too.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace keelson::net {

template <class Item>
class FairQueue {
 public:
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }

  void Push(const std::string& sender, Item item) {
    auto& [name, record] = *senders_.try_emplace(sender).first;
    const int64_t due = std::max(record.next, now_);
    record.next = due + kStep;
    if (record.waiting++ == 0) ++busy_;
    const bool early = due - now_ < kHeadStart;
    heap_.push_back({early ? due - kHeadStart : due, next_order_++, &name, std::move(item)});
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }

  // Requires: not empty.
  Item Pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    Entry entry = std::move(heap_.back());
    heap_.pop_back();
    now_ += kStep / static_cast<int64_t>(busy_);
    const auto found = senders_.find(*entry.sender);
    if (--found->second.waiting == 0) --busy_;
    Forget();
    return std::move(entry.item);
  }

 private:
  static constexpr int64_t kStep = int64_t{1} << 24;
  static constexpr int64_t kHeadStart = 2 * kStep;  // what one handshake takes
  static constexpr size_t kMostIdle = 1024;

  struct Sender {
    int64_t next = 0;    // when another item of it would be due
    size_t waiting = 0;  // its items in the heap
  };
  struct Entry {
    int64_t stamp;
    uint64_t order;  // of equal stamps the older item goes first
    const std::string* sender;
    Item item;
  };
  static bool Later(const Entry& a, const Entry& b) {
    return a.stamp != b.stamp ? a.stamp > b.stamp : a.order > b.order;
  }

  // What is known of senders without items lasts as long as the queue does, unless there are very many.
  void Forget() {
    if (heap_.empty()) {
      senders_.clear();
    } else if (senders_.size() > 2 * busy_ + kMostIdle) {
      std::erase_if(senders_, [](const auto& sender) { return sender.second.waiting == 0; });
    }
  }

  std::vector<Entry> heap_;
  std::unordered_map<std::string, Sender> senders_;
  size_t busy_ = 0;  // senders with items
  int64_t now_ = 0;
  uint64_t next_order_ = 0;
};

}  // namespace keelson::net
