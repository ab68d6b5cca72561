// Expressions with something in them that is no word of the language.
#pragma once

#include "cel/testing/issue_case.h"

namespace keelson::cel {

// clang-format off: it takes the table for one expression.
constexpr IssueCase kTokenCases[] = {
    {R"($)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '$'
 | $
 | ^
ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | $
 | .^)"},
    {R"(1 $ 2)",
     R"(ERROR: <input>:1:3: Syntax error: token recognition error at: '$'
 | 1 $ 2
 | ..^
ERROR: <input>:1:5: Syntax error: extraneous input '2' expecting <EOF>
 | 1 $ 2
 | ....^)"},
    {R"(a $)",
     R"(ERROR: <input>:1:3: Syntax error: token recognition error at: '$'
 | a $
 | ..^)"},
    {R"("abc)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"abc'
 | "abc
 | ^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "abc
 | ....^)"},
    {R"('abc)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: ''abc'
 | 'abc
 | ^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 'abc
 | ....^)"},
    {R"('a\qb')",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: ''a\q'
 | 'a\qb'
 | ^
ERROR: <input>:1:6: Syntax error: token recognition error at: '''
 | 'a\qb'
 | .....^)"},
    {R"("a)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"a'
 | "a
 | ^
ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "a
 | ..^)"},
    {R"(b")",
     R"(ERROR: <input>:1:2: Syntax error: token recognition error at: '"'
 | b"
 | .^)"},
    {R"("""a)",
     R"(ERROR: <input>:1:3: Syntax error: token recognition error at: '"a'
 | """a
 | ..^)"},
    {R"(b""")",
     R"(ERROR: <input>:1:4: Syntax error: token recognition error at: '"'
 | b"""
 | ...^)"},
    {R"("\z")",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"\z'
 | "\z"
 | ^
ERROR: <input>:1:4: Syntax error: token recognition error at: '"'
 | "\z"
 | ...^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "\z"
 | ....^)"},
    {R"("a
b")",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"a
'
 | "a
 | ^
ERROR: <input>:2:2: Syntax error: token recognition error at: '"'
 | b"
 | .^)"},
    {R"(ééééé)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: 'é'
 | ééééé
 | ＾
ERROR: <input>:1:2: Syntax error: token recognition error at: 'é'
 | ééééé
 | ．＾
ERROR: <input>:1:3: Syntax error: token recognition error at: 'é'
 | ééééé
 | ．．＾
ERROR: <input>:1:4: Syntax error: token recognition error at: 'é'
 | ééééé
 | ．．．＾
ERROR: <input>:1:5: Syntax error: token recognition error at: 'é'
 | ééééé
 | ．．．．＾
ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ééééé
 | ．．．．．^)"},
    {R"(foo'a\qb')",
     R"(ERROR: <input>:1:4: Syntax error: token recognition error at: ''a\q'
 | foo'a\qb'
 | ...^
ERROR: <input>:1:8: Syntax error: extraneous input 'b' expecting <EOF>
 | foo'a\qb'
 | .......^
ERROR: <input>:1:9: Syntax error: token recognition error at: '''
 | foo'a\qb'
 | ........^)"},
    {R"("
1b")",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"
'
 | "
 | ^
ERROR: <input>:2:2: Syntax error: extraneous input 'b' expecting <EOF>
 | 1b"
 | .^
ERROR: <input>:2:3: Syntax error: token recognition error at: '"'
 | 1b"
 | ..^)"},
    {R"(éééé)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: 'é'
 | éééé
 | ＾
ERROR: <input>:1:2: Syntax error: token recognition error at: 'é'
 | éééé
 | ．＾
ERROR: <input>:1:3: Syntax error: token recognition error at: 'é'
 | éééé
 | ．．＾
ERROR: <input>:1:4: Syntax error: token recognition error at: 'é'
 | éééé
 | ．．．＾
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | éééé
 | ．．．．^)"},
    {R"([""")",
     R"(ERROR: <input>:1:4: Syntax error: token recognition error at: '"'
 | ["""
 | ...^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {']', ','}
 | ["""
 | ....^)"},
    {R"("""a
b)",
     R"(ERROR: <input>:1:3: Syntax error: token recognition error at: '"a
'
 | """a
 | ..^
ERROR: <input>:2:1: Syntax error: extraneous input 'b' expecting <EOF>
 | b
 | ^)"},
    {R"("abca)",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"abca'
 | "abca
 | ^
ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "abca
 | .....^)"},
    {R"(a
b")",
     R"(ERROR: <input>:2:1: Syntax error: extraneous input 'b' expecting <EOF>
 | b"
 | ^
ERROR: <input>:2:2: Syntax error: token recognition error at: '"'
 | b"
 | .^)"},
    {R"("()",
     R"(ERROR: <input>:1:1: Syntax error: token recognition error at: '"('
 | "(
 | ^
ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "(
 | ..^)"},
};
// clang-format on

}  // namespace keelson::cel
