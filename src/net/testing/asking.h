// Asking servers by an http::Client, for tests: the whole answer, and bodies that a test gives.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/http/client.h"

namespace keelson::net::testing {

struct Answer {
  int status = 0;
  http::Headers headers;
  std::string body;
  bool broken = false;  // the body failed
  std::optional<http::ClientError> error;
};

// A body that a test gives piece by piece.
class Pieces final : public http::BodyReader {
 public:
  explicit Pieces(std::vector<std::string> pieces, std::optional<uint64_t> size = std::nullopt)
      : pieces_(std::move(pieces)), size_(size) {}
  base::Task<base::Result<std::optional<base::Slice>, http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, http::BodyError>;
    if (next_ == pieces_.size()) co_return Piece(std::nullopt);
    co_return Piece(std::optional(base::Slice::Copy(pieces_[next_++])));
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  const std::vector<std::string> pieces_;
  const std::optional<uint64_t> size_;
  size_t next_ = 0;
};

// At most `limit` bytes of the body, or a few more, are read; then it is dropped.
inline base::Task<void> Ask(http::Client& client, http::Destination destination, http::ClientRequest request,
                            std::promise<Answer>& result, size_t limit = SIZE_MAX) {
  Answer answer;
  auto response = co_await client.Send(std::move(destination), std::move(request));
  if (!response) {
    answer.error = response.error();
    co_return result.set_value(std::move(answer));
  }
  answer.status = response->status;
  answer.headers = response->headers;
  for (bool more = response->body != nullptr; more;) {
    base::Completion<bool> woken;
    response->body->set_waker([woken, once = false]() mutable {
      if (!std::exchange(once, true)) woken.Set(true);
    });
    std::vector<base::Slice> slices;
    const auto state = response->body->Next(10'000, slices);
    for (const base::Slice& slice : slices) answer.body += slice.view();
    if (answer.body.size() >= limit) break;
    if (state == http::BodySource::State::kSleep) co_await woken;
    answer.broken = state == http::BodySource::State::kFailed;
    more = state != http::BodySource::State::kEnd && !answer.broken;
  }
  response->body.reset();
  result.set_value(std::move(answer));
}

}  // namespace keelson::net::testing
