#include "parser.h"

#include <charconv>
#include <optional>

namespace schemac {
namespace {

const std::vector<std::string> kAllVerbs = {"create", "delete", "deletecollection", "get",
                                            "list",   "patch",  "update",           "watch"};

struct Token {
  std::string text;
  bool quoted = false;
  bool Is(std::string_view word) const { return !quoted && text == word; }
};

struct Line {
  int number = 0;
  bool indented = false;
  std::vector<Token> tokens;
};

// Words are separated by blanks; "..." is one word, ( and ) are words of their own, and
// what follows a closing quote or a word up to a blank belongs to it (`"Created At":date`
// gives two tokens, the second starting with ':').
class Lexer {
 public:
  Lexer(std::string_view text, std::string file, Diagnostics& diagnostics)
      : text_(text), file_(std::move(file)), diagnostics_(diagnostics) {}

  // The next line that has a word on it.
  std::optional<Line> Next() {
    while (!text_.empty()) {
      const size_t end = text_.find('\n');
      std::string_view raw = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      Line line{.number = ++number_, .indented = !raw.empty() && IsBlank(raw[0])};
      Split(raw, line);
      if (!line.tokens.empty()) return line;
    }
    return std::nullopt;
  }

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void Split(std::string_view s, Line& line) {
    size_t i = 0;
    while (i < s.size()) {
      if (IsBlank(s[i])) {
        ++i;
      } else if (s[i] == '#') {
        return;
      } else if (s[i] == '(' || s[i] == ')') {
        line.tokens.push_back({std::string(1, s[i++])});
      } else if (s[i] == '"') {
        const size_t end = s.find('"', i + 1);
        if (end == std::string_view::npos) {
          diagnostics_.Error({file_, line.number}, "a quote is not closed");
          return;
        }
        line.tokens.push_back({std::string(s.substr(i + 1, end - i - 1)), true});
        i = end + 1;
      } else {
        const size_t begin = i;
        while (i < s.size() && !IsBlank(s[i]) && s[i] != '(' && s[i] != ')' && s[i] != '"') ++i;
        line.tokens.push_back({std::string(s.substr(begin, i - begin))});
      }
    }
  }

