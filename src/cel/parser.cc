#include "cel/parser.h"

#include <algorithm>
#include <string>

#include "cel/lexer.h"
#include "cel/literals.h"
#include "cel/numbers.h"
#include "cel/reserved_words.h"

namespace keelson::cel {
namespace {

using K = TokenKind;

// A set of tokens.
using TokenSet = uint64_t;
template <class... Kinds>
constexpr TokenSet SetOf(Kinds... kinds) {
  return ((TokenSet{1} << static_cast<size_t>(kinds)) | ...);
}
constexpr bool Has(TokenSet set, K kind) { return (set >> static_cast<size_t>(kind) & 1) != 0; }

constexpr TokenSet kLiterals =
    SetOf(K::kTrue, K::kFalse, K::kNull, K::kFloat, K::kInt, K::kUint, K::kString, K::kBytes);
constexpr TokenSet kStartsMember =
    kLiterals | SetOf(K::kLeftBracket, K::kLeftBrace, K::kLeftParen, K::kDot, K::kMinus, K::kIdentifier);
constexpr TokenSet kStartsExpr = kStartsMember | SetOf(K::kNot);
constexpr TokenSet kRelations =
    SetOf(K::kLess, K::kLessEqual, K::kGreaterEqual, K::kGreater, K::kEqual, K::kNotEqual, K::kIn);
// What may come after a member besides what ends the expression it is in.
constexpr TokenSet kAfterMember =
    kRelations | SetOf(K::kAnd, K::kOr, K::kLeftBracket, K::kDot, K::kMinus, K::kQuestion, K::kPlus, K::kStar,
                       K::kSlash, K::kPercent);

constexpr size_t kMaxRecoveries = 30;
constexpr size_t kMaxSkipped = 256;

// Rules of the grammar whose depth is bounded, each for itself.
enum GrammarRule { kExpr, kOrRule, kAndRule, kRelation, kCalc, kUnary, kMember, kPrimary, kRules };

struct SyntaxError {};  // unwinds to the rule it happened in
struct GiveUp {};       // unwinds all; what there is to say was said

class Parser {
 public:
  Parser(const Source& source, const ParserOptions& options, Issues& issues)
      : source_(source), options_(options), issues_(issues), tokens_(Tokenize(source, issues)) {}

  Parsed Run() {
    Parsed parsed;
    try {
      const Within within(*this, SetOf(K::kEnd));
      parsed.root = Expression();
      Match(K::kEnd, 0);
    } catch (const SyntaxError&) {  // NOLINT(bugprone-empty-catch): told as an issue where it is thrown
    } catch (const GiveUp&) {       // NOLINT(bugprone-empty-catch): likewise
    }
    if (too_deep_ && issues_.empty()) issues_.Add(kNoLocation, "max recursion depth exceeded");
    parsed.positions = std::move(positions_);
    return parsed;
  }

 private:
  // Reads one rule. An error in it is reported, what cannot follow it is skipped, and its caller
  // goes on: so that one mistake does not hide the next. `follow` is what the caller expects
  // after it.
  template <class Read>
  ExprPtr InRule(GrammarRule rule, TokenSet follow, const Read& read) {
    if (++depth_[rule] > kMaxRecursion) {
      issues_.Add(kNoLocation, "expression recursion limit exceeded: " + std::to_string(kMaxRecursion));
      throw GiveUp();
    }
    const TokenSet outer = recovery_, outer_follow = follow_;
    recovery_ |= follow;
    ExprPtr expr;
    try {
      expr = read();
    } catch (const SyntaxError&) {
      follow_ = outer_follow;
      Recover(rule);
      expr = New(ExprKind::kNone, Now());
    }
    recovery_ = outer;
    --depth_[rule];
    return expr;
  }

  void CountRecovery() {
    if (++recoveries_ <= kMaxRecoveries) return;
    recovering_ = false;
    Report(Now(), "error recovery attempt limit exceeded: " + std::to_string(kMaxRecoveries));
    throw GiveUp();
  }

