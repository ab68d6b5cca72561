#include <yaml.h>

#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "api/codec/base64.h"
#include "api/codec/passes.h"
#include "api/codec/token_writer.h"
#include "api/codec/yaml.h"
#include "api/codec/yaml_scalar.h"

namespace keelson::api::yaml {
namespace {

constexpr size_t kMaxExpansion = 10 << 20;
// How many nodes aliases and merges may visit again: about as many as upstream's decoder lets them.
constexpr size_t kMaxRepeats = 400'000;
// The parser compares each %TAG line with all before it.
constexpr size_t kMaxTagDirectives = 100;
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct Node {
  enum class Kind : uint8_t { kScalar, kSequence, kMapping };
  Kind kind = Kind::kScalar;
  bool plain = false;  // untagged and unquoted: to be resolved
  bool open = false;   // being read or written: an alias to it would never end
  size_t line = 0;
  std::string value;
  std::string tag;               // short form ("!!str"); empty when there is none
  std::vector<size_t> children;  // of a mapping: keys and values in turn
};

std::string ShortTag(const yaml_char_t* tag) {
  if (!tag) return "";
  const std::string_view text(reinterpret_cast<const char*>(tag));
  return text.starts_with(kTagPrefix) ? "!!" + std::string(text.substr(kTagPrefix.size()))
                                      : std::string(text);
}

// Errors end the work: they travel as exceptions inside this file, and as values out of it.
struct Failure {
  std::string message;
};
[[noreturn]] void Fail(const std::string& message) { throw Failure{"yaml: " + message}; }
[[noreturn]] void FailAt(size_t line, const std::string& message) {
  Fail("line " + std::to_string(line + 1) + ": " + message);
}

// The parser, over `text`, which must not be empty.
struct Parser {
  explicit Parser(std::string_view text) {
    if (!yaml_parser_initialize(&yaml)) throw std::bad_alloc();
    yaml_parser_set_encoding(&yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Parser(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&yaml); }

  yaml_parser_t yaml{};
};

// Counts the %TAG lines before the first document. What is no token is left to the reading.
void CheckDirectives(std::string_view text) {
  if (text.find("%TAG") == std::string_view::npos) return;
  Parser parser(text);
  for (size_t tags = 0; tags <= kMaxTagDirectives;) {
    yaml_token_t token;
    if (!yaml_parser_scan(&parser.yaml, &token)) return;
    const yaml_token_type_t type = token.type;
    yaml_token_delete(&token);
    if (type == YAML_TAG_DIRECTIVE_TOKEN)
      ++tags;
    else if (type != YAML_STREAM_START_TOKEN && type != YAML_VERSION_DIRECTIVE_TOKEN &&
             type != YAML_DOCUMENT_END_TOKEN)
      return;
  }
  Fail("document has more than " + std::to_string(kMaxTagDirectives) + " %TAG directives");
}

// Reads the first document into nodes; an alias is the index of the node it names.
class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : parser_(text) { CheckDirectives(text); }

  // The root; nullopt when there is no document.
  std::optional<size_t> Read() {
    for (;;) {
      auto event = Next();
      if (event->type == YAML_STREAM_END_EVENT) return std::nullopt;
      if (event->type == YAML_STREAM_START_EVENT || event->type == YAML_DOCUMENT_START_EVENT) continue;
      const size_t root = Value(*event, 1);
      Next();  // the end of the document, or what is wrong after it
      return root;
    }
  }

  std::vector<Node> TakeNodes() { return std::move(nodes_); }

 private:
  struct EventDeleter {
    void operator()(yaml_event_t* e) const {
      yaml_event_delete(e);
      delete e;
    }
  };
  using Event = std::unique_ptr<yaml_event_t, EventDeleter>;

  Event Next() {
    Event event(new yaml_event_t{});
    if (yaml_parser_parse(&parser_.yaml, event.get())) return event;
    size_t line = parser_.yaml.problem_mark.line;
    if (line == 0) {
      line = parser_.yaml.context_mark.line;
    } else if (parser_.yaml.error == YAML_SCANNER_ERROR) {
      ++line;
    }
    const std::string problem =
        parser_.yaml.problem ? parser_.yaml.problem : "unknown problem parsing YAML content";
    Fail((line != 0 ? "line " + std::to_string(line) + ": " : "") + problem);
  }

  size_t Add(Node::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor, const yaml_char_t* tag) {
    Node node;
    node.kind = kind;
    node.line = event.start_mark.line;
    node.tag = ShortTag(tag);
    nodes_.push_back(std::move(node));
    const size_t id = nodes_.size() - 1;
    if (anchor) anchors_[reinterpret_cast<const char*>(anchor)] = id;
    return id;
  }

