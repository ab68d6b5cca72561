// Hundreds of expressions, compared with what upstream's implementation says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cel/documents.h"
#include "cel/estimate.h"
#include "cel/functions/conversions.h"
#include "cel/functions/functions.h"
#include "cel/kubernetes.h"
#include "cel/numbers.h"
#include "cel/program.h"
#include "cel/testing/check_cases.h"
#include "cel/testing/syntax_cases.h"
#include "cel/testing/token_cases.h"
#include "cel/testing/value_cases.h"

namespace keelson::cel {
namespace {

using Kind = Value::Kind;

constexpr const char* kDocument = R"({"a":1,"b":{"c":[1,2,3],"d":"text","e":null,"f":1.5,"n":{"k":"v"}},
    "list":[{"name":"x","v":1},{"name":"y","v":2}],"empty":{},"t":true,"big":9007199254740993,"items":["p","q"]})";

const Environment& TestEnvironment() {
  static const Environment environment = [] {
    using namespace types;
    Environment::Options options = KubernetesOptions();
    options.variables = {{"x", Int()},
                         {"s", String()},
                         {"d", Dyn()},
                         {"l", ListOf(Int())},
                         {"m", MapOf(String(), String())},
                         {"ts", Timestamp()},
                         {"q", QuantityType()}};
    return Environment(std::move(options));
  }();
  return environment;
}

std::vector<Value> Variables() {
  return {Value::Int(42),
          Value::String("héllo wörld"),
          FromJson(kDocument),
          FromJson("[3,1,2]"),
          FromJson(R"({"k":"v","k2":"v2"})"),
          ToTimestamp(Value::String("2024-02-29T12:34:56.789Z")),
          Value::Error("no such attribute(s): q")};
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.append("\\").push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '<' || c == '>' || c == '&') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Show(const Value& v);

std::string ShowMap(const Map& map) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < map.size(); ++i) parts.push_back(Show(map.KeyAt(i)) + ":" + Show(map.ValueAt(i)));
  std::ranges::sort(parts);
  std::string out = "{";
  for (const std::string& part : parts) out.append(out.size() > 1 ? "," : "").append(part);
  return out + "}";
}

std::string Show(const Value& v) {
  char text[64];
  switch (v.kind()) {
    case Kind::kUint: return std::to_string(v.unsigned_integer()) + "u";
    case Kind::kDouble:
      if (std::isnan(v.real())) return "NaN";
      if (std::isinf(v.real())) return v.real() > 0 ? "+Infd" : "-Infd";
      std::snprintf(text, sizeof text, "%.17gd", v.real());
      return text;
    case Kind::kString: return JsonString(v.text());
    case Kind::kBytes: {
      std::string out = "b";
      for (const char c : v.text()) {
        std::snprintf(text, sizeof text, "%02x", static_cast<uint8_t>(c));
        out += text;
      }
      return out;
    }
    case Kind::kDuration: return "duration(" + std::to_string(v.integer()) + ")";
    case Kind::kTimestamp:
      return "timestamp(" + std::to_string(v.integer()) + "." + std::to_string(v.nanos()) + ")";
    case Kind::kType: return "type(" + v.type_value()->name() + ")";
    case Kind::kOptional: return v.has_value() ? "optional(" + Show(v.inner()) + ")" : "optional.none";
    case Kind::kList: {
      std::string out = "[";
      for (size_t i = 0; i < v.list().size(); ++i) out.append(i > 0 ? "," : "").append(Show(v.list().At(i)));
      return out + "]";
    }
    case Kind::kMap: return ShowMap(v.map());
    case Kind::kObject: return TypeOf(v)->name() + ":" + v.object().ToString();
    default: return ToText(v);
  }
}

std::string Estimate(const Checked& checked) {
  const Range range = EstimateCost(checked, nullptr);
  return std::to_string(range.min) + "-" + std::to_string(range.max);
}