  void Recover(GrammarRule rule) {
    CountRecovery();
    // A second failure of the same rule at the same token would go on forever.
    const bool again = last_error_ == at_ && (last_rules_ >> rule & 1) != 0;
    if (last_error_ != at_) last_rules_ = 0;
    if (again && !Is(K::kEnd)) ++at_;
    last_error_ = at_;
    last_rules_ |= 1u << rule;
    size_t skipped = 0;
    while (!Is(K::kEnd) && !Has(recovery_, Now().kind)) {
      if (skipped++ >= kMaxSkipped) {
        issues_.Add(kNoLocation,
                    "error recovery token lookahead limit exceeded: " + std::to_string(kMaxSkipped));
        throw GiveUp();
      }
      ++at_;
    }
  }

  // What may follow the expression that is read now.
  class Within {
   public:
    Within(Parser& p, TokenSet follow) : p_(p), was_(p.follow_) { p.follow_ = follow; }
    ~Within() { p_.follow_ = was_; }

   private:
    Parser& p_;
    TokenSet was_;
  };

  const Token& Now() const { return tokens_[at_]; }
  const Token& Ahead(size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  bool Is(K kind) const { return Now().kind == kind; }
  Token Take() {
    const Token token = Now();
    if (token.kind != K::kEnd) ++at_;
    recovering_ = false;
    last_error_ = SIZE_MAX;
    return token;
  }
  std::string TextOf(const Token& token) const {
    return token.kind == K::kEnd ? "<EOF>" : std::string(source_.Slice(token.begin, token.end));
  }

  static std::string Names(TokenSet set) {
    std::string text;
    size_t count = 0;
    for (size_t i = 0; i < kTokenKinds; ++i) {
      if (!Has(set, static_cast<K>(i))) continue;
      text.append(count++ > 0 ? ", " : "");
      text.append(static_cast<K>(i) == K::kQuestion ? "'?'" : TokenName(static_cast<K>(i)));
    }
    return count == 1 ? text : "{" + text + "}";
  }

  void Report(const Token& token, const std::string& message) {
    if (recovering_) return;
    recovering_ = true;
    issues_.Add(source_.LocationOf(token.begin), "Syntax error: " + message);
  }

  [[noreturn]] void Mismatch(TokenSet expected) {
    Report(Now(), "mismatched input '" + Escaped(TextOf(Now())) + "' expecting " + Names(expected));
    throw SyntaxError();
  }

  // No way to go on from the token at hand leads past the one `ahead` of it. Nothing of it is
  // used up.
  [[noreturn]] void NoViable(size_t ahead) {
    const Token &start = Now(), &stop = Ahead(ahead);
    if (start.kind == K::kDot && ahead == 1 && start.end == stop.begin &&
        (stop.kind == K::kTrue || stop.kind == K::kFalse || stop.kind == K::kNull)) {
      Report(stop, "mismatched input '" + TextOf(stop) + "' expecting IDENTIFIER");
    } else {
      const size_t end = stop.kind == K::kEnd ? source_.size() : stop.end;
      Report(stop, "no viable alternative at input '" +
                       Escaped(std::string(source_.Slice(start.begin, end))) + "'");
    }
    throw SyntaxError();
  }

  static std::string Escaped(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '\t') {
        escaped += "\\t";
      } else if (c == '\n') {
        escaped += "\\n";
      } else if (c == '\r') {
        escaped += "\\r";
      } else {
        escaped += c;
      }
    }
    return escaped;
  }

  // One of `expected` must come. One token too many is skipped with a report.
  void Sync(TokenSet expected) {
    if (recovering_ || Has(expected, Now().kind)) return;
    if (!Is(K::kEnd) && Has(expected, Ahead(1).kind)) {
      Report(Now(), "extraneous input '" + Escaped(TextOf(Now())) + "' expecting " + Names(expected));
      ++at_;
      recovering_ = false;
      return;
    }
    Mismatch(expected);
  }

  // Takes the one token that may come here; `after` may follow it.
  Token Match(K kind, TokenSet after) {
    if (Is(kind)) return Take();
    CountRecovery();
    const TokenSet expected = SetOf(kind);
    if (Ahead(1).kind == kind && !Is(K::kEnd)) {
      Report(Now(), "extraneous input '" + Escaped(TextOf(Now())) + "' expecting " + Names(expected));
      ++at_;
      return Take();
    }
    if (Has(after, Now().kind)) {  // as if it were there
      Report(Now(), "missing " + Names(expected) + " at '" + Escaped(TextOf(Now())) + "'");
      return {kind, Now().begin, Now().begin};
    }
    Mismatch(expected);
  }

