#include "descriptions.h"

#include <algorithm>
#include <map>
#include <set>

namespace schemac {
namespace {

constexpr size_t kFieldIndent = 2, kContinuation = 4;

size_t CountCharacters(std::string_view utf8) {
  return static_cast<size_t>(std::ranges::count_if(utf8, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Where `line` first has something else than printable ASCII or a typographic quote.
size_t FindForeign(std::string_view line) {
  constexpr std::string_view kQuotes[] = {"‘", "’", "“", "”"};
  for (size_t i = 0; i < line.size();) {
    if (line[i] >= ' ' && line[i] <= '~') {
      ++i;
      continue;
    }
    const auto* quote = std::ranges::find_if(kQuotes, [&](auto q) { return line.substr(i).starts_with(q); });
    if (quote == std::end(kQuotes)) return i;
    i += quote->size();
  }
  return std::string_view::npos;
}

bool HasName(const auto& range, std::string_view name) {
  return std::ranges::any_of(range, [name](const auto& x) { return x.name == name; });
}

class WordsParser {
 public:
  WordsParser(Descriptions& out, Diagnostics& diagnostics) : out_(out), diagnostics_(diagnostics) {}

  void Feed(std::string_view line) {
    ++number_;
    if (line.starts_with('#')) return;
    if (line.find_first_not_of(' ') == std::string_view::npos) {
      last_ = nullptr;  // nothing goes on behind a blank line
      return;
    }
    if (CountCharacters(line) > kMaxDescriptionColumns)
      Error("the line has more than " + std::to_string(kMaxDescriptionColumns) + " characters");
    if (FindForeign(line) != std::string_view::npos || line.ends_with(' '))
      Error("only ASCII and typographic quotes, and no blank at the end");
    const size_t indent = line.find_first_not_of(' ');
    const std::string_view rest = line.substr(indent);
    if (indent == 0) return Head(rest);
    if (indent == kFieldIndent) return Field(rest);
    if (last_ && indent == last_indent_ + kContinuation) return Continue(rest);
    Error("indented by " + std::to_string(indent) + " blanks, it is neither a field nor the rest of a text");
  }

 private:
  Position Here() const { return {out_.at.file, number_}; }
  void Error(const std::string& message) { diagnostics_.Error(Here(), message); }

  void Head(std::string_view rest) {
    constexpr std::string_view kFrom = "from ";
    type_ = nullptr;
    last_ = nullptr;
    if (rest.starts_with(kFrom)) {
      if (!out_.types.empty()) return Error("'from' belongs before the first type");
      out_.from.push_back({.at = Here(), .name = std::string(rest.substr(kFrom.size())), .text = {}});
      return;
    }
    TypeWords words;
    if (!Read(rest, words)) return;
    if (HasName(out_.types, words.name)) return Error(words.name + " is described twice");
    type_ = &out_.types.emplace_back(std::move(words));
    last_ = type_;
    last_indent_ = 0;
  }

  void Field(std::string_view rest) {
    last_ = nullptr;
    if (!type_) return Error("a field of no type");
    Words words;
    if (!Read(rest, words)) return;
    if (HasName(type_->fields, words.name))
      return Error("field " + words.name + " of " + type_->name + " is described twice");
    last_ = &type_->fields.emplace_back(std::move(words));
    last_indent_ = kFieldIndent;
  }

  // "name: text".
  bool Read(std::string_view rest, Words& words) {
    const size_t colon = rest.find(": ");
    const std::string_view name = rest.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || name.find(' ') != std::string_view::npos) {
      Error("expected 'name: text'");
      return false;
    }
    words = {.at = Here(), .name = std::string(name), .text = std::string(rest.substr(colon + 2))};
    return true;
  }

  void Continue(std::string_view rest) { last_->text.append(" ").append(rest); }

  Descriptions& out_;
  Diagnostics& diagnostics_;
  int number_ = 0;
  TypeWords* type_ = nullptr;
  Words* last_ = nullptr;  // what a deeper line continues
  size_t last_indent_ = 0;
};

// Words that the compiler has, for what all objects and lists have; empty: it has none.
std::string OwnWords(const Type& type) {
  if (!type.implicit) return {};
  return "A list of objects of the kind " + type.name.substr(0, type.name.size() - 4) + ".";
}
std::string OwnWords(const Type& type, const Field& field) {
  if (type.root && field.name == "kind") return "What this object is, in CamelCase: " + type.name + ".";
  if (type.root && field.name == "apiVersion")
    return "The group and the version of the schema in which this object is written, as in apps/v1; v1 alone "
           "is the "
           "core group.";
  if (type.implicit && field.name == "items") return "The objects, in order of namespace and name.";
  const bool metadata = field.name == "metadata" && field.type.type && field.type.file->stem == "meta_v1";
  if (metadata && field.type.type->name == "ObjectMeta")
    return "What every object has: its name and namespace, labels, annotations, owners and version.";
  if (metadata && type.root && field.type.type->name == "ListMeta")
    return "What there is to say of the list itself: the version it shows, and where to go on if it is a "
           "part.";
  return {};
}

class Describer {
 public:
  Describer(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  void Run(Undescribed undescribed) {
    for (const Descriptions& words : model_.descriptions) CheckNames(words);
    for (File& file : model_.files) {
      const Descriptions* words = FindDescriptions(file.stem);
      if (words) {
        Fill(file, *words);
      } else if (undescribed == Undescribed::kRefused && !file.unserved) {
        diagnostics_.Error(file.at, "there is no descriptions/" + file.stem + ".txt");
      }
    }
  }

 private:
  const Descriptions* FindDescriptions(std::string_view stem) const {
    const auto it = std::ranges::find(model_.descriptions, stem, &Descriptions::stem);
    return it == model_.descriptions.end() ? nullptr : &*it;
  }

  // Whether all that is described exists, and what is referred to does.
  void CheckNames(const Descriptions& words) {
    const File* file = model_.FindFile(words.stem);
    if (!file) return diagnostics_.Error(words.at, "there is no schema " + words.stem);
    for (const Words& from : words.from)
      if (!FindDescriptions(from.name))
        diagnostics_.Error(from.at, "there is no descriptions/" + from.name + ".txt");
    for (const TypeWords& described : words.types) {
      CheckText(described);
      const Type* type = file->FindType(described.name);
      if (!type) {
        diagnostics_.Error(described.at, words.stem + " has no type " + described.name);
        continue;
      }
      for (const Words& field : described.fields) {
        CheckText(field);
        if (type->root && (field.name == "kind" || field.name == "apiVersion"))
          diagnostics_.Error(field.at, field.name + " is described by the compiler");
        else if (!HasName(type->fields, field.name))
          diagnostics_.Error(field.at, type->name + " has no field " + field.name);
      }
    }
  }

  void CheckText(const Words& words) {
    const size_t count = CountCharacters(words.text);
    if (count > kMaxDescriptionCharacters)
      diagnostics_.Error(words.at, words.name + " is described in " + std::to_string(count) +
                                       " characters, " + std::to_string(kMaxDescriptionCharacters) +
                                       " are allowed");
  }

  void Fill(File& file, const Descriptions& words) {
    file.described = true;
    for (Type& type : file.types) {
      const Words* const own = Find(words, type.name, "");
      type.description = own ? own->text : OwnWords(type);
      if (type.description.empty()) NotDescribed(type.at, type.name, words);
      std::map<std::string_view, const Field*> texts;
      for (Field& field : type.fields)
        if (!field.inlined) Fill(type, field, words, texts);
    }
  }

  // `texts`: those of the fields before it.
  void Fill(const Type& type, Field& field, const Descriptions& words,
            std::map<std::string_view, const Field*>& texts) {
    const Words* const own = Find(words, type.name, field.name);
    field.description = own ? own->text : OwnWords(type, field);
    if (field.description.empty()) return NotDescribed(field.at, type.name + "." + field.name, words);
    const auto [other, fresh] = texts.emplace(field.description, &field);
    if (!fresh)
      diagnostics_.Error(own ? own->at : field.at, "fields " + other->second->name + " and " + field.name +
                                                       " of " + type.name + " have the same words");
  }

  void NotDescribed(const Position& at, const std::string& what, const Descriptions& words) {
    diagnostics_.Error(at, what + " is not described in " + words.at.file);
  }

  // The words of a type, or of its field if one is given: those of the file, else of the first that has some
  // of those which it takes words from.
  const Words* Find(const Descriptions& words, std::string_view type, std::string_view field) const {
    std::set<const Descriptions*> seen;
    return Find(words, type, field, seen);
  }
  const Words* Find(const Descriptions& words, std::string_view type, std::string_view field,
                    std::set<const Descriptions*>& seen) const {
    if (!seen.insert(&words).second) return nullptr;
    const auto described = std::ranges::find(words.types, type, &Words::name);
    if (described != words.types.end()) {
      if (field.empty()) return &*described;
      const auto found = std::ranges::find(described->fields, field, &Words::name);
      if (found != described->fields.end()) return &*found;
    }
    for (const Words& from : words.from)
      if (const Descriptions* const other = FindDescriptions(from.name))
        if (const Words* const found = Find(*other, type, field, seen)) return found;
    return nullptr;
  }

  Model& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

void ParseDescriptions(std::string_view stem, std::string_view file_name, std::string_view text, Model& model,
                       Diagnostics& diagnostics) {
  Descriptions& words = model.descriptions.emplace_back();
  words.at = {std::string(file_name), 1};
  words.stem = stem;
  WordsParser parser(words, diagnostics);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    parser.Feed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void Describe(Model& model, Undescribed undescribed, Diagnostics& diagnostics) {
  Describer(model, diagnostics).Run(undescribed);
}

}  // namespace schemac