  size_t Value(const yaml_event_t& event, int depth) {
    if (depth > kMaxDepth) FailAt(event.start_mark.line, "exceeded max depth");
    switch (event.type) {
      case YAML_ALIAS_EVENT: {
        const std::string name(reinterpret_cast<const char*>(event.data.alias.anchor));
        auto it = anchors_.find(name);
        if (it == anchors_.end()) Fail("unknown anchor '" + name + "' referenced");
        if (nodes_[it->second].open) Fail("anchor '" + name + "' value contains itself");
        return it->second;
      }
      case YAML_SCALAR_EVENT: {
        const auto& s = event.data.scalar;
        const size_t id = Add(Node::Kind::kScalar, event, s.anchor, s.tag);
        nodes_[id].value.assign(reinterpret_cast<const char*>(s.value), s.length);
        nodes_[id].plain = s.tag == nullptr && s.style == YAML_PLAIN_SCALAR_STYLE;
        return id;
      }
      case YAML_SEQUENCE_START_EVENT:
        return Children(Add(Node::Kind::kSequence, event, event.data.sequence_start.anchor, nullptr),
                        YAML_SEQUENCE_END_EVENT, depth);
      case YAML_MAPPING_START_EVENT:
        return Children(Add(Node::Kind::kMapping, event, event.data.mapping_start.anchor, nullptr),
                        YAML_MAPPING_END_EVENT, depth);
      default: FailAt(event.start_mark.line, "unexpected event");
    }
  }

  size_t Children(size_t id, yaml_event_type_t end, int depth) {
    nodes_[id].open = true;
    for (;;) {
      auto event = Next();
      if (event->type == end) break;
      const size_t child = Value(*event, depth + 1);
      nodes_[id].children.push_back(child);
    }
    nodes_[id].open = false;
    return id;
  }

  Parser parser_;
  std::vector<Node> nodes_;
  std::map<std::string, size_t, std::less<>> anchors_;
};

// float32's shortest digits, as upstream spells keys that are floats.
std::string FloatKey(double v) {
  if (std::isnan(v)) return ".nan";
  if (std::isinf(v)) return v > 0 ? ".inf" : "-.inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, static_cast<float>(v)).ptr};
}

class JsonMaker {
 public:
  JsonMaker(std::vector<Node> nodes, std::vector<std::string>* duplicates, base::BufferBuilder& out)
      : nodes_(std::move(nodes)), duplicates_(duplicates), out_(out), w_(out) {
    for (const Node& node : nodes_) {
      visits_left_ += 1 + node.children.size();
      bytes_left_ += 2 * node.value.size();  // keys are looked at twice
    }
  }

  void Document(size_t root) {
    Value(root, 1);
    w_.Flush();
  }

 private:
  // Aliases may repeat nodes only so often, whether or not anything is written for them.
  void Visit(const Node& node, int depth) {
    if (depth > kMaxDepth) FailAt(node.line, "exceeded max depth");
    w_.Flush();
    if (out_.size() > kMaxExpansion) TooMuch();
    Spend(1 + node.children.size(), visits_left_);
  }
  static void Spend(size_t amount, size_t& left) {
    if (amount > left) TooMuch();
    left -= amount;
  }
  [[noreturn]] static void TooMuch() { Fail("document contains excessive aliasing"); }

  void Value(size_t id, int depth) {
    const Node& node = nodes_[id];
    Visit(node, depth);
    switch (node.kind) {
      case Node::Kind::kScalar: return ScalarValue(node);
      case Node::Kind::kSequence:
        w_.Raw('[');
        for (size_t child : node.children) {
          Value(child, depth + 1);
          w_.Comma();
        }
        return w_.CloseArray();
      case Node::Kind::kMapping:
        w_.Raw('{');
        Members(id, depth);
        return w_.CloseObject();
    }
  }

  void Members(size_t id, int depth) {
    const std::vector<size_t>& children = nodes_[id].children;
    std::map<std::string, size_t> last;  // where each key comes last, when that matters
    if (duplicates_) last = LastOfEach(children);
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      const Node& key = nodes_[children[i]];
      if (IsMerge(key)) {
        Merge(children[i + 1], depth);
        continue;
      }
      const std::string name = Key(key);
      if (duplicates_ && last[name] != i) continue;
      w_.String(name);
      w_.Raw(':');
      Value(children[i + 1], depth + 1);
      w_.Comma();
    }
  }

  static bool IsMerge(const Node& key) {
    return key.kind == Node::Kind::kScalar && key.value == "<<" && (key.plain || key.tag == "!!merge");
  }

  // Reports every key that was there before.
  std::map<std::string, size_t> LastOfEach(const std::vector<size_t>& children) {
    std::map<std::string, size_t> last;
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      const Node& key = nodes_[children[i]];
      if (IsMerge(key)) continue;
      const auto [at, added] = last.emplace(Key(key), i);
      if (added) continue;
      at->second = i;
      duplicates_->push_back("line " + std::to_string(key.line + 1) + ": key \"" + at->first +
                             "\" already set in map");
    }
    return last;
  }