  ExprPtr New(ExprKind kind, const Token& at) { return New(kind, static_cast<int32_t>(at.begin)); }
  ExprPtr New(ExprKind kind, int32_t offset) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->id = positions_.Add(offset);
    return expr;
  }

  // An issue of a part whose syntax is right.
  ExprPtr Refuse(const Token& at, std::string message) {
    issues_.Add(source_.LocationOf(at.begin), std::move(message));
    return New(ExprKind::kNone, at);
  }

  // One of these on the way down counts for the depth of the tree.
  ExprPtr Deeper(ExprPtr expr) {
    int below = expr->target ? expr->target->depth : 0;
    for (const ExprPtr& arg : expr->args) below = std::max<int>(below, arg->depth);
    expr->depth = static_cast<uint16_t>(below + 1);
    too_deep_ = too_deep_ || expr->depth > kMaxRecursion;
    return expr;
  }

  // expr: or ('?' or ':' expr)?
  ExprPtr Expression(TokenSet follow = 0) {
    return InRule(kExpr, follow, [&] {
      ExprPtr condition = Or(SetOf(K::kQuestion));
      if (!Is(K::kQuestion)) return condition;
      const Token op = Take();
      std::vector<ExprPtr> args;
      args.push_back(std::move(condition));
      {
        const Within within(*this, SetOf(K::kColon));
        args.push_back(Or(SetOf(K::kColon)));
        Match(K::kColon, kStartsExpr);
      }
      args.push_back(Expression());
      return Deeper(Call(op, "_?_:_", std::move(args)));
    });
  }

  template <class Operand>
  ExprPtr Chain(K op, std::string_view function, const Operand& operand) {
    std::vector<ExprPtr> terms;
    std::vector<Token> ops;
    terms.push_back(operand());
    while (Is(op)) {
      ops.push_back(Take());
      terms.push_back(operand());
    }
    return terms.size() == 1 ? std::move(terms[0]) : Balanced(function, terms, ops, 0, ops.size() - 1);
  }

  // Long chains become trees that are as wide as deep.
  ExprPtr Balanced(std::string_view function, std::vector<ExprPtr>& terms, const std::vector<Token>& ops,
                   size_t lo, size_t hi) {
    const size_t middle = (lo + hi + 1) / 2;
    std::vector<ExprPtr> args;
    args.push_back(middle == lo ? std::move(terms[middle]) : Balanced(function, terms, ops, lo, middle - 1));
    args.push_back(middle == hi ? std::move(terms[middle + 1])
                                : Balanced(function, terms, ops, middle + 1, hi));
    return Call(ops[middle], function, std::move(args));
  }

  ExprPtr Or(TokenSet follow) {
    return InRule(kOrRule, follow, [&] { return Chain(K::kOr, "_||_", [&] { return And(); }); });
  }
  ExprPtr And() {
    return InRule(kAndRule, SetOf(K::kOr),
                  [&] { return Chain(K::kAnd, "_&&_", [&] { return Relation(SetOf(K::kAnd)); }); });
  }

  // A rule that starts with itself: the left side is read in rounds, the right side nests.
  ExprPtr Relation(TokenSet follow) {
    return InRule(kRelation, follow, [&] {
      ExprPtr left = Sum(kRelations);
      while (Has(kRelations, Now().kind)) {
        const Token op = Take();
        std::vector<ExprPtr> args;
        args.push_back(std::move(left));
        args.push_back(InRule(kRelation, kRelations, [&] { return Sum(kRelations); }));
        left = Deeper(Call(op, RelationName(op.kind), std::move(args)));
      }
      return left;
    });
  }
  static std::string_view RelationName(K kind) {
    switch (kind) {
      case K::kLess: return "_<_";
      case K::kLessEqual: return "_<=_";
      case K::kGreater: return "_>_";
      case K::kGreaterEqual: return "_>=_";
      case K::kEqual: return "_==_";
      case K::kNotEqual: return "_!=_";
      default: return "@in";
    }
  }

  static constexpr TokenSet kCalculations = SetOf(K::kStar, K::kSlash, K::kPercent, K::kPlus, K::kMinus);