TEST(ExpressionsTest, ValuesTypesAndCostsAreUpstreams) {
  const std::vector<Value> variables = Variables();
  for (const ValueCase& c : kValueCases) {
    SCOPED_TRACE(c.expression);
    const auto checked = TestEnvironment().Compile(c.expression);
    ASSERT_TRUE(checked) << checked.error();
    EXPECT_EQ(TypeText(*checked->type()), c.type);
    EXPECT_EQ(Estimate(*checked), c.estimate);
    const auto program = Program::Plan(*checked, TestEnvironment());
    ASSERT_TRUE(program) << program.error();
    const Outcome outcome = program->Run(variables);
    EXPECT_EQ(outcome.cost, c.cost);
    // Upstream shows its own objects by other words than their text.
    if (!outcome.value.is(Kind::kObject)) {
      EXPECT_EQ(Show(outcome.value), c.value);
    }
  }
}

TEST(ExpressionsTest, ErrorsAtRunTimeAreUpstreams) {
  const std::vector<Value> variables = Variables();
  for (const ErrorCase& c : kErrorCases) {
    SCOPED_TRACE(c.expression);
    const auto checked = TestEnvironment().Compile(c.expression);
    ASSERT_TRUE(checked) << checked.error();
    const auto program = Program::Plan(*checked, TestEnvironment());
    ASSERT_TRUE(program) << program.error();
    const Outcome outcome = program->Run(variables);
    ASSERT_TRUE(outcome.value.is_error());
    EXPECT_EQ(outcome.value.text(), c.error);
    EXPECT_EQ(outcome.cost, c.cost);
    EXPECT_EQ(Estimate(*checked), c.estimate);
  }
}

void ExpectIssues(std::span<const IssueCase> cases) {
  for (const IssueCase& c : cases) {
    SCOPED_TRACE(c.expression);
    const auto checked = TestEnvironment().Compile(c.expression);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error(), c.issues);
  }
}

TEST(ExpressionsTest, WhatCannotBeReadIsDescribedAsUpstreamDoes) { ExpectIssues(kTokenCases); }

TEST(ExpressionsTest, WhatCannotBeParsedIsDescribedAsUpstreamDoes) { ExpectIssues(kSyntaxCases); }

TEST(ExpressionsTest, WhatIsFoundWrongIsDescribedAsUpstreamDoes) { ExpectIssues(kCheckCases); }

TEST(ExpressionsTest, NestingIsBounded) {
  const auto error = [](const std::string& text) { return TestEnvironment().Compile(text).error(); };
  EXPECT_EQ(error(std::string(260, '(') + "1" + std::string(260, ')')),
            "ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
  std::string sum = "1";
  for (int i = 0; i < 260; ++i) sum += "+1";
  EXPECT_EQ(error(sum), "ERROR: <input>:-1:0: max recursion depth exceeded");
  EXPECT_EQ(error(std::string(100'001, 'x')),
            "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
}

TEST(ExpressionsTest, AnExpensiveEvaluationIsGivenUp) {
  std::string text = "true";
  for (const char c : std::string("abcdefg"))
    text = "[1,2,3,4,5,6,7,8,9,10].all(" + std::string(1, c) + ", " + text + " || " + c + " > 0)";
  const auto checked = TestEnvironment().Compile(text);
  ASSERT_TRUE(checked) << checked.error();
  const Outcome outcome = Program::Plan(*checked, TestEnvironment())->Run(Variables());
  EXPECT_TRUE(outcome.cost_exceeded);
  EXPECT_EQ(outcome.value.text(), "operation cancelled: actual cost limit exceeded");
}

TEST(ExpressionsTest, AnEvaluationCanBeInterrupted) {
  const auto checked = TestEnvironment().Compile("lists.range(1000).all(i, i >= 0)");
  RunOptions options;
  options.interrupted = [] { return true; };
  EXPECT_EQ(Program::Plan(*checked, TestEnvironment())->Run(Variables(), options).value.text(),
            "operation interrupted");
}

}  // namespace
}  // namespace keelson::cel