  // The members of another mapping, or of several, of which the earlier win: later
  // members of one name win in JSON, so they are written last.
  void Merge(size_t id, int depth) {
    const Node& node = nodes_[id];
    Visit(node, depth + 1);
    if (node.kind == Node::Kind::kMapping) return Members(id, depth + 1);
    if (node.kind != Node::Kind::kSequence) Fail("map merge requires map or sequence of maps as the value");
    for (size_t i = node.children.size(); i-- > 0;) {
      if (nodes_[node.children[i]].kind != Node::Kind::kMapping)
        Fail("map merge requires map or sequence of maps as the value");
      Visit(nodes_[node.children[i]], depth + 1);
      Members(node.children[i], depth + 1);
    }
  }

  Scalar Resolve(const Node& node) {
    Spend(node.value.size(), bytes_left_);
    if (node.plain) return ResolvePlain(node.value);
    using enum Scalar::Tag;
    Scalar s;
    const auto wants = [&](std::string_view tag) { return node.tag == tag; };
    if (!wants("!!bool") && !wants("!!int") && !wants("!!float") && !wants("!!null") && !wants("!!timestamp"))
      return s;
    s = ResolvePlain(node.value);
    if (wants("!!float") && s.tag == kInt) {
      s.tag = kFloat;
      s.real = static_cast<double>(s.integer);
    }
    const bool fits = (wants("!!bool") && s.tag == kBool) || (wants("!!null") && s.tag == kNull) ||
                      (wants("!!int") && (s.tag == kInt || s.tag == kUint)) ||
                      (wants("!!float") && s.tag == kFloat) || (wants("!!timestamp") && s.tag == kTimestamp);
    if (!fits) FailAt(node.line, "cannot decode `" + node.value + "` as a " + node.tag);
    return s;
  }

  std::string Key(const Node& node) {
    if (node.kind != Node::Kind::kScalar) FailAt(node.line, "invalid map key");
    const Scalar s = Resolve(node);
    switch (s.tag) {
      case Scalar::Tag::kBool: return s.boolean ? "true" : "false";
      case Scalar::Tag::kInt: return std::to_string(s.integer);
      case Scalar::Tag::kFloat: return FloatKey(s.real);
      case Scalar::Tag::kNull:
      case Scalar::Tag::kUint: FailAt(node.line, "unsupported map key");
      case Scalar::Tag::kString:
      case Scalar::Tag::kTimestamp:
      case Scalar::Tag::kMerge: break;
    }
    return node.tag == "!!binary" ? Binary(node) : node.value;
  }

  static std::string Binary(const Node& node) {
    std::string bytes(Base64DecodedBound(node.value.size()), '\0');
    auto size = Base64Decode(node.value, bytes.data());
    if (!size) FailAt(node.line, "!!binary value contains invalid base64 data");
    bytes.resize(*size);
    return bytes;
  }

  void ScalarValue(const Node& node) {
    const Scalar s = Resolve(node);
    switch (s.tag) {
      case Scalar::Tag::kNull: return w_.Null();
      case Scalar::Tag::kBool: return w_.Bool(s.boolean);
      case Scalar::Tag::kInt: return w_.Int(s.integer);
      case Scalar::Tag::kUint: return w_.Raw(std::to_string(s.unsigned_integer));
      case Scalar::Tag::kFloat:
        if (!std::isfinite(s.real)) FailAt(node.line, "unsupported value: " + node.value);
        return w_.Double(s.real);
      case Scalar::Tag::kString:
      case Scalar::Tag::kTimestamp:
      case Scalar::Tag::kMerge: break;
    }
    w_.String(node.tag == "!!binary" ? Binary(node) : node.value);
  }

  const std::vector<Node> nodes_;
  size_t visits_left_ = kMaxRepeats;   // of nodes and their places
  size_t bytes_left_ = kMaxExpansion;  // of scalars
  std::vector<std::string>* const duplicates_;
  base::BufferBuilder& out_;
  json::TokenWriter w_;
};

}  // namespace

base::Result<std::string, Error> ToJson(std::string_view text, std::vector<std::string>* duplicates) {
  const auto pass = codec::Pass::Transcode();
  if (text.empty()) return std::string("null");  // the parser takes no null pointer
  try {
    TreeReader reader(text);
    auto root = reader.Read();
    if (!root) return std::string("null");
    base::BufferBuilder out(text.size() * 2);
    JsonMaker(reader.TakeNodes(), duplicates, out).Document(*root);
    return std::string(out.view());
  } catch (Failure& failure) {
    return base::Err(Error{std::move(failure.message)});
  }
}

}  // namespace keelson::api::yaml
