#include "registry/core/rewritten_page.h"

#include <zlib.h>

#include <deque>
#include <new>
#include <string>
#include <vector>

#include "registry/core/page_links.h"

namespace keelson::registry::core {
namespace {

using net::http::BodySource;

constexpr size_t kPageStep = 16 * 1024;  // what is read, or expanded, at a time

// zlib's numbers for the frame of an encoding; that called deflate has none.
int WindowOf(PageEncoding encoding) { return encoding == PageEncoding::kGzip ? 15 + 16 : -15; }

// Expands what comes in.
class PageReader {
 public:
  explicit PageReader(PageEncoding encoding) : has_members_(encoding == PageEncoding::kGzip) {
    if (inflateInit2(&stream_, WindowOf(encoding)) != Z_OK) throw std::bad_alloc();
  }
  ~PageReader() { inflateEnd(&stream_); }
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  // Consumes some of `bytes`, at least one if nothing is appended, and appends at most kPageStep to `plain`.
  // False: it is not in the encoding.
  bool Read(std::string_view& bytes, std::string& plain) {
    if (ended_ && !has_members_) {  // what follows means nothing
      bytes = {};
      return true;
    }
    if (ended_ && inflateReset(&stream_) != Z_OK) return false;
    const size_t before = plain.size();
    plain.resize(before + kPageStep);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(plain.data() + before);
    stream_.avail_out = kPageStep;
    const int said = inflate(&stream_, Z_NO_FLUSH);
    plain.resize(plain.size() - stream_.avail_out);
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    begun_ = true;
    full_ = stream_.avail_out == 0;
    ended_ = said == Z_STREAM_END;
    return ended_ || said == Z_OK || said == Z_BUF_ERROR;
  }
  // Whether there may be more without further bytes.
  bool full() const { return full_ && !ended_; }
  // Whether what was read may be all: a page of no bytes has no frame.
  bool complete() const { return ended_ || !begun_; }

 private:
  const bool has_members_;  // a frame may follow another
  z_stream stream_{};
  bool begun_ = false, full_ = false, ended_ = false;
};

class PageWriter {
 public:
  explicit PageWriter(PageEncoding encoding) {
    const int level = encoding == PageEncoding::kGzip ? Z_DEFAULT_COMPRESSION : Z_BEST_COMPRESSION;
    if (deflateInit2(&stream_, level, Z_DEFLATED, WindowOf(encoding), 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~PageWriter() { deflateEnd(&stream_); }
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  void Write(std::string_view plain, bool last, base::BufferBuilder& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream_.avail_in = static_cast<uInt>(plain.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.Reserve(kPageStep));
      stream_.avail_out = kPageStep;
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      out.Advance(kPageStep - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
};

class RewrittenSource final : public BodySource {
 public:
  RewrittenSource(std::unique_ptr<BodySource> page, PageEncoding encoding, ProxiedLinks links)
      : page_(std::move(page)), links_(std::move(links)) {
    if (encoding != PageEncoding::kIdentity) {
      reader_.emplace(encoding);
      writer_.emplace(encoding);
    }
    page_->set_waker([this] { Wake(); });
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    State state = State::kMore;
    for (size_t read = 0; read < limit && state == State::kMore; read += kPageStep) state = Step(limit);
    if (made_.size()) out.push_back(made_.Take());
    return state;
  }
  void Drain() override { page_->Drain(); }

 private:
  // Reads on by kPageStep bytes of plain text, or asks for more of the page.
  State Step(size_t limit) {
    if (arrived_.empty() && !(reader_ && reader_->full())) {
      if (page_state_ == State::kEnd) return Finish();
      std::vector<base::Slice> slices;
      page_state_ = page_->Next(limit, slices);
      for (base::Slice& slice : slices)
        if (!slice.empty()) arrived_.push_back(std::move(slice));
      if (page_state_ == State::kFailed) return State::kFailed;
      if (arrived_.empty()) return page_state_ == State::kEnd ? Finish() : page_state_;
    }
    std::string plain;
    if (!ReadSome(plain)) return State::kFailed;
    std::string page;
    links_.Push(plain, page);
    Write(page, /*last=*/false);
    return State::kMore;
  }

  bool ReadSome(std::string& plain) {
    std::string_view bytes = arrived_.empty() ? std::string_view() : arrived_.front().view();
    const size_t before = bytes.size();
    bool readable = true;
    if (reader_) {
      readable = reader_->Read(bytes, plain);
    } else {
      plain = bytes.substr(0, kPageStep);
      bytes.remove_prefix(plain.size());
    }
    if (!arrived_.empty()) {
      arrived_.front().RemovePrefix(before - bytes.size());
      if (arrived_.front().empty()) arrived_.pop_front();
    }
    return readable;
  }

  State Finish() {
    if (reader_ && !reader_->complete()) return State::kFailed;
    std::string rest;
    links_.Finish(rest);
    Write(rest, /*last=*/true);
    return State::kEnd;
  }

  void Write(std::string_view page, bool last) {
    if (writer_) {
      writer_->Write(page, last, made_);
    } else {
      made_.Append(page);
    }
  }

  const std::unique_ptr<BodySource> page_;
  PageLinks links_;
  std::optional<PageReader> reader_;
  std::optional<PageWriter> writer_;
  State page_state_ = State::kMore;
  std::deque<base::Slice> arrived_;
  base::BufferBuilder made_;
};

}  // namespace

std::optional<PageEncoding> PageEncodingOf(std::string_view field) {
  if (field.empty()) return PageEncoding::kIdentity;
  if (field == "gzip") return PageEncoding::kGzip;
  if (field == "deflate") return PageEncoding::kDeflate;
  return std::nullopt;
}

std::unique_ptr<BodySource> RewrittenPage(std::unique_ptr<BodySource> page, PageEncoding encoding,
                                          ProxiedLinks links) {
  return std::make_unique<RewrittenSource>(std::move(page), encoding, std::move(links));
}

}  // namespace keelson::registry::core
