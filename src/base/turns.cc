#include "base/turns.h"

#include <deque>

#include "base/handoff.h"

namespace keelson::base {
namespace {

// The turns of the executor that runs here.
struct Line {
  Executor* owner = nullptr;
  bool taken = false;  // this turn of the executor, and Advance is posted for the next
  std::deque<Completion<bool>> waiting = {};
};

Line& LineHere() { return LoopLocal<Line>::Here(); }

void Advance() {
  Line& line = LineHere();
  if (line.waiting.empty()) {
    line.taken = false;
    return;
  }
  const Completion<bool> next = std::move(line.waiting.front());
  line.waiting.pop_front();
  Executor::Current()->Post(Advance);
  next.Set(true);
}

}  // namespace

Task<void> TakeTurn() {
  Executor* const executor = Executor::Current();
  if (!executor) co_return;
  Line& line = LineHere();
  if (line.owner != executor) line = {.owner = executor};
  if (!line.taken) {
    line.taken = true;
    executor->Post(Advance);
    co_return;
  }
  const Completion<bool> turn;
  line.waiting.push_back(turn);
  co_await turn;
}

}  // namespace keelson::base
