#include <zlib.h>

#include <new>

#include "endpoints/filters.h"

namespace keelson::endpoints {
namespace {

using net::http::BodySource;

constexpr int kLevel = 1;             // most of the gain for the least work
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip frame
constexpr size_t kOutputBytes = 32 * 1024;

class GzipSource final : public BodySource {
 public:
  explicit GzipSource(std::unique_ptr<BodySource> source) : source_(std::move(source)) {
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipSource() override { deflateEnd(&stream_); }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    std::vector<base::Slice> plain;
    State state = source_->Next(limit, plain);
    for (const base::Slice& slice : plain) Deflate(slice.view(), Z_NO_FLUSH);
    if (state == State::kEnd) Deflate({}, Z_FINISH);
    if (packed_.size()) out.push_back(packed_.Take());
    return state;
  }
  void Drain() override { source_->Drain(); }

 private:
  void Deflate(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.Reserve(kOutputBytes));
      stream_.avail_out = kOutputBytes;
      deflate(&stream_, flush);
      packed_.Advance(kOutputBytes - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  const std::unique_ptr<BodySource> source_;
  z_stream stream_{};
  base::BufferBuilder packed_;
};

}  // namespace

std::unique_ptr<BodySource> Gzipped(std::unique_ptr<BodySource> source) {
  return std::make_unique<GzipSource>(std::move(source));
}

}  // namespace keelson::endpoints
