#include "registry/core/rewritten_page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace keelson::registry::core {
namespace {

using net::http::BodySource;

const ProxiedLinks kRewritten{.prefix = "/proxy", .backend = "10.0.0.1:80", .host = "api:6443"};
constexpr size_t kLimit = 16 * 1024;

std::string Packed(std::string_view plain, PageEncoding encoding) {
  if (encoding == PageEncoding::kIdentity) return std::string(plain);
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, encoding == PageEncoding::kGzip ? 31 : -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string Unpacked(std::string_view packed, PageEncoding encoding) {
  if (encoding == PageEncoding::kIdentity) return std::string(packed);
  z_stream stream{};
  inflateInit2(&stream, encoding == PageEncoding::kGzip ? 31 : -15);
  std::string plain;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int said = Z_OK;
  while (said == Z_OK) {
    char block[4096];
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof(block);
    said = inflate(&stream, Z_NO_FLUSH);
    plain.append(block, sizeof(block) - stream.avail_out);
  }
  EXPECT_EQ(said, Z_STREAM_END);
  inflateEnd(&stream);
  return plain;
}

// Gives its pieces one by one, and sleeps before each.
class SleepySource final : public BodySource {
 public:
  explicit SleepySource(std::vector<std::string> pieces, State last = State::kEnd)
      : pieces_(std::move(pieces)), last_(last) {}

  State Next(size_t, std::vector<base::Slice>& out) override {
    if (asleep_ = !asleep_; asleep_) return State::kSleep;
    if (next_ == pieces_.size()) return last_;
    out.push_back(base::Slice::Copy(pieces_[next_++]));
    return State::kMore;
  }

 private:
  std::vector<std::string> pieces_;
  const State last_;
  size_t next_ = 0;
  bool asleep_ = false;
};

struct Read {
  std::string bytes;
  BodySource::State last = BodySource::State::kMore;
  size_t most = 0;  // bytes of one call
};

Read ReadAll(BodySource& source) {
  Read read;
  while (read.last == BodySource::State::kMore || read.last == BodySource::State::kSleep) {
    std::vector<base::Slice> slices;
    read.last = source.Next(kLimit, slices);
    size_t given = 0;
    for (const auto& slice : slices) given += slice.size();
    for (const auto& slice : slices) read.bytes.append(slice.view());
    read.most = std::max(read.most, given);
  }
  return read;
}

std::vector<std::string> Cut(std::string_view bytes, size_t size) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at < bytes.size(); at += size) pieces.emplace_back(bytes.substr(at, size));
  return pieces;
}

class RewrittenPageTest : public testing::TestWithParam<PageEncoding> {
 protected:
  Read Through(std::vector<std::string> pieces, BodySource::State last = BodySource::State::kEnd) {
    auto page =
        RewrittenPage(std::make_unique<SleepySource>(std::move(pieces), last), GetParam(), kRewritten);
    return ReadAll(*page);
  }
};

TEST_P(RewrittenPageTest, LinksAreChangedHoweverThePageArrives) {
  const std::string page = "<p>" + std::string(3000, 'x') + "<a href=\"/x\">y</a>";
  for (const size_t size : {1, 5, 100, 100000}) {
    const Read read = Through(Cut(Packed(page, GetParam()), size));
    EXPECT_EQ(read.last, BodySource::State::kEnd);
    EXPECT_EQ(Unpacked(read.bytes, GetParam()),
              "<p>" + std::string(3000, 'x') + "<a href=\"/proxy/x\">y</a>");
  }
}

TEST_P(RewrittenPageTest, APageOfNothingIsOne) {
  const Read read = Through({});
  EXPECT_EQ(read.last, BodySource::State::kEnd);
  EXPECT_EQ(Unpacked(read.bytes, GetParam()), "");
}

TEST_P(RewrittenPageTest, APageThatBreaksOffBreaksOff) {
  EXPECT_EQ(Through({Packed("<p>text", GetParam())}, BodySource::State::kFailed).last,
            BodySource::State::kFailed);
}

TEST_P(RewrittenPageTest, OneCallDoesBoundedWorkWhateverThePageExpandsTo) {
  const std::string page(8 * 1024 * 1024, 'x');
  const Read read = Through({Packed(page, GetParam())});
  EXPECT_EQ(read.last, BodySource::State::kEnd);
  EXPECT_LE(read.most, 2 * kLimit);
  EXPECT_EQ(Unpacked(read.bytes, GetParam()), page);
}

std::string NameOf(const testing::TestParamInfo<PageEncoding>& info) {
  switch (info.param) {
    case PageEncoding::kIdentity: return "Identity";
    case PageEncoding::kGzip: return "Gzip";
    case PageEncoding::kDeflate: return "Deflate";
  }
  return "";
}
INSTANTIATE_TEST_SUITE_P(Encodings, RewrittenPageTest,
                         testing::Values(PageEncoding::kIdentity, PageEncoding::kGzip,
                                         PageEncoding::kDeflate),
                         NameOf);

TEST(PackedPageTest, APageThatIsNotInItsEncodingBreaksOff) {
  const std::string packed = Packed("<p>text</p>", PageEncoding::kGzip);
  for (const std::string& page :
       {std::string("<p>text"), packed.substr(0, packed.size() - 3), packed + "more"}) {
    auto source =
        RewrittenPage(std::make_unique<SleepySource>(Cut(page, 7)), PageEncoding::kGzip, kRewritten);
    EXPECT_EQ(ReadAll(*source).last, BodySource::State::kFailed);
  }
}

TEST(PackedPageTest, APageMayHaveSeveralMembers) {
  const std::string two = Packed("<a hre", PageEncoding::kGzip) + Packed("f=\"/x\">", PageEncoding::kGzip);
  auto source = RewrittenPage(std::make_unique<SleepySource>(Cut(two, 9)), PageEncoding::kGzip, kRewritten);
  const Read read = ReadAll(*source);
  EXPECT_EQ(read.last, BodySource::State::kEnd);
  EXPECT_EQ(Unpacked(read.bytes, PageEncoding::kGzip), "<a href=\"/proxy/x\">");
}

TEST(PackedPageTest, EncodingsHaveNames) {
  EXPECT_EQ(PageEncodingOf(""), PageEncoding::kIdentity);
  EXPECT_EQ(PageEncodingOf("gzip"), PageEncoding::kGzip);
  EXPECT_EQ(PageEncodingOf("deflate"), PageEncoding::kDeflate);
  EXPECT_EQ(PageEncodingOf("br"), std::nullopt);
}

}  // namespace
}  // namespace keelson::registry::core