  std::string_view text_;
  std::string file_;
  Diagnostics& diagnostics_;
  int number_ = 0;
};

class Parser {
 public:
  Parser(File& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void Feed(Line line) {
    line_ = std::move(line);
    next_ = 0;
    if (line_.indented) {
      Member();
    } else {
      TopLevel();
    }
  }

 private:
  enum class Block { kNone, kEnum, kType, kKind };

  Position Here() const { return {file_.at.file, line_.number}; }
  void Error(const std::string& message) { diagnostics_.Error(Here(), message); }

  bool AtEnd() const { return next_ == line_.tokens.size(); }
  const Token& Peek() const { return line_.tokens[next_]; }
  bool Accept(std::string_view word) {
    if (AtEnd() || !Peek().Is(word)) return false;
    ++next_;
    return true;
  }
  // The next word, or an error that says what should stand there.
  std::string Word(std::string_view what) {
    if (AtEnd()) {
      Error("expected " + std::string(what) + " at the end of the line");
      return {};
    }
    return line_.tokens[next_++].text;
  }
  std::vector<std::string> Rest() {
    std::vector<std::string> words;
    while (!AtEnd()) words.push_back(line_.tokens[next_++].text);
    return words;
  }
  void ExpectEnd() {
    if (!AtEnd()) Error("unexpected '" + Peek().text + "'");
  }

  // "core/v1" or "apps/v1".
  bool GroupVersion(const std::string& word, std::string& group, std::string& version) {
    const size_t slash = word.find('/');
    if (slash == std::string::npos || slash + 1 == word.size()) {
      Error("'" + word + "' is not <group>/<version>");
      return false;
    }
    group = word.substr(0, slash);
    if (group == "core") group.clear();
    version = word.substr(slash + 1);
    return true;
  }

  void TopLevel() {
    block_ = Block::kNone;
    const std::string keyword = Word("a declaration");
    if (keyword == "group") {
      GroupVersion(Word("a group"), file_.group, file_.version);
      file_.unserved = Accept("unserved");
      ExpectEnd();
    } else if (keyword == "enum") {
      block_ = Block::kEnum;
      file_.enums.push_back({.at = Here(), .name = Word("the enum's name")});
      file_.enums.back().values = Rest();
    } else if (keyword == "type" || keyword == "object") {
      TypeHead(keyword == "object");
    } else if (keyword == "kind") {
      KindHead();
    } else {
      Error("unknown declaration '" + keyword + "': expected group, kind, enum, object or type");
    }
  }

  void TypeHead(bool root) {
    block_ = Block::kType;
    Type& type = file_.types.emplace_back();
    type.at = Here();
    type.name = Word("the type's name");
    type.root = root;
    type.group = file_.group;
    type.version = file_.version;
    while (!AtEnd()) {
      if (Accept("atomic")) {
        type.atomic = true;
      } else if (Accept("either")) {
        type.either = true;
      } else if (Accept("everywhere")) {
        type.everywhere = true;
      } else if (Accept("in")) {
        GroupVersion(Word("a group"), type.group, type.version);
      } else {
        return Error("unknown mark '" + Peek().text + "' on type " + type.name);
      }
    }
    if (!root) return;
    for (const char* name : {"kind", "apiVersion"}) {
      Field& field = type.fields.emplace_back();
      field.at = type.at;
      field.name = name;
      field.type.word = "string";
      field.omit_empty = true;
    }
  }

  void KindHead() {
    block_ = Block::kKind;
    Kind& kind = file_.kinds.emplace_back();
    kind.at = Here();
    kind.name = Word("the kind");
    for (char c : kind.name) kind.singular += (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 'a' - 'A') : c;
    kind.storage_group = file_.group;
    kind.storage_version = file_.version;
    kind.verbs = kAllVerbs;
    if (Accept("namespaced")) {
      kind.namespaced = true;
    } else if (!Accept("cluster")) {
      Error("expected 'namespaced' or 'cluster' after kind " + kind.name);
    }
    ExpectEnd();
  }

  void Member() {
    switch (block_) {
      case Block::kNone: return Error("an indented line belongs to nothing");
      case Block::kEnum:
        for (auto& word : Rest()) file_.enums.back().values.push_back(std::move(word));
        return;
      case Block::kType: return FieldLine(file_.types.back());
      case Block::kKind: return KindLine(file_.kinds.back());
    }
  }

  // "union by type  a b", or "union a b".
  void UnionLine(Type& type) {
    if (Accept("by")) type.discriminator = Word("the discriminator");
    type.union_fields = Rest();
    if (type.union_fields.empty()) Error("a union needs fields");
  }

  void FieldLine(Type& type) {
    if (Accept("union")) return UnionLine(type);
    Field& field = type.fields.emplace_back();
    field.at = Here();
    const std::string number = Word("a field number");
    if (number != "-") {
      const char* end = number.data() + number.size();
      auto [ptr, ec] = std::from_chars(number.data(), end, field.number);
      if (ec != std::errc() || ptr != end || field.number < 1 || field.number > 65535) {
        return Error("'" + number + "' is not a field number");
      }
    }
    field.name = Word("a field name");
    std::string word = Word("a type");
    if (word.ends_with('?')) {
      field.pointer = true;
      word.pop_back();
    }
    field.type = ParseType(word);
    if (field.name == "inline") {
      field.name.clear();
      field.inlined = true;
    }
    FieldMarks(field);
    field.omit_empty = !field.inlined && (field.omit_empty || (!field.required && !always_));
  }

  void FieldMarks(Field& field) {
    always_ = false;
    while (!AtEnd()) {
      if (Accept("required")) {
        field.required = true;
      } else if (Accept("always")) {
        always_ = true;
      } else if (Accept("omit-empty")) {
        field.omit_empty = true;
      } else if (Accept("omit-zero")) {
        field.omit_zero = true;
      } else if (Accept("wrapped")) {
        field.wrapped = true;
      } else if (Accept("atomic")) {
        field.atomic = true;
      } else if (Accept("granular")) {
        field.granular = true;
      } else if (Accept("set")) {
        field.set = true;
      } else if (Accept("immutable")) {
        field.immutable = true;
      } else if (Accept("keyed")) {
        KeyedBy(field);
      } else if (Accept("merge")) {
        field.merge = true;
        if (Accept("by")) field.merge_key = Word("the merge key");
      } else if (Accept("retain-keys")) {
        field.retain_keys = true;
      } else if (Accept("default")) {
        field.has_default = true;
        field.default_text = Word("the default");
      } else {
        return Error("unknown mark '" + Peek().text + "' on field " + field.name);
      }
    }
    if (field.merge && field.merge_key.empty() && !field.keys.empty()) field.merge_key = field.keys[0];
  }

  void KeyedBy(Field& field) {
    if (!Accept("by")) return Error("expected 'by' after 'keyed'");
    field.keys.push_back(Word("a key"));
    while (!AtEnd() && !Peek().Is("merge") && !Peek().Is("retain-keys") && !Peek().Is("required")) {
      field.keys.push_back(Word("a key"));
    }
  }

  TypeRef ParseType(std::string_view word) {
    TypeRef ref;
    const bool list = word.starts_with('[') && word.ends_with(']');
    const bool map = word.starts_with('{') && word.ends_with('}');
    if ((list || map) && word.size() > 2) {
      ref.shape = list ? TypeRef::Shape::kList : TypeRef::Shape::kMap;
      ref.element = std::make_unique<TypeRef>(ParseType(word.substr(1, word.size() - 2)));
    } else if (word.empty() || word.find_first_of("[]{}?") != std::string_view::npos) {
      Error("'" + std::string(word) + "' is not a type");
    } else {
      ref.word = word;
    }
    return ref;
  }

  void KindLine(Kind& kind) {
    const std::string keyword = Word("a keyword");
    if (keyword == "plural") {
      kind.plural = Word("the plural");
    } else if (keyword == "singular") {
      kind.singular = Word("the singular");
    } else if (keyword == "short") {
      kind.short_names = Rest();
    } else if (keyword == "categories") {
      kind.categories = Rest();
    } else if (keyword == "verbs") {
      kind.verbs = Rest();
    } else if (keyword == "stored") {
      kind.prefix = Word("the storage prefix");
      if (Accept("hash")) kind.hash = Word("the storage version hash");
      if (Accept("as")) GroupVersion(Word("a group"), kind.storage_group, kind.storage_version);
    } else if (keyword == "columns") {
      Columns(kind);
    } else if (keyword == "selectable") {
      for (auto& word : Rest()) {
        if (const size_t equals = word.find('='); equals != std::string::npos) {
          kind.aliases.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        } else {
          kind.selectable.push_back(std::move(word));
        }
      }
    } else if (keyword == "indexed") {
      for (auto& word : Rest()) kind.indexed.push_back(std::move(word));
    } else if (keyword == "subresource") {
      SubresourceLine(kind);
    } else {
      return Error("unknown keyword '" + keyword + "' in kind " + kind.name);
    }
    ExpectEnd();
  }

  // Name, Name:type, or "Two Words":type; those inside wide( ) show only with -o wide.
  // The type "name" is a string with the format of that name.
  void Columns(Kind& kind) {
    bool wide = false;
    while (!AtEnd()) {
      if (Accept("wide")) {
        if (!Accept("(")) return Error("expected '(' after 'wide'");
        wide = true;
        continue;
      }
      if (Accept(")")) {
        wide = false;
        continue;
      }
      const Token token = line_.tokens[next_++];
      Column column{.name = token.text, .type = "string", .format = "", .wide = wide};
      std::string type;
      const size_t colon = token.quoted ? std::string::npos : token.text.find(':');
      if (colon != std::string::npos) {
        column.name = token.text.substr(0, colon);
        type = token.text.substr(colon + 1);
      } else if (token.quoted && !AtEnd() && !Peek().quoted && Peek().text.starts_with(':')) {
        type = line_.tokens[next_++].text.substr(1);
      }
      if (type == "name") {
        column.format = type;
      } else if (!type.empty()) {
        column.type = type;
      }
      kind.columns.push_back(std::move(column));
    }
    if (wide) Error("'wide(' is not closed");
  }

  void SubresourceLine(Kind& kind) {
    Subresource sub{
        .name = Word("the subresource"), .kind = kind.name, .group = file_.group, .version = file_.version};
    while (!AtEnd() && !Peek().Is("as")) sub.verbs.push_back(Word("a verb"));
    if (Accept("as")) {
      sub.kind = Word("the kind");
      const size_t dot = sub.kind.rfind('.');
      if (dot != std::string::npos) {
        GroupVersion(sub.kind.substr(0, dot), sub.group, sub.version);
        sub.kind.erase(0, dot + 1);
      }
    }
    if (sub.verbs.empty()) Error("subresource " + sub.name + " has no verbs");
    kind.subresources.push_back(std::move(sub));
  }

  File& file_;
  Diagnostics& diagnostics_;
  Line line_;
  size_t next_ = 0;
  Block block_ = Block::kNone;
  bool always_ = false;
};

}  // namespace

void Parse(std::string_view stem, std::string_view file_name, std::string_view text, Model& model,
           Diagnostics& diagnostics) {
  File& file = model.files.emplace_back();
  file.at = {std::string(file_name), 1};
  file.stem = stem;
  Lexer lexer(text, file.at.file, diagnostics);
  Parser parser(file, diagnostics);
  while (auto line = lexer.Next()) parser.Feed(std::move(*line));
  if (file.version.empty()) diagnostics.Error(file.at, "the file has no 'group <group>/<version>' line");
}

}  // namespace schemac