  ExprPtr Sum(TokenSet follow) {
    return InRule(kCalc, follow, [&] {
      ExprPtr left = Product();
      while (Is(K::kPlus) || Is(K::kMinus)) {
        const Token op = Take();
        std::vector<ExprPtr> args;
        args.push_back(std::move(left));
        args.push_back(InRule(kCalc, kCalculations, [&] { return Product(); }));
        left = Deeper(Call(op, op.kind == K::kPlus ? "_+_" : "_-_", std::move(args)));
      }
      return left;
    });
  }

  ExprPtr Product() {
    ExprPtr left = Unary();
    while (Is(K::kStar) || Is(K::kSlash) || Is(K::kPercent)) {
      const Token op = Take();
      std::vector<ExprPtr> args;
      args.push_back(std::move(left));
      args.push_back(InRule(kCalc, kCalculations, [&] { return Unary(); }));
      left = Deeper(Call(op,
                         op.kind == K::kStar    ? "_*_"
                         : op.kind == K::kSlash ? "_/_"
                                                : "_%_",
                         std::move(args)));
    }
    return left;
  }

  ExprPtr Unary() {
    return InRule(kUnary, kCalculations, [&]() -> ExprPtr {
      Sync(kStartsExpr);
      if (!Has(kStartsExpr, Now().kind)) throw SyntaxError();
      const bool negative_number = Is(K::kMinus) && (Ahead(1).kind == K::kInt || Ahead(1).kind == K::kFloat);
      if ((!Is(K::kNot) && !Is(K::kMinus)) || negative_number) return Member();
      if (Is(K::kMinus) && !Has(kStartsMember, Ahead(1).kind)) NoViable(1);
      const Token op = Take();
      size_t count = 1;
      for (; Is(op.kind); ++count) {
        if (Is(K::kMinus) && !Has(kStartsMember, Ahead(1).kind)) NoViable(1);
        Take();
      }
      const TokenSet expected = op.kind == K::kNot ? kStartsExpr : kStartsMember;
      if (!Has(expected, Now().kind)) {
        Report(Now(), "extraneous input '" + Escaped(TextOf(Now())) + "' expecting " + Names(expected));
        while (!Is(K::kEnd) && !Has(expected | recovery_, Now().kind)) ++at_;
      }
      ExprPtr operand = Member();
      if (count % 2 == 0) return operand;
      std::vector<ExprPtr> args;
      args.push_back(std::move(operand));
      ExprPtr negated = Call(op, op.kind == K::kNot ? "!_" : "-_", std::move(args));
      negated->depth = negated->args[0]->depth;
      return negated;
    });
  }

  ExprPtr Member() {
    return InRule(kMember, 0, [&] {
      ExprPtr operand = Primary();
      while (true) {
        if (Is(K::kDot)) {
          operand = Deeper(AfterDot(std::move(operand)));
        } else if (Is(K::kLeftBracket)) {
          operand = Deeper(Index(std::move(operand)));
        } else {
          return operand;
        }
      }
    });
  }

  ExprPtr AfterDot(ExprPtr operand) {
    const bool optional = Ahead(1).kind == K::kQuestion;
    const K next = Ahead(optional ? 2 : 1).kind;
    if (next != K::kIdentifier && next != K::kEscapedIdentifier) NoViable(optional ? 2 : 1);
    const Token dot = Take();
    if (optional) Take();
    const Token name = Take();
    if (name.kind == K::kIdentifier && !optional && Is(K::kLeftParen)) {
      const Token open = Take();
      std::vector<ExprPtr> args = Arguments();
      return MemberCall(open, TextOf(name), std::move(operand), std::move(args));
    }
    if (name.kind == K::kEscapedIdentifier) return Refuse(name, "unsupported syntax: '`'");
    if (optional) {
      if (!options_.optional_syntax) return Refuse(dot, "unsupported syntax '.?'");
      ExprPtr select = New(ExprKind::kCall, dot);
      ExprPtr field = New(ExprKind::kLiteral, name);
      field->literal = Value::String(TextOf(name));
      select->name = "_?._";
      select->args.push_back(std::move(operand));
      select->args.push_back(std::move(field));
      return select;
    }
    ExprPtr select = New(ExprKind::kSelect, dot);
    select->target = std::move(operand);
    select->name = TextOf(name);
    return select;
  }

