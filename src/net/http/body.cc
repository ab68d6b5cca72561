#include "net/http/body.h"

namespace keelson::net::http {
namespace {

class FixedBodySource final : public BodySource {
 public:
  explicit FixedBodySource(std::vector<base::Slice> slices) : slices_(std::move(slices)) {
    for (const auto& s : slices_) size_ += s.size();
  }

  std::optional<uint64_t> Size() const override { return size_; }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    size_t given = 0;
    while (next_ < slices_.size() && given < limit) {
      given += slices_[next_].size();
      out.push_back(std::move(slices_[next_++]));
    }
    return next_ == slices_.size() ? State::kEnd : State::kMore;
  }

 private:
  std::vector<base::Slice> slices_;
  size_t next_ = 0;
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<BodySource> FixedBody(std::vector<base::Slice> slices) {
  return std::make_unique<FixedBodySource>(std::move(slices));
}

std::unique_ptr<BodySource> FixedBody(base::Slice slice) {
  std::vector<base::Slice> slices;
  slices.push_back(std::move(slice));
  return FixedBody(std::move(slices));
}

base::Task<base::Result<base::Slice, BodyError>> BodyReader::ReadAll(size_t limit_bytes) {
  using Whole = base::Result<base::Slice, BodyError>;
  if (auto size = Size(); size && *size > limit_bytes) co_return Whole(base::Err(BodyError::kTooLarge));

  base::Slice only;  // as long as there is one piece it is not copied
  base::BufferBuilder joined;
  size_t total = 0;
  while (true) {
    auto piece = co_await Read();
    if (!piece) co_return Whole(base::Err(piece.error()));
    if (!piece->has_value()) break;
    base::Slice bytes = std::move(**piece);
    if (bytes.size() > limit_bytes - total) co_return Whole(base::Err(BodyError::kTooLarge));
    if (total == 0) {
      only = std::move(bytes);
      total = only.size();
      continue;
    }
    if (joined.size() == 0) {
      joined.Reserve(static_cast<size_t>(Size().value_or(2 * total)));
      joined.Append(only.view());
    }
    joined.Append(bytes.view());
    total += bytes.size();
  }
  if (joined.size() == 0) co_return Whole(std::move(only));
  co_return Whole(joined.Take());
}

}  // namespace keelson::net::http
