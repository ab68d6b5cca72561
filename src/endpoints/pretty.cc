#include "endpoints/filters.h"

namespace keelson::endpoints {
namespace {

using net::http::BodySource;

class PrettySource final : public BodySource {
 public:
  explicit PrettySource(std::unique_ptr<BodySource> source) : source_(std::move(source)) {}

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    std::vector<base::Slice> compact;
    State state = source_->Next(limit, compact);
    base::BufferBuilder pretty;
    for (const base::Slice& slice : compact)
      for (char c : slice.view()) Put(c, pretty);
    if (pretty.size()) out.push_back(pretty.Take());
    return state;
  }

 private:
  void Put(char c, base::BufferBuilder& out) {
    if (in_string_) {
      out.Append(c);
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      return;
    }
    if (c == '\n') return;
    // A bracket that closes at once stays on its line.
    bool closes = c == '}' || c == ']';
    if (just_opened_ && !closes) NewLine(out);
    switch (c) {
      case '{':
      case '[':
        out.Append(c);
        ++depth_;
        just_opened_ = true;
        return;
      case '}':
      case ']':
        --depth_;
        if (!just_opened_) NewLine(out);
        out.Append(c);
        break;
      case ',':
        out.Append(c);
        NewLine(out);
        break;
      case ':': out.Append(": "); break;
      case '"': in_string_ = true; [[fallthrough]];
      default: out.Append(c);
    }
    just_opened_ = false;
  }

  void NewLine(base::BufferBuilder& out) const {
    out.Append('\n');
    for (int i = 0; i < depth_; ++i) out.Append("  ");
  }

  const std::unique_ptr<BodySource> source_;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false, just_opened_ = false;
};

}  // namespace

std::unique_ptr<BodySource> Prettied(std::unique_ptr<BodySource> source) {
  return std::make_unique<PrettySource>(std::move(source));
}

}  // namespace keelson::endpoints