  ExprPtr Index(ExprPtr operand) {
    const Token open = Take();
    const bool optional = Is(K::kQuestion);
    if (optional) Take();
    std::vector<ExprPtr> args;
    args.push_back(std::move(operand));
    const TokenSet outer = follow_;
    const Within within(*this, SetOf(K::kRightBracket));
    if (!optional) Sync(kStartsExpr | SetOf(K::kQuestion));
    args.push_back(Expression(SetOf(K::kRightBracket)));
    Match(K::kRightBracket, kAfterMember | outer);
    if (optional && !options_.optional_syntax) return Refuse(open, "unsupported syntax '[?'");
    return Call(open, optional ? "_[?_]" : "_[_]", std::move(args));
  }

  ExprPtr Primary() {
    return InRule(kPrimary, SetOf(K::kDot, K::kLeftBracket), [&] {
      switch (Now().kind) {
        case K::kLeftParen: return Nested();
        case K::kLeftBracket: return CreateList();
        case K::kLeftBrace: return CreateMap();
        case K::kDot:
        case K::kIdentifier: return Name();
        default: return Literal();
      }
    });
  }

  ExprPtr Nested() {
    Take();
    const TokenSet outer = follow_;
    const Within within(*this, SetOf(K::kRightParen));
    ExprPtr inner = Expression(SetOf(K::kRightParen));
    Match(K::kRightParen, kAfterMember | outer);
    return inner;
  }

  // An identifier, a call, or an object: .a.b.c{…}
  ExprPtr Name() {
    const size_t start = at_;
    const bool leading = Is(K::kDot);
    if (leading && Ahead(1).kind != K::kIdentifier) NoViable(1);
    if (leading) Take();
    if (const size_t brace = ObjectBrace()) return CreateObject(leading, brace);
    const Token name = Take();
    const std::string text = TextOf(name);
    const bool call = Is(K::kLeftParen);
    if (IsReservedWord(text)) {
      if (call) {
        Take();
        Arguments();
      }
      return Refuse(tokens_[start], "reserved identifier: " + text);
    }
    const std::string full = leading ? "." + text : text;
    if (!call) {
      ExprPtr ident = New(ExprKind::kIdent, name);
      ident->name = full;
      return ident;
    }
    const Token open = Take();
    std::vector<ExprPtr> args = Arguments();
    return GlobalCall(open, full, std::move(args));
  }

  // Where the brace of `a.b.c{` is; 0: this is no object.
  size_t ObjectBrace() const {
    size_t i = at_ + 1;
    while (tokens_[i].kind == K::kDot && tokens_[i + 1].kind == K::kIdentifier) i += 2;
    return tokens_[i].kind == K::kLeftBrace ? i : 0;
  }

  ExprPtr CreateObject(bool leading, size_t brace) {
    std::string name = leading ? "." : "";
    for (; at_ < brace; ++at_) name += TextOf(Now());
    const Token open = Take();
    ExprPtr object = New(ExprKind::kStruct, open);
    object->name = std::move(name);
    const TokenSet outer = follow_;
    constexpr TokenSet kField = SetOf(K::kQuestion, K::kIdentifier, K::kEscapedIdentifier);
    Sync(kField | SetOf(K::kRightBrace, K::kComma));
    while (Has(kField, Now().kind)) {
      const bool optional = Is(K::kQuestion);
      const Token mark = Now();
      if (optional) Take();
      if (!Is(K::kIdentifier) && !Is(K::kEscapedIdentifier))
        Mismatch(SetOf(K::kIdentifier, K::kEscapedIdentifier));
      const Token field = Take();
      const Token colon = Match(K::kColon, kStartsExpr);
      const Within within(*this, SetOf(K::kRightBrace, K::kComma));
      Entry entry{positions_.Add(static_cast<int32_t>(colon.begin)), nullptr, TextOf(field), nullptr,
                  optional};
      entry.value = Expression(SetOf(K::kComma, K::kRightBrace));
      if (optional && !options_.optional_syntax) Refuse(mark, "unsupported syntax '?'");
      if (field.kind == K::kEscapedIdentifier) Refuse(field, "unsupported syntax: '`'");
      object->entries.push_back(std::move(entry));
      if (!Is(K::kComma) || !Has(kField, Ahead(1).kind)) break;
      Take();
    }
    CloseList(K::kRightBrace, outer);
    return object;
  }

