// Expressions whose words do not make a sentence.
#pragma once

#include "cel/testing/issue_case.h"

namespace keelson::cel {

// clang-format off: it takes the table for one expression.
constexpr IssueCase
    kSyntaxCases
        [] =
            {
                {R"(1.)",
                 R"(ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'
 | 1.
 | ..^)"},
                {R"(1.5.)",
                 R"(ERROR: <input>:1:5: Syntax error: no viable alternative at input '.'
 | 1.5.
 | ....^)"},
                {R"((1)",
                 R"(ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'
 | (1
 | ..^)"},
                {R"((1 + 2)",
                 R"(ERROR: <input>:1:7: Syntax error: missing ')' at '<EOF>'
 | (1 + 2
 | ......^)"},
                {R"(1 + )",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 + 
 | ....^)"},
                {R"(1 + +)",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 + +
 | ....^
ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 + +
 | .....^)"},
                {R"(+1)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | +1
 | ^)"},
                {R"(a b)",
                 R"(ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>
 | a b
 | ..^)"},
                {R"(a b c)",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input 'b' expecting <EOF>
 | a b c
 | ..^)"},
                {R"([1, 2)",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}
 | [1, 2
 | .....^)"},
                {R"([1 2])",
                 R"(ERROR: <input>:1:4: Syntax error: extraneous input '2' expecting {']', ','}
 | [1 2]
 | ...^)"},
                {R"([1,,2])",
                 R"(ERROR: <input>:1:4: Syntax error: mismatched input ',' expecting ']'
 | [1,,2]
 | ...^)"},
                {R"({1 2})",
                 R"(ERROR: <input>:1:4: Syntax error: missing ':' at '2'
 | {1 2}
 | ...^)"},
                {R"({1:})",
                 R"(ERROR: <input>:1:4: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {1:}
 | ...^)"},
                {R"({:1})",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {:1}
 | .^
ERROR: <input>:1:4: Syntax error: mismatched input '}' expecting ':'
 | {:1}
 | ...^)"},
                {R"({)",
                 R"(ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {
 | .^)"},
                {R"(})",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | }
 | ^)"},
                {R"())",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | )
 | ^)"},
                {R"(()",
                 R"(ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | (
 | .^)"},
                {R"(())",
                 R"(ERROR: <input>:1:2: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ()
 | .^)"},
                {R"(f()",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(
 | ..^)"},
                {R"(f(1)",
                 R"(ERROR: <input>:1:4: Syntax error: missing ')' at '<EOF>'
 | f(1
 | ...^)"},
                {R"(f(1,)",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(1,
 | ....^)"},
                {R"(f(1,))",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(1,)
 | ....^)"},
                {R"(f(,))",
                 R"(ERROR: <input>:1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(,)
 | ..^)"},
                {R"(f(1 2))",
                 R"(ERROR: <input>:1:5: Syntax error: extraneous input '2' expecting ')'
 | f(1 2)
 | ....^)"},
                {R"(x.)",
                 R"(ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'
 | x.
 | ..^)"},
                {R"(x.1)",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input '.1' expecting <EOF>
 | x.1
 | .^)"},
                {R"(x..y)",
                 R"(ERROR: <input>:1:3: Syntax error: no viable alternative at input '..'
 | x..y
 | ..^)"},
                {R"(x[)",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x[
 | ..^)"},
                {R"(x[])",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x[]
 | ..^)"},
                {R"(x[1)",
                 R"(ERROR: <input>:1:4: Syntax error: missing ']' at '<EOF>'
 | x[1
 | ...^)"},
                {R"(x[?)",
                 R"(ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x[?
 | ...^)"},
                {R"(x ? 1)",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting ':'
 | x ? 1
 | .....^)"},
                {R"(x ? 1 :)",
                 R"(ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x ? 1 :
 | .......^)"},
                {R"(true ? 1)",
                 R"(ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting ':'
 | true ? 1
 | ........^)"},
                {R"()",
                 R"(ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER})"},
                {R"(`abc`)",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input '`abc`' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | `abc`
 | ^)"},
                {R"(// comment)",
                 R"(ERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | // comment
 | ..........^)"},
                {R"(1 + // c)",
                 R"(ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 + // c
 | ........^)"},
                {R"(in)",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input 'in' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | in
 | ^
ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | in
 | ..^)"},
                {R"(1 in)",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | 1 in
 | ....^)"},
                {R"(x.in)",
                 R"(ERROR: <input>:1:3: Syntax error: no viable alternative at input '.in'
 | x.in
 | ..^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x.in
 | ....^)"},
                {R"(let x)",
                 R"(ERROR: <input>:1:1: reserved identifier: let
 | let x
 | ^
ERROR: <input>:1:5: Syntax error: extraneous input 'x' expecting <EOF>
 | let x
 | ....^)"},
                {R"(d.true)",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER
 | d.true
 | ..^)"},
                {R"(d.null.x)",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input 'null' expecting IDENTIFIER
 | d.null.x
 | ..^)"},
                {R"(a && )",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | a && 
 | .....^)"},
                {R"(!)",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | !
 | .^)"},
                {R"((1, 2))",
                 R"(ERROR: <input>:1:3: Syntax error: mismatched input ',' expecting ')'
 | (1, 2)
 | ..^)"},
                {R"(x +)",
                 R"(ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | x +
 | ...^)"},
                {R"([)",
                 R"(ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | [
 | .^)"},
                {R"(  1,)",
                 R"(ERROR: <input>:1:4: Syntax error: extraneous input ',' expecting <EOF>
 |   1,
 | ...^)"},
                {R"(])",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ]
 | ^)"},
                {R"(1.0e)",
                 R"(ERROR: <input>:1:4: Syntax error: extraneous input 'e' expecting <EOF>
 | 1.0e
 | ...^)"},
                {R"(1e)",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input 'e' expecting <EOF>
 | 1e
 | .^)"},
                {R"(0x)",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input 'x' expecting <EOF>
 | 0x
 | .^)"},
                {R"(1uu)",
                 R"(ERROR: <input>:1:3: Syntax error: extraneous input 'u' expecting <EOF>
 | 1uu
 | ..^)"},
                {R"(1_000)",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input '_000' expecting <EOF>
 | 1_000
 | .^)"},
                {R"(1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?)",
                 R"(ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256
ERROR: <input>:1:4: Syntax error: mismatched input '?' expecting ':'
 | 1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?
 | ...^)"},
                {R"([1,semver "10.1.2.3/8", 3]["a"])",
                 R"(ERROR: <input>:1:11: Syntax error: extraneous input '"10.1.2.3/8"' expecting {']', ','}
 | [1,semver "10.1.2.3/8", 3]["a"]
 | ..........^
ERROR: <input>:1:25: Syntax error: extraneous input '3' expecting ']'
 | [1,semver "10.1.2.3/8", 3]["a"]
 | ........................^)"},
                {R"({} < ?})",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input '?' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {} < ?}
 | .....^
ERROR: <input>:1:7: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {} < ?}
 | ......^)"},
                {R"(,.lastIndexOf(s 4))",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ',' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ,.lastIndexOf(s 4)
 | ^
ERROR: <input>:1:17: Syntax error: extraneous input '4' expecting ')'
 | ,.lastIndexOf(s 4)
 | ................^)"},
                {R"(size(d{.a))",
                 R"(ERROR: <input>:1:8: Syntax error: extraneous input '.' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}
 | size(d{.a)
 | .......^
ERROR: <input>:1:10: Syntax error: mismatched input ')' expecting ':'
 | size(d{.a)
 | .........^)"},
                {R"((ip(format"1.2.3"))",
                 R"(ERROR: <input>:1:11: Syntax error: extraneous input '"1.2.3"' expecting ')'
 | (ip(format"1.2.3")
 | ..........^
ERROR: <input>:1:19: Syntax error: missing ')' at '<EOF>'
 | (ip(format"1.2.3")
 | ..................^)"},
                {R"(sets.contains([,1,2],[1]))",
                 R"(ERROR: <input>:1:17: Syntax error: mismatched input '1' expecting ']'
 | sets.contains([,1,2],[1])
 | ................^
ERROR: <input>:1:20: Syntax error: mismatched input ']' expecting ')'
 | sets.contains([,1,2],[1])
 | ...................^)"},
                {R"([1,2][.all(i, )v, v > i))",
                 R"(ERROR: <input>:1:15: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | [1,2][.all(i, )v, v > i)
 | ..............^
ERROR: <input>:1:25: Syntax error: missing ']' at '<EOF>'
 | [1,2][.all(i, )v, v > i)
 | ........................^)"},
                {R"({?"a": optional.(1), ?: optional.none()})",
                 R"(ERROR: <input>:1:17: Syntax error: no viable alternative at input '.('
 | {?"a": optional.(1), ?: optional.none()}
 | ................^
ERROR: <input>:1:23: Syntax error: extraneous input ':' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {?"a": optional.(1), ?: optional.none()}
 | ......................^
ERROR: <input>:1:40: Syntax error: mismatched input '}' expecting ':'
 | {?"a": optional.(1), ?: optional.none()}
 | .......................................^)"},
                {R"(}{op: "add"JSONPatch)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | }{op: "add"JSONPatch
 | ^
ERROR: <input>:1:12: Syntax error: mismatched input 'JSONPatch' expecting {'}', ','}
 | }{op: "add"JSONPatch
 | ...........^)"},
                {R"(string((."::0001")))",
                 R"(ERROR: <input>:1:10: Syntax error: no viable alternative at input '."::0001"'
 | string((."::0001"))
 | .........^
ERROR: <input>:1:19: Syntax error: extraneous input ')' expecting <EOF>
 | string((."::0001"))
 | ..................^)"},
                {R"(int(())",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | int(()
 | .....^
ERROR: <input>:1:7: Syntax error: missing ')' at '<EOF>'
 | int(()
 | ......^)"},
                {R"(..b[?"d"].orValue("x"))",
                 R"(ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'
 | ..b[?"d"].orValue("x")
 | .^
ERROR: <input>:1:9: Syntax error: mismatched input ']' expecting ':'
 | ..b[?"d"].orValue("x")
 | ........^)"},
                {R"([1,2].map(x, x).,map(x, x + 1))",
                 R"(ERROR: <input>:1:17: Syntax error: no viable alternative at input '.,'
 | [1,2].map(x, x).,map(x, x + 1)
 | ................^
ERROR: <input>:1:30: Syntax error: extraneous input ')' expecting <EOF>
 | [1,2].map(x, x).,map(x, x + 1)
 | .............................^)"},
                {R"(..bdc == [1 2, 3])",
                 R"(ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'
 | ..bdc == [1 2, 3]
 | .^
ERROR: <input>:1:13: Syntax error: extraneous input '2' expecting {']', ','}
 | ..bdc == [1 2, 3]
 | ............^
ERROR: <input>:1:16: Syntax error: extraneous input '3' expecting ']'
 | ..bdc == [1 2, 3]
 | ...............^)"},
                {R"({(true:1}[])",
                 R"(ERROR: <input>:1:7: Syntax error: missing ')' at ':'
 | {(true:1}[]
 | ......^
ERROR: <input>:1:11: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {(true:1}[]
 | ..........^)"},
                {R"(hasxd.b.n.k. && d.b.n)k == "v")",
                 R"(ERROR: <input>:1:14: Syntax error: no viable alternative at input '. &&'
 | hasxd.b.n.k. && d.b.n)k == "v"
 | .............^
ERROR: <input>:1:22: Syntax error: mismatched input ')' expecting <EOF>
 | hasxd.b.n.k. && d.b.n)k == "v"
 | .....................^)"},
                {R"((ip"224.0.0.1").:())",
                 R"(ERROR: <input>:1:4: Syntax error: extraneous input '"224.0.0.1"' expecting ')'
 | (ip"224.0.0.1").:()
 | ...^
ERROR: <input>:1:17: Syntax error: no viable alternative at input '.:'
 | (ip"224.0.0.1").:()
 | ................^)"},
                {R"("a.b.c".split("."p.map(), p + "!"))",
                 R"(ERROR: <input>:1:18: Syntax error: mismatched input 'p' expecting ')'
 | "a.b.c".split("."p.map(), p + "!")
 | .................^
ERROR: <input>:1:34: Syntax error: extraneous input ')' expecting <EOF>
 | "a.b.c".split("."p.map(), p + "!")
 | .................................^)"},
                {R"([d.a,)5].sort( )",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input ')' expecting ']'
 | [d.a,)5].sort( 
 | .....^
ERROR: <input>:1:16: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | [d.a,)5].sort( 
 | ...............^)"},
                {R"(size(<1,)2 )",
                 R"(ERROR: <input>:1:6: Syntax error: extraneous input '<' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | size(<1,)2 
 | .....^
ERROR: <input>:1:9: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | size(<1,)2 
 | ........^
ERROR: <input>:1:12: Syntax error: missing ')' at '<EOF>'
 | size(<1,)2 
 | ...........^)"},
                {R"(has({: 1}.b))",
                 R"(ERROR: <input>:1:6: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | has({: 1}.b)
 | .....^
ERROR: <input>:1:9: Syntax error: mismatched input '}' expecting ':'
 | has({: 1}.b)
 | ........^)"},
                {R"(optional."::::"none().optMap(v, v * 2))",
                 R"(ERROR: <input>:1:10: Syntax error: no viable alternative at input '."::::"'
 | optional."::::"none().optMap(v, v * 2)
 | .........^
ERROR: <input>:1:38: Syntax error: extraneous input ')' expecting <EOF>
 | optional."::::"none().optMap(v, v * 2)
 | .....................................^)"},
                {R"(import..foo)",
                 R"(ERROR: <input>:1:1: reserved identifier: import
 | import..foo
 | ^
ERROR: <input>:1:8: Syntax error: no viable alternative at input '..'
 | import..foo
 | .......^)"},
                {R"(quantity("1k").compareTo(quantity(()))",
                 R"(ERROR: <input>:1:36: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | quantity("1k").compareTo(quantity(())
 | ...................................^
ERROR: <input>:1:38: Syntax error: missing ')' at '<EOF>'
 | quantity("1k").compareTo(quantity(())
 | .....................................^)"},
                {R"(,1].all(__result__[ true))",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ',' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ,1].all(__result__[ true)
 | ^
ERROR: <input>:1:3: Syntax error: mismatched input ']' expecting <EOF>
 | ,1].all(__result__[ true)
 | ..^)"},
                {R"(f(1[,)",
                 R"(ERROR: <input>:1:5: Syntax error: mismatched input ',' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(1[,
 | ....^
ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | f(1[,
 | .....^)"},
                {R"()(x)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | )(x
 | ^
ERROR: <input>:1:4: Syntax error: missing ')' at '<EOF>'
 | )(x
 | ...^)"},
                {R"(,m"2001:db8::1".k)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ',' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ,m"2001:db8::1".k
 | ^
ERROR: <input>:1:3: Syntax error: mismatched input '"2001:db8::1"' expecting <EOF>
 | ,m"2001:db8::1".k
 | ..^)"},
                {R"(url("",)))",
                 R"(ERROR: <input>:1:8: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | url("",))
 | .......^
ERROR: <input>:1:9: Syntax error: extraneous input ')' expecting <EOF>
 | url("",))
 | ........^)"},
                {R"([1,"::/0"2].sum("" + l.sum())",
                 R"(ERROR: <input>:1:10: Syntax error: extraneous input '2' expecting {']', ','}
 | [1,"::/0"2].sum("" + l.sum()
 | .........^
ERROR: <input>:1:29: Syntax error: missing ')' at '<EOF>'
 | [1,"::/0"2].sum("" + l.sum()
 | ............................^)"},
                {R"([?optional.of(1), ?optional"^h.*d$".none(), 2])",
                 R"(ERROR: <input>:1:28: Syntax error: mismatched input '"^h.*d$"' expecting {']', ','}
 | [?optional.of(1), ?optional"^h.*d$".none(), 2]
 | ...........................^
ERROR: <input>:1:43: Syntax error: mismatched input ',' expecting <EOF>
 | [?optional.of(1), ?optional"^h.*d$".none(), 2]
 | ..........................................^)"},
                {R"(optional.unwrap([)optional.of(1), optional.none()))",
                 R"(ERROR: <input>:1:18: Syntax error: extraneous input ')' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | optional.unwrap([)optional.of(1), optional.none())
 | .................^
ERROR: <input>:1:50: Syntax error: mismatched input ')' expecting {']', ','}
 | optional.unwrap([)optional.of(1), optional.none())
 | .................................................^)"},
                {R"(m.exists(k, m[k) == "v2"))",
                 R"(ERROR: <input>:1:16: Syntax error: missing ']' at ')'
 | m.exists(k, m[k) == "v2")
 | ...............^
ERROR: <input>:1:25: Syntax error: extraneous input ')' expecting <EOF>
 | m.exists(k, m[k) == "v2")
 | ........................^)"},
                {R"({ < {})",
                 R"(ERROR: <input>:1:3: Syntax error: extraneous input '<' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | { < {}
 | ..^
ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting ':'
 | { < {}
 | ......^)"},
                {R"(has({"a":1?.b))",
                 R"(ERROR: <input>:1:5: invalid argument to has() macro
 | has({"a":1?.b)
 | ....^
ERROR: <input>:1:14: Syntax error: mismatched input ')' expecting ':'
 | has({"a":1?.b)
 | .............^)"},
                {R"({: d.}[s])",
                 R"(ERROR: <input>:1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | {: d.}[s]
 | .^
ERROR: <input>:1:6: Syntax error: no viable alternative at input '.}'
 | {: d.}[s]
 | .....^)"},
                {R"(d.b[]"d")",
                 R"(ERROR: <input>:1:5: Syntax error: extraneous input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | d.b[]"d"
 | ....^
ERROR: <input>:1:9: Syntax error: missing ']' at '<EOF>'
 | d.b[]"d"
 | ........^)"},
                {R"("a".contains(,"b" "c"))",
                 R"(ERROR: <input>:1:14: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | "a".contains(,"b" "c")
 | .............^
ERROR: <input>:1:19: Syntax error: extraneous input '"c"' expecting ')'
 | "a".contains(,"b" "c")
 | ..................^)"},
                {R"(][sd)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ']' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ][sd
 | ^
ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {']', ','}
 | ][sd
 | ....^)"},
                {R"(/x 5)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input '/' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | /x 5
 | ^
ERROR: <input>:1:4: Syntax error: extraneous input '5' expecting <EOF>
 | /x 5
 | ...^)"},
                {R"().lowerAscii(s)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | ).lowerAscii(s
 | ^
ERROR: <input>:1:15: Syntax error: missing ')' at '<EOF>'
 | ).lowerAscii(s
 | ..............^)"},
                {R"([0, 1].exists(i, 1 / i == )1)",
                 R"(ERROR: <input>:1:27: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | [0, 1].exists(i, 1 / i == )1
 | ..........................^
ERROR: <input>:1:29: Syntax error: missing ')' at '<EOF>'
 | [0, 1].exists(i, 1 / i == )1
 | ............................^)"},
                {R"([].max(())",
                 R"(ERROR: <input>:1:9: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | [].max(()
 | ........^
ERROR: <input>:1:10: Syntax error: missing ')' at '<EOF>'
 | [].max(()
 | .........^)"},
                {R"(+)("169.254.0.1").isLinkLocalUnicast(ip)",
                 R"(ERROR: <input>:1:1: Syntax error: mismatched input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | +)("169.254.0.1").isLinkLocalUnicast(ip
 | ^
ERROR: <input>:1:2: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | +)("169.254.0.1").isLinkLocalUnicast(ip
 | .^
ERROR: <input>:1:40: Syntax error: missing ')' at '<EOF>'
 | +)("169.254.0.1").isLinkLocalUnicast(ip
 | .......................................^)"},
                {R"((import.foo)",
                 R"(ERROR: <input>:1:2: reserved identifier: import
 | (import.foo
 | .^
ERROR: <input>:1:12: Syntax error: missing ')' at '<EOF>'
 | (import.foo
 | ...........^)"},
                {R"(string(ipif"::0001")))",
                 R"(ERROR: <input>:1:12: Syntax error: extraneous input '"::0001"' expecting ')'
 | string(ipif"::0001"))
 | ...........^
ERROR: <input>:1:21: Syntax error: extraneous input ')' expecting <EOF>
 | string(ipif"::0001"))
 | ....................^)"},
                {R"()("abc"t)",
                 R"(ERROR: <input>:1:1: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | )("abc"t
 | ^
ERROR: <input>:1:8: Syntax error: mismatched input 't' expecting ')'
 | )("abc"t
 | .......^)"},
                {R"(d.list[01.name + d.[]].name)",
                 R"(ERROR: <input>:1:20: Syntax error: no viable alternative at input '.['
 | d.list[01.name + d.[]].name
 | ...................^
ERROR: <input>:1:22: Syntax error: mismatched input ']' expecting <EOF>
 | d.list[01.name + d.[]].name
 | .....................^)"},
                {R"((x ==)) == true)",
                 R"(ERROR: <input>:1:6: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | (x ==)) == true
 | .....^
ERROR: <input>:1:7: Syntax error: mismatched input ')' expecting <EOF>
 | (x ==)) == true
 | ......^)"},
                {R"(l.lastIndexOf(("224.0.0.1"9))",
                 R"(ERROR: <input>:1:27: Syntax error: extraneous input '9' expecting ')'
 | l.lastIndexOf(("224.0.0.1"9)
 | ..........................^
ERROR: <input>:1:29: Syntax error: missing ')' at '<EOF>'
 | l.lastIndexOf(("224.0.0.1"9)
 | ............................^)"},
                {R"(a[].b)",
                 R"(ERROR: <input>:1:3: Syntax error: extraneous input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | a[].b
 | ..^
ERROR: <input>:1:6: Syntax error: missing ']' at '<EOF>'
 | a[].b
 | .....^)"},
                {R"(let xx)",
                 R"(ERROR: <input>:1:1: reserved identifier: let
 | let xx
 | ^
ERROR: <input>:1:5: Syntax error: extraneous input 'xx' expecting <EOF>
 | let xx
 | ....^)"},
};
// clang-format on

}  // namespace keelson::cel
