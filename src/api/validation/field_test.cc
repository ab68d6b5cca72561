#include "api/validation/field.h"

#include <gtest/gtest.h>

#include <array>

#include "api/validation/quote.h"

namespace keelson::api::field {
namespace {

TEST(PathTest, RendersNamesIndexesAndKeys) {
  const Path spec("spec");
  const Path containers = spec.Child("containers");
  const Path first = containers.Index(0);
  EXPECT_EQ(spec.ToString(), "spec");
  EXPECT_EQ(first.Child("env").Key("PATH").ToString(), "spec.containers[0].env[PATH]");
  EXPECT_EQ(spec.Key("").ToString(), "spec[]");
}

TEST(FieldErrorTest, EachMakerHasUpstreamsReasonAndWords) {
  const Path p("spec");
  constexpr std::array<std::string_view, 2> kSupported = {"TCP", "UDP"};
  struct Case {
    const char* name;
    Error error;
    std::string_view reason, text;
  };
  const Case cases[] = {
      {"not found", NotFound(p, RenderValue("x")), "FieldValueNotFound", "spec: Not found: \"x\""},
      {"required", Required(p, ""), "FieldValueRequired", "spec: Required value"},
      {"required with detail", Required(p, "say it"), "FieldValueRequired", "spec: Required value: say it"},
      {"duplicate", Duplicate(p, RenderValue("x")), "FieldValueDuplicate", "spec: Duplicate value: \"x\""},
      {"invalid number", Invalid(p, RenderValue(int64_t{-1}), "bad"), "FieldValueInvalid",
       "spec: Invalid value: -1: bad"},
      {"invalid boolean", Invalid(p, RenderValue(true), "bad"), "FieldValueInvalid",
       "spec: Invalid value: true: bad"},
      {"not supported", NotSupported(p, RenderValue("SCTP"), kSupported), "FieldValueNotSupported",
       "spec: Unsupported value: \"SCTP\": supported values: \"TCP\", \"UDP\""},
      {"nothing supported", NotSupported(p, RenderValue("x"), {}), "FieldValueNotSupported",
       "spec: Unsupported value: \"x\""},
      {"forbidden", Forbidden(p, "no"), "FieldValueForbidden", "spec: Forbidden: no"},
      {"too long", TooLong(p, 253), "FieldValueTooLong", "spec: Too long: may not be more than 253 bytes"},
      {"too long, one byte", TooLong(p, 1), "FieldValueTooLong",
       "spec: Too long: may not be more than 1 byte"},
      {"too many", TooMany(p, 5, 1), "FieldValueTooMany", "spec: Too many: 5: must have at most 1 item"},
      {"type invalid", TypeInvalid(p, RenderValue("x"), "bad"), "FieldValueTypeInvalid",
       "spec: Invalid value: \"x\": bad"},
      {"internal", Internal(p, "oops"), "InternalError", "spec: Internal error: oops"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.error.Reason(), c.reason) << c.name;
    EXPECT_EQ(c.error.ToString(), c.text) << c.name;
  }
}

TEST(ErrorListTest, OneErrorStandsAloneAndSeveralInBrackets) {
  const Path p("a");
  ErrorList list;
  EXPECT_EQ(list.Aggregate(), "");
  list.Add(Required(p, ""));
  EXPECT_EQ(list.Aggregate(), "a: Required value");
  list.Add(Forbidden(p, "no"));
  EXPECT_EQ(list.Aggregate(), "[a: Required value, a: Forbidden: no]");
}

TEST(ErrorListTest, RepeatedErrorsAreSaidOnce) {
  const Path p("a");
  ErrorList list, more;
  list.Add(Required(p, ""));
  more.Add(Required(p, ""));
  list.Append(std::move(more));
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list.Aggregate(), "a: Required value");
}

TEST(QuotedTest, EscapesAsGoDoes) {
  struct Case {
    const char* name;
    std::string_view in, out;
  };
  const Case cases[] = {
      {"plain", "abc", R"("abc")"},
      {"quotes and backslash", R"(a"b\c)", R"("a\"b\\c")"},
      {"named controls", "\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {"other controls", std::string_view("\x00\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
      {"letters beyond ASCII stay", "é漢😀", "\"é漢😀\""},
      {"no-break space", "\u00a0", R"("\u00a0")"},
      {"a code point that is not assigned", "\u03a2", R"("\u03a2")"},
      {"zero width space", "\u200b", R"("\u200b")"},
      {"private use beyond the first plane", "\U000f0000", R"("\U000f0000")"},
      {"broken UTF-8", "a\xff\xc3", R"("a\xff\xc3")"},
      {"overlong", "\xc0\x80", R"("\xc0\x80")"},
      {"surrogate", "\xed\xa0\x80", R"("\xed\xa0\x80")"},
      {"HTML stays", "<&>", R"("<&>")"},
  };
  for (const Case& c : cases) EXPECT_EQ(Quoted(c.in), c.out) << c.name;
}

TEST(ErrorListTest, KeepsAMegabyteAndCountsTheRest) {
  ErrorList errors;
  const std::string value(1000, 'v');
  for (size_t i = 0; i < 10'000; ++i) errors.Add(Invalid(Path("data").Index(i), RenderValue(value), "bad"));
  EXPECT_EQ(errors.size(), 10'000u);
  EXPECT_TRUE(errors.full());
  const size_t kept = errors.errors().size();
  EXPECT_LT(kept, 1050u);
  EXPECT_GT(kept, 800u);
  const std::string omitted = std::to_string(10'000 - kept) + " more errors are not shown";
  EXPECT_EQ(errors.OmittedText(), omitted);
  const std::string text = errors.Aggregate();
  EXPECT_LT(text.size(), 2u << 20);
  EXPECT_TRUE(text.ends_with(", " + omitted + "]"));

  ErrorList others;
  others.Add(Required(Path("kind"), ""));
  others.Append(errors);
  EXPECT_EQ(others.size(), 10'001u);
  EXPECT_EQ(others.begin()->field, "kind");
  EXPECT_TRUE(others.full());
}

TEST(ErrorListTest, AnErrorThatIsTooLongByItselfIsKept) {
  ErrorList errors;
  errors.Add(Invalid(Path("data"), std::string(ErrorList::kMostBytes, 'v'), "bad"));
  EXPECT_FALSE(errors.full());
  EXPECT_EQ(errors.errors().size(), 1u);
  errors.Add(Required(Path("kind"), ""));
  EXPECT_EQ(errors.OmittedText(), "1 more error is not shown");
}

}  // namespace
}  // namespace keelson::api::field