  // An optional comma and the closing mark.
  void CloseList(K close, TokenSet outer) {
    Sync(SetOf(close, K::kComma));
    if (Is(K::kComma)) Take();
    Match(close, kAfterMember | outer);
  }

  std::vector<ExprPtr> Arguments() {
    std::vector<ExprPtr> args;
    const TokenSet outer = follow_;
    const Within within(*this, SetOf(K::kRightParen, K::kComma));
    Sync(kStartsExpr | SetOf(K::kRightParen));
    if (!Is(K::kRightParen)) {
      constexpr TokenSet kAfter = SetOf(K::kComma, K::kRightParen);
      args.push_back(Expression(kAfter));
      while (Is(K::kComma)) {
        Take();
        args.push_back(Expression(kAfter));
      }
    }
    Match(K::kRightParen, kAfterMember | outer);
    return args;
  }

  ExprPtr CreateList() {
    const Token open = Take();
    ExprPtr list = New(ExprKind::kList, open);
    const TokenSet outer = follow_;
    const Within within(*this, SetOf(K::kRightBracket, K::kComma));
    constexpr TokenSet kElement = kStartsExpr | SetOf(K::kQuestion);
    Sync(kElement | SetOf(K::kRightBracket, K::kComma));
    while (Has(kElement, Now().kind)) {
      const Token mark = Now();
      const bool optional = Is(K::kQuestion);
      if (optional) Take();
      list->args.push_back(Expression(SetOf(K::kComma, K::kRightBracket)));
      if (optional && !options_.optional_syntax) {
        Refuse(mark, "unsupported syntax '?'");
      } else if (optional) {
        list->optional.resize(list->args.size());
        list->optional.back() = true;
      }
      if (!Is(K::kComma) || !Has(kElement, Ahead(1).kind)) break;
      Take();
    }
    if (!list->optional.empty()) list->optional.resize(list->args.size());
    for (const ExprPtr& item : list->args) list->depth = std::max(list->depth, item->depth);
    CloseList(K::kRightBracket, outer);
    return list;
  }

  ExprPtr CreateMap() {
    const Token open = Take();
    ExprPtr map = New(ExprKind::kMap, open);
    const TokenSet outer = follow_;
    constexpr TokenSet kKey = kStartsExpr | SetOf(K::kQuestion);
    Sync(kKey | SetOf(K::kRightBrace, K::kComma));
    while (Has(kKey, Now().kind)) {
      const Token mark = Now();
      Entry entry;
      entry.optional = Is(K::kQuestion);
      if (entry.optional) Take();
      {
        const Within within(*this, SetOf(K::kColon));
        entry.key = Expression(SetOf(K::kColon, K::kComma, K::kRightBrace));
        const Token colon = Match(K::kColon, kStartsExpr);
        entry.id = positions_.Add(static_cast<int32_t>(colon.begin));
      }
      const Within within(*this, SetOf(K::kRightBrace, K::kComma));
      entry.value = Expression(SetOf(K::kComma, K::kRightBrace));
      if (entry.optional && !options_.optional_syntax) Refuse(mark, "unsupported syntax '?'");
      map->entries.push_back(std::move(entry));
      if (!Is(K::kComma) || !Has(kKey, Ahead(1).kind)) break;
      Take();
    }
    CloseList(K::kRightBrace, outer);
    return map;
  }

