#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/codec/yaml_scalar.h"
#include "base/ascii.h"

namespace keelson::api::yaml {
namespace {

using base::IsDigit;

bool IsLetterOrBeyond(unsigned char c) { return (c | 0x20u) - 'a' < 26u || c >= 0x80; }

// Upstream's order of keys: numbers inside of them by value, letters after the rest.
bool KeyBefore(std::string_view a, std::string_view b) {
  bool digits = false;
  const size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    const auto ca = static_cast<unsigned char>(a[i]), cb = static_cast<unsigned char>(b[i]);
    if (ca == cb) {
      digits = IsDigit(ca);
      continue;
    }
    const bool la = IsLetterOrBeyond(ca), lb = IsLetterOrBeyond(cb);
    if (la && lb) return ca < cb;
    if (la || lb) return digits ? la : lb;
    uint64_t na = 0, nb = 0;
    if (ca == '0' || cb == '0') {
      // Digits before decide whether these zeros lead.
      for (size_t j = i; j-- > 0 && IsDigit(static_cast<unsigned char>(a[j]));) {
        if (a[j] != '0') {
          na = nb = 1;
          break;
        }
      }
    }
    size_t ia = i, ib = i;
    for (; ia < a.size() && IsDigit(static_cast<unsigned char>(a[ia])); ++ia)
      na = na * 10 + static_cast<uint64_t>(a[ia] - '0');
    for (; ib < b.size() && IsDigit(static_cast<unsigned char>(b[ib])); ++ib)
      nb = nb * 10 + static_cast<uint64_t>(b[ib] - '0');
    if (na != nb) return na < nb;
    if (ia != ib) return ia < ib;
    return ca < cb;
  }
  return a.size() < b.size();
}

// Go's %g with the fewest digits.
std::string FormatFloat(double v) {
  char text[32];
  const std::string_view e(
      text, static_cast<size_t>(std::to_chars(text, text + 32, v, std::chars_format::scientific).ptr - text));
  int exponent = 0;
  const size_t at = e.find('e');
  const size_t digits = at + 1 + (e[at + 1] == '+');
  std::from_chars(e.data() + digits, e.data() + e.size(), exponent);
  if (exponent < -4 || exponent >= 6) return std::string(e);
  char fixed[64];
  return {fixed, std::to_chars(fixed, fixed + 64, v, std::chars_format::fixed).ptr};
}

class Writer {
 public:
  Writer() {
    if (!yaml_emitter_initialize(&emitter_)) throw std::bad_alloc();
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(&emitter_, &Append, &text_);
  }
  Writer(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  std::string Document(const Value& root) {
    yaml_event_t event;
    Emit(event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    Emit(event, yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1));
    Any(root);
    emitter_.open_ended = 0;  // upstream writes no "..." after a kept line break
    Emit(event, yaml_document_end_event_initialize(&event, 1));
    Emit(event, yaml_stream_end_event_initialize(&event));
    return std::move(text_);
  }

 private:
  static int Append(void* text, unsigned char* bytes, size_t size) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // Making an event or emitting it fails only for want of memory.
  void Emit(yaml_event_t& event, int made) {
    if (!made || !yaml_emitter_emit(&emitter_, &event)) throw std::bad_alloc();
  }

  void Any(const Value& v) {
    yaml_event_t event;
    switch (v.tag()) {
      case Value::Tag::kBool: return Plain(v.boolean() ? "true" : "false");
      case Value::Tag::kInt: return Plain(std::to_string(v.integer()));
      case Value::Tag::kDouble: return Plain(FormatFloat(v.real()));
      case Value::Tag::kString: return String(v.string());
      case Value::Tag::kList:
        Emit(event,
             yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE));
        for (const Value& item : v.list()->items()) Any(item);
        return Emit(event, yaml_sequence_end_event_initialize(&event));
      case Value::Tag::kMap: return Map(*v.map());
      default: return Plain("null");
    }
  }

  void Map(const MapNode& map) {
    std::vector<const MapNode::Entry*> entries;
    for (const auto& entry : map.entries()) entries.push_back(&entry);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto* a, const auto* b) { return KeyBefore(a->key, b->key); });
    yaml_event_t event;
    Emit(event, yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE));
    for (const auto* entry : entries) {
      String(entry->key);
      Any(entry->value);
    }
    Emit(event, yaml_mapping_end_event_initialize(&event));
  }

  void Plain(std::string_view text) { Scalar(text, YAML_PLAIN_SCALAR_STYLE); }

  // In literal form with line breaks, quoted where it would be read as something else.
  void String(std::string_view s) {
    if (s.find('\n') != s.npos) return Scalar(s, YAML_LITERAL_SCALAR_STYLE);
    const auto tag = ResolvePlain(s).tag;
    const bool itself =
        (tag == yaml::Scalar::Tag::kString || tag == yaml::Scalar::Tag::kMerge) && !IsBase60(s);
    Scalar(s, itself ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void Scalar(std::string_view s, yaml_scalar_style_t style) {
    yaml_event_t event;
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(s.empty() ? "" : s.data());
    Emit(event, yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes, static_cast<int>(s.size()), 1,
                                             1, style));
  }

  yaml_emitter_t emitter_{};
  std::string text_;
};

}  // namespace

std::string FromJson(std::string_view json) {
  Arena arena;
  auto value = json::DecodeAny(json, arena);
  return Writer().Document(value ? *value : Value::Null());
}

}  // namespace keelson::api::yaml