  ExprPtr Literal() {
    const Token start = Now();
    const bool negative = Is(K::kMinus);
    if (negative && Ahead(1).kind != K::kInt && Ahead(1).kind != K::kFloat) NoViable(1);
    if (negative) Take();
    if (!Has(kLiterals, Now().kind)) throw SyntaxError();  // after a mistake that was reported
    const Token token = Take();
    std::string text = TextOf(token);
    ExprPtr literal = New(ExprKind::kLiteral, start);
    switch (token.kind) {
      case K::kTrue: literal->literal = Value::Bool(true); return literal;
      case K::kFalse: literal->literal = Value::Bool(false); return literal;
      case K::kNull: return literal;
      case K::kInt: {
        const bool hex = text.starts_with("0x");
        const auto value = ParseInt((negative ? "-" : "") + (hex ? text.substr(2) : text), hex ? 16 : 10);
        if (!value) return Refuse(start, "invalid int literal");
        literal->literal = Value::Int(*value);
        return literal;
      }
      case K::kUint: {
        text.pop_back();
        const bool hex = text.starts_with("0x");
        const auto value = ParseUint(hex ? text.substr(2) : text, hex ? 16 : 10);
        if (!value) return Refuse(start, "invalid uint literal");
        literal->literal = Value::Uint(*value);
        return literal;
      }
      case K::kFloat: {
        const auto value = ParseFloat((negative ? "-" : "") + text);
        if (!value) return Refuse(start, "invalid double literal");
        literal->literal = Value::Double(*value);
        return literal;
      }
      default: return Text(token, std::move(literal));
    }
  }

  ExprPtr Text(const Token& token, ExprPtr literal) {
    const std::string text = TextOf(token);
    const bool bytes = token.kind == K::kBytes;
    auto value = Unquote(bytes ? std::string_view(text).substr(1) : text, bytes);
    if (!value) return Refuse(token, std::move(value.error()));
    literal->literal = bytes ? Value::Bytes(std::move(*value)) : Value::String(std::move(*value));
    return literal;
  }

  ExprPtr Call(const Token& at, std::string_view function, std::vector<ExprPtr> args) {
    ExprPtr call = New(ExprKind::kCall, at);
    call->name = function;
    call->args = std::move(args);
    for (const ExprPtr& arg : call->args) call->depth = std::max(call->depth, arg->depth);
    return call;
  }

  // `target` is null for a call without one.
  const Macro* FindMacro(std::string_view function, size_t args, const Expr* target) const {
    for (const Macro& macro : options_.macros) {
      if (macro.function != function || macro.args != args || macro.member != (target != nullptr)) continue;
      if (macro.target.empty() || (target->kind == ExprKind::kIdent && target->name == macro.target))
        return &macro;
    }
    return nullptr;
  }

  ExprPtr Expand(const Macro& macro, const Token& at, ExprPtr target, std::vector<ExprPtr>& args) {
    MacroBuilder make(positions_, static_cast<int32_t>(at.begin));
    MacroError error;
    ExprPtr expanded = macro.expand(make, std::move(target), args, error);
    if (expanded) return expanded;
    issues_.Add(positions_.Find(error.id, source_), error.message);
    return New(ExprKind::kNone, at);
  }

  ExprPtr GlobalCall(const Token& at, const std::string& function, std::vector<ExprPtr> args) {
    if (const Macro* macro = FindMacro(function, args.size(), nullptr))
      return Expand(*macro, at, nullptr, args);
    return Call(at, function, std::move(args));
  }

  ExprPtr MemberCall(const Token& at, const std::string& function, ExprPtr target,
                     std::vector<ExprPtr> args) {
    if (const Macro* macro = FindMacro(function, args.size(), target.get()))
      return Expand(*macro, at, std::move(target), args);
    ExprPtr call = Call(at, function, std::move(args));
    call->member = true;
    call->target = std::move(target);
    return call;
  }

  const Source& source_;
  const ParserOptions& options_;
  Issues& issues_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  TokenSet follow_ = 0;    // what may follow the expression that is read now
  TokenSet recovery_ = 0;  // what may follow any of the rules that are open
  int depth_[kRules] = {};
  bool too_deep_ = false;
  bool recovering_ = false;  // from a mistake; the next token that fits ends it
  size_t recoveries_ = 0;
  size_t last_error_ = SIZE_MAX;
  uint32_t last_rules_ = 0;  // that failed there
  Positions positions_;
};

}  // namespace

Parsed Parse(const Source& source, const ParserOptions& options, Issues& issues) {
  if (source.size() > kMaxExpressionSize) {
    issues.Add(kNoLocation,
               "expression code point size exceeds limit: size: " + std::to_string(source.size()) +
                   ", limit " + std::to_string(kMaxExpressionSize));
    return {};
  }
  return Parser(source, options, issues).Run();
}

}  // namespace keelson::cel
