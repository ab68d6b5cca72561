// Expressions that are parsed and then found wrong.
#pragma once

#include "cel/testing/issue_case.h"

namespace keelson::cel {

constexpr IssueCase kCheckCases[] = {
    {R"(1 + 2u)",
     R"(ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, uint)'
 | 1 + 2u
 | ..^)"},
    {R"(1 == 1.0)",
     R"(ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, double)'
 | 1 == 1.0
 | ..^)"},
    {R"("a" + 1)",
     R"(ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'
 | "a" + 1
 | ....^)"},
    {R"([1,2,3].existsOne(x, x == 2))",
     R"(ERROR: <input>:1:18: undeclared reference to 'existsOne' (in container '')
 | [1,2,3].existsOne(x, x == 2)
 | .................^)"},
    {R"(has(d))",
     R"(ERROR: <input>:1:5: invalid argument to has() macro
 | has(d)
 | ....^)"},
    {R"(has(d["a"]))",
     R"(ERROR: <input>:1:6: invalid argument to has() macro
 | has(d["a"])
 | .....^)"},
    {R"(9223372036854775808)",
     R"(ERROR: <input>:1:1: invalid int literal
 | 9223372036854775808
 | ^)"},
    {R"(18446744073709551616u)",
     R"(ERROR: <input>:1:1: invalid uint literal
 | 18446744073709551616u
 | ^)"},
    {R"(1e400)",
     R"(ERROR: <input>:1:1: invalid double literal
 | 1e400
 | ^)"},
    {R"(s.matches("("))",
     R"(ERROR: <input>:1:11: invalid matches argument
 | s.matches("(")
 | ..........^)"},
    {R"("abc".reverse())",
     R"(ERROR: <input>:1:14: found no matching overload for 'reverse' applied to 'string.()'
 | "abc".reverse()
 | .............^)"},
    {R"(duration("1x"))",
     R"(ERROR: <input>:1:10: invalid duration argument
 | duration("1x")
 | .........^)"},
    {R"(timestamp("2024-13-01T00:00:00Z"))",
     R"(ERROR: <input>:1:11: invalid timestamp argument
 | timestamp("2024-13-01T00:00:00Z")
 | ..........^)"},
    {R"(timestamp("x"))",
     R"(ERROR: <input>:1:11: invalid timestamp argument
 | timestamp("x")
 | ..........^)"},
    {R"({"a":1} == {"a":1.0})",
     R"(ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(map(string, int), map(string, double))'
 | {"a":1} == {"a":1.0}
 | ........^)"},
    {R"({1:"a", 2u:"b"})",
     R"(ERROR: <input>:1:9: expected type 'int' but found 'uint'
 | {1:"a", 2u:"b"}
 | ........^)"},
    {R"({1:"a"}[1.0])",
     R"(ERROR: <input>:1:8: found no matching overload for '_[_]' applied to '(map(int, string), double)'
 | {1:"a"}[1.0]
 | .......^)"},
    {R"([1,"a"])",
     R"(ERROR: <input>:1:4: expected type 'int' but found 'string'
 | [1,"a"]
 | ...^)"},
    {R"({"a":1,"b":"c"})",
     R"(ERROR: <input>:1:12: expected type 'int' but found 'string'
 | {"a":1,"b":"c"}
 | ...........^)"},
    {R"([1, 2.0])",
     R"(ERROR: <input>:1:5: expected type 'int' but found 'double'
 | [1, 2.0]
 | ....^)"},
    {R"([1,[2,[3]]].flatten(2))",
     R"(ERROR: <input>:1:4: expected type 'int' but found 'list(dyn)'
 | [1,[2,[3]]].flatten(2)
 | ...^
ERROR: <input>:1:7: expected type 'int' but found 'list(int)'
 | [1,[2,[3]]].flatten(2)
 | ......^)"},
    {R"([[1],[2,[3]]].flatten(-1))",
     R"(ERROR: <input>:1:6: expected type 'list(int)' but found 'list(dyn)'
 | [[1],[2,[3]]].flatten(-1)
 | .....^
ERROR: <input>:1:9: expected type 'int' but found 'list(int)'
 | [[1],[2,[3]]].flatten(-1)
 | ........^)"},
    {R"([d.a, 5].sort())",
     R"(ERROR: <input>:1:7: expected type 'dyn' but found 'int'
 | [d.a, 5].sort()
 | ......^)"},
    {R"(["a"].sum())",
     R"(ERROR: <input>:1:10: found no matching overload for 'sum' applied to 'list(string).()'
 | ["a"].sum()
 | .........^)"},
    {R"([1].all(i, i, true))",
     R"(ERROR: <input>:1:12: duplicate variable name: i
 | [1].all(i, i, true)
 | ...........^)"},
    {R"([1].all(1, true))",
     R"(ERROR: <input>:1:9: argument must be a simple name
 | [1].all(1, true)
 | ........^)"},
    {R"([1].map(a.b, 1))",
     R"(ERROR: <input>:1:10: argument is not an identifier
 | [1].map(a.b, 1)
 | .........^)"},
    {R"([1].all(__result__, true))",
     R"(ERROR: <input>:1:9: iteration variable overwrites accumulator variable
 | [1].all(__result__, true)
 | ........^)"},
    {R"([1].map(__result__, 1))",
     R"(ERROR: <input>:1:9: iteration variable overwrites accumulator variable
 | [1].map(__result__, 1)
 | ........^)"},
    {R"([?1])",
     R"(ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'
 | [?1]
 | ..^)"},
    {R"(foo)",
     R"(ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')
 | foo
 | ^)"},
    {R"(foo.bar)",
     R"(ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')
 | foo.bar
 | ^)"},
    {R"(foo())",
     R"(ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')
 | foo()
 | ...^)"},
    {R"(x.foo())",
     R"(ERROR: <input>:1:6: undeclared reference to 'foo' (in container '')
 | x.foo()
 | .....^)"},
    {R"(d.foo())",
     R"(ERROR: <input>:1:6: undeclared reference to 'foo' (in container '')
 | d.foo()
 | .....^)"},
    {R"(x.y)",
     R"(ERROR: <input>:1:2: type 'int' does not support field selection
 | x.y
 | .^)"},
    {R"(s.y)",
     R"(ERROR: <input>:1:2: type 'string' does not support field selection
 | s.y
 | .^)"},
    {R"(l.y)",
     R"(ERROR: <input>:1:2: type 'list(int)' does not support field selection
 | l.y
 | .^)"},
    {R"(x())",
     R"(ERROR: <input>:1:2: undeclared reference to 'x' (in container '')
 | x()
 | .^)"},
    {R"(1.foo)",
     R"(ERROR: <input>:1:2: type 'int' does not support field selection
 | 1.foo
 | .^)"},
    {R"(int.foo)",
     R"(ERROR: <input>:1:4: type 'type(int)' does not support field selection
 | int.foo
 | ...^)"},
    {R"(.foo)",
     R"(ERROR: <input>:1:2: undeclared reference to '.foo' (in container '')
 | .foo
 | .^)"},
    {R"(true ? 1 : "a")",
     R"(ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'
 | true ? 1 : "a"
 | .....^)"},
    {R"(1 ? 2 : 3)",
     R"(ERROR: <input>:1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'
 | 1 ? 2 : 3
 | ..^)"},
    {R"(b'\u00e9')",
     R"(ERROR: <input>:1:1: unable to unescape string
 | b'\u00e9'
 | ^)"},
    {R"("\ud800")",
     R"(ERROR: <input>:1:1: invalid unicode code point
 | "\ud800"
 | ^)"},
    {R"("\U00110000")",
     R"(ERROR: <input>:1:1: invalid unicode code point
 | "\U00110000"
 | ^)"},
    {R"(x.`abc`)",
     R"(ERROR: <input>:1:3: unsupported syntax: '`'
 | x.`abc`
 | ..^)"},
    {R"(1 == null)",
     R"(ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, null)'
 | 1 == null
 | ..^)"},
    {R"(if)",
     R"(ERROR: <input>:1:1: reserved identifier: if
 | if
 | ^)"},
    {R"(while)",
     R"(ERROR: <input>:1:1: reserved identifier: while
 | while
 | ^)"},
    {R"(x.if)",
     R"(ERROR: <input>:1:2: type 'int' does not support field selection
 | x.if
 | .^)"},
    {R"(as)",
     R"(ERROR: <input>:1:1: reserved identifier: as
 | as
 | ^)"},
    {R"(package)",
     R"(ERROR: <input>:1:1: reserved identifier: package
 | package
 | ^)"},
    {R"(import.foo)",
     R"(ERROR: <input>:1:1: reserved identifier: import
 | import.foo
 | ^)"},
    {R"(true.foo)",
     R"(ERROR: <input>:1:5: type 'bool' does not support field selection
 | true.foo
 | ....^)"},
    {R"(a || b)",
     R"(ERROR: <input>:1:1: undeclared reference to 'a' (in container '')
 | a || b
 | ^
ERROR: <input>:1:6: undeclared reference to 'b' (in container '')
 | a || b
 | .....^)"},
    {R"(-s)",
     R"(ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'
 | -s
 | ^)"},
    {R"(!1)",
     R"(ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'
 | !1
 | ^)"},
    {R"(1 && 2)",
     R"(ERROR: <input>:1:1: expected type 'bool' but found 'int'
 | 1 && 2
 | ^
ERROR: <input>:1:6: expected type 'bool' but found 'int'
 | 1 && 2
 | .....^)"},
    {R"("a" || true)",
     R"(ERROR: <input>:1:1: expected type 'bool' but found 'string'
 | "a" || true
 | ^)"},
    {R"(1 < "a")",
     R"(ERROR: <input>:1:3: found no matching overload for '_<_' applied to '(int, string)'
 | 1 < "a"
 | ..^)"},
    {R"([1] < [2])",
     R"(ERROR: <input>:1:5: found no matching overload for '_<_' applied to '(list(int), list(int))'
 | [1] < [2]
 | ....^)"},
    {R"({} < {})",
     R"(ERROR: <input>:1:4: found no matching overload for '_<_' applied to '(map(dyn, dyn), map(dyn, dyn))'
 | {} < {}
 | ...^)"},
    {R"(1 == "1")",
     R"(ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, string)'
 | 1 == "1"
 | ..^)"},
    {R"(1 != 1.0)",
     R"(ERROR: <input>:1:3: found no matching overload for '_!=_' applied to '(int, double)'
 | 1 != 1.0
 | ..^)"},
    {R"(1u == 1)",
     R"(ERROR: <input>:1:4: found no matching overload for '_==_' applied to '(uint, int)'
 | 1u == 1
 | ...^)"},
    {R"(1.0 == 1u)",
     R"(ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(double, uint)'
 | 1.0 == 1u
 | ....^)"},
    {R"(10.5 % 2.0)",
     R"(ERROR: <input>:1:6: found no matching overload for '_%_' applied to '(double, double)'
 | 10.5 % 2.0
 | .....^)"},
    {R"([1, 2, 3][1.0])",
     R"(ERROR: <input>:1:10: found no matching overload for '_[_]' applied to '(list(int), double)'
 | [1, 2, 3][1.0]
 | .........^)"},
    {R"([1, 2, 3][1u])",
     R"(ERROR: <input>:1:10: found no matching overload for '_[_]' applied to '(list(int), uint)'
 | [1, 2, 3][1u]
 | .........^)"},
    {R"([1, 2, 3]["a"])",
     R"(ERROR: <input>:1:10: found no matching overload for '_[_]' applied to '(list(int), string)'
 | [1, 2, 3]["a"]
 | .........^)"},
    {R"([d.a, 2][d.a])",
     R"(ERROR: <input>:1:7: expected type 'dyn' but found 'int'
 | [d.a, 2][d.a]
 | ......^)"},
    {R"(x.map(i, i))",
     R"(ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)
 | x.map(i, i)
 | ^)"},
    {R"(s.map(i, i))",
     R"(ERROR: <input>:1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)
 | s.map(i, i)
 | ^)"},
    {R"(s.all(c, true))",
     R"(ERROR: <input>:1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)
 | s.all(c, true)
 | ^)"},
    {R"(d.b.d.contains(1))",
     R"(ERROR: <input>:1:15: found no matching overload for 'contains' applied to 'dyn.(int)'
 | d.b.d.contains(1)
 | ..............^)"},
    {R"(authorizer)",
     R"(ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')
 | authorizer
 | ^)"},
    {R"(Object{})",
     R"(ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')
 | Object{}
 | ......^)"},
    {R"(JSONPatch{op: "add"})",
     R"(ERROR: <input>:1:10: undeclared reference to 'JSONPatch' (in container '')
 | JSONPatch{op: "add"}
 | .........^)"},
    {R"(Foo{a: 1})",
     R"(ERROR: <input>:1:4: undeclared reference to 'Foo' (in container '')
 | Foo{a: 1}
 | ...^)"},
    {R"(Foo.Bar{})",
     R"(ERROR: <input>:1:8: undeclared reference to 'Foo.Bar' (in container '')
 | Foo.Bar{}
 | .......^)"},
    {R"(int{})",
     R"(ERROR: <input>:1:4: 'int' is not a message type
 | int{}
 | ...^)"},
    {R"(cel.bind(v, 1, v + 1))",
     R"(ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')
 | cel.bind(v, 1, v + 1)
 | ^
ERROR: <input>:1:9: undeclared reference to 'bind' (in container '')
 | cel.bind(v, 1, v + 1)
 | ........^
ERROR: <input>:1:10: undeclared reference to 'v' (in container '')
 | cel.bind(v, 1, v + 1)
 | .........^
ERROR: <input>:1:16: undeclared reference to 'v' (in container '')
 | cel.bind(v, 1, v + 1)
 | ...............^)"},
    {R"(base64.encode(b"x"))",
     R"(ERROR: <input>:1:1: undeclared reference to 'base64' (in container '')
 | base64.encode(b"x")
 | ^
ERROR: <input>:1:14: undeclared reference to 'encode' (in container '')
 | base64.encode(b"x")
 | .............^)"},
    {R"(math.greatest(1, 2))",
     R"(ERROR: <input>:1:1: undeclared reference to 'math' (in container '')
 | math.greatest(1, 2)
 | ^
ERROR: <input>:1:14: undeclared reference to 'greatest' (in container '')
 | math.greatest(1, 2)
 | .............^)"},
    {"\tfoo",
     R"(ERROR: <input>:1:2: undeclared reference to 'foo' (in container '')
 |  foo
 | .^)"},
    {R"("日本語" + foo)",
     R"(ERROR: <input>:1:9: undeclared reference to 'foo' (in container '')
 | "日本語" + foo
 | .．．．....^)"},
    {R"("日本語".size() + bar)",
     R"(ERROR: <input>:1:16: undeclared reference to 'bar' (in container '')
 | "日本語".size() + bar
 | .．．．...........^)"},
    {R"(y)",
     R"(ERROR: <input>:1:1: undeclared reference to 'y' (in container '')
 | y
 | ^)"},
    {R"(  foo)",
     R"(ERROR: <input>:1:3: undeclared reference to 'foo' (in container '')
 |   foo
 | ..^)"},
    {R"(true && (false || (true && (false || foo))))",
     R"(ERROR: <input>:1:38: undeclared reference to 'foo' (in container '')
 | true && (false || (true && (false || foo)))
 | .....................................^)"},
    {R"(x in [1.0, 42.0])",
     R"(ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, list(double))'
 | x in [1.0, 42.0]
 | ..^)"},
    {R"(1.0 in [1, 2])",
     R"(ERROR: <input>:1:5: found no matching overload for '@in' applied to '(double, list(int))'
 | 1.0 in [1, 2]
 | ....^)"},
    {R"(type(1) in [int, string])",
     R"(ERROR: <input>:1:18: expected type 'type(int)' but found 'type(string)'
 | type(1) in [int, string]
 | .................^)"},
    {R"(dyn([1, "a"]))",
     R"(ERROR: <input>:1:9: expected type 'int' but found 'string'
 | dyn([1, "a"])
 | ........^)"},
    {R"([1, d.a, "b"])",
     R"(ERROR: <input>:1:6: expected type 'int' but found 'dyn'
 | [1, d.a, "b"]
 | .....^)"},
    {R"(has(x.y))",
     R"(ERROR: <input>:1:4: type 'int' does not support field selection
 | has(x.y)
 | ...^)"},
    {R"(has(s.x))",
     R"(ERROR: <input>:1:4: type 'string' does not support field selection
 | has(s.x)
 | ...^)"},
    {R"(1 < 2 < 3)",
     R"(ERROR: <input>:1:7: found no matching overload for '_<_' applied to '(bool, int)'
 | 1 < 2 < 3
 | ......^)"},
    {R"(1 == 1 == 1)",
     R"(ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(bool, int)'
 | 1 == 1 == 1
 | .......^)"},
    {R"(!x == 1)",
     R"(ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'
 | !x == 1
 | ^)"},
    {R"({"a": [1, {"b": 2}]}.a[1].b)",
     R"(ERROR: <input>:1:11: expected type 'int' but found 'map(string, int)'
 | {"a": [1, {"b": 2}]}.a[1].b
 | ..........^)"},
    {R"(100000000000000000000)",
     R"(ERROR: <input>:1:1: invalid int literal
 | 100000000000000000000
 | ^)"},
    {R"(_x)",
     R"(ERROR: <input>:1:1: undeclared reference to '_x' (in container '')
 | _x
 | ^)"},
    {R"(a.b.c.d)",
     R"(ERROR: <input>:1:1: undeclared reference to 'a' (in container '')
 | a.b.c.d
 | ^)"},
    {R"(a[0].b)",
     R"(ERROR: <input>:1:1: undeclared reference to 'a' (in container '')
 | a[0].b
 | ^)"},
    {R"(a.b())",
     R"(ERROR: <input>:1:1: undeclared reference to 'a' (in container '')
 | a.b()
 | ^
ERROR: <input>:1:4: undeclared reference to 'b' (in container '')
 | a.b()
 | ...^)"},
    {R"(a.b.c())",
     R"(ERROR: <input>:1:1: undeclared reference to 'a' (in container '')
 | a.b.c()
 | ^
ERROR: <input>:1:6: undeclared reference to 'c' (in container '')
 | a.b.c()
 | .....^)"},
    {R"(x.size())",
     R"(ERROR: <input>:1:7: found no matching overload for 'size' applied to 'int.()'
 | x.size()
 | ......^)"},
    {R"(size())",
     R"(ERROR: <input>:1:5: found no matching overload for 'size' applied to '()'
 | size()
 | ....^)"},
    {R"(size(1, 2))",
     R"(ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int, int)'
 | size(1, 2)
 | ....^)"},
    {R"(size(1))",
     R"(ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'
 | size(1)
 | ....^)"},
    {R"([1].size(2))",
     R"(ERROR: <input>:1:9: found no matching overload for 'size' applied to 'list(int).(int)'
 | [1].size(2)
 | ........^)"},
    {R"("a".contains())",
     R"(ERROR: <input>:1:13: found no matching overload for 'contains' applied to 'string.()'
 | "a".contains()
 | ............^)"},
    {R"("a".contains("b", "c"))",
     R"(ERROR: <input>:1:13: found no matching overload for 'contains' applied to 'string.(string, string)'
 | "a".contains("b", "c")
 | ............^)"},
    {R"(contains("a", "b"))",
     R"(ERROR: <input>:1:9: found no matching overload for 'contains' applied to '(string, string)'
 | contains("a", "b")
 | ........^)"},
    {R"(int())",
     R"(ERROR: <input>:1:4: found no matching overload for 'int' applied to '()'
 | int()
 | ...^)"},
    {R"(type())",
     R"(ERROR: <input>:1:5: found no matching overload for 'type' applied to '()'
 | type()
 | ....^)"},
    {R"(dyn())",
     R"(ERROR: <input>:1:4: found no matching overload for 'dyn' applied to '()'
 | dyn()
 | ...^)"},
    {R"(dyn(1, 2))",
     R"(ERROR: <input>:1:4: found no matching overload for 'dyn' applied to '(int, int)'
 | dyn(1, 2)
 | ...^)"},
    {R"(x +
y)",
     R"(ERROR: <input>:2:1: undeclared reference to 'y' (in container '')
 | y
 | ^)"},
    {R"([
  1,
  foo
])",
     R"(ERROR: <input>:3:3: undeclared reference to 'foo' (in container '')
 |   foo
 | ..^)"},
    {"a\r\n+ b",
     "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a\r\n | ^\nERROR: <input>:2:3: "
     "undeclared reference to 'b' (in container '')\n | + b\n | ..^"},
    {R"(x == 1 &&
  s == 2)",
     R"(ERROR: <input>:2:5: found no matching overload for '_==_' applied to '(string, int)'
 |   s == 2
 | ....^)"},
    {R"(

foo)",
     R"(ERROR: <input>:3:1: undeclared reference to 'foo' (in container '')
 | foo
 | ^)"},
    {R"(.a.a.a)",
     R"(ERROR: <input>:1:2: undeclared reference to '.a' (in container '')
 | .a.a.a
 | .^)"},
    {R"(f(
 1,
 foo))",
     R"(ERROR: <input>:1:2: undeclared reference to 'f' (in container '')
 | f(
 | .^
ERROR: <input>:3:2: undeclared reference to 'foo' (in container '')
 |  foo)
 | .^)"},
    {R"([?optional.of(1), ?optional.none(a), 2])",
     R"(ERROR: <input>:1:33: found no matching overload for 'optional.none' applied to '(!error!)'
 | [?optional.of(1), ?optional.none(a), 2]
 | ................................^
ERROR: <input>:1:33: expected type 'optional_type(!error!)' but found '!error!'
 | [?optional.of(1), ?optional.none(a), 2]
 | ................................^
ERROR: <input>:1:34: undeclared reference to 'a' (in container '')
 | [?optional.of(1), ?optional.none(a), 2]
 | .................................^)"},
    {R"(sets.falsecontains([1,2],[1]))",
     R"(ERROR: <input>:1:1: undeclared reference to 'sets' (in container '')
 | sets.falsecontains([1,2],[1])
 | ^
ERROR: <input>:1:19: undeclared reference to 'falsecontains' (in container '')
 | sets.falsecontains([1,2],[1])
 | ..................^)"},
    {R"(.sortBy(e,-e))",
     R"(ERROR: <input>:1:8: undeclared reference to '.sortBy' (in container '')
 | .sortBy(e,-e)
 | .......^
ERROR: <input>:1:9: undeclared reference to 'e' (in container '')
 | .sortBy(e,-e)
 | ........^
ERROR: <input>:1:12: undeclared reference to 'e' (in container '')
 | .sortBy(e,-e)
 | ...........^)"},
    {R"(base64.encode(b))",
     R"(ERROR: <input>:1:1: undeclared reference to 'base64' (in container '')
 | base64.encode(b)
 | ^
ERROR: <input>:1:14: undeclared reference to 'encode' (in container '')
 | base64.encode(b)
 | .............^
ERROR: <input>:1:15: undeclared reference to 'b' (in container '')
 | base64.encode(b)
 | ..............^)"},
    {R"(dd.d.contains(b.a))",
     R"(ERROR: <input>:1:1: undeclared reference to 'dd' (in container '')
 | dd.d.contains(b.a)
 | ^
ERROR: <input>:1:15: undeclared reference to 'b' (in container '')
 | dd.d.contains(b.a)
 | ..............^)"},
    {R"(l(e, -e))",
     R"(ERROR: <input>:1:2: undeclared reference to 'l' (in container '')
 | l(e, -e)
 | .^
ERROR: <input>:1:3: undeclared reference to 'e' (in container '')
 | l(e, -e)
 | ..^
ERROR: <input>:1:7: undeclared reference to 'e' (in container '')
 | l(e, -e)
 | ......^)"},
    {R"(d.amap(i, i))",
     R"(ERROR: <input>:1:7: undeclared reference to 'amap' (in container '')
 | d.amap(i, i)
 | ......^
ERROR: <input>:1:8: undeclared reference to 'i' (in container '')
 | d.amap(i, i)
 | .......^
ERROR: <input>:1:11: undeclared reference to 'i' (in container '')
 | d.amap(i, i)
 | ..........^)"},
    {R"({?"a": optional.of(1), ?"b":xoptional.none()})",
     R"(ERROR: <input>:1:29: undeclared reference to 'xoptional' (in container '')
 | {?"a": optional.of(1), ?"b":xoptional.none()}
 | ............................^
ERROR: <input>:1:43: undeclared reference to 'none' (in container '')
 | {?"a": optional.of(1), ?"b":xoptional.none()}
 | ..........................................^
ERROR: <input>:1:43: expected type 'optional_type(!error!)' but found '!error!'
 | {?"a": optional.of(1), ?"b":xoptional.none()}
 | ..........................................^)"},
    {R"(sum.items.d())",
     R"(ERROR: <input>:1:1: undeclared reference to 'sum' (in container '')
 | sum.items.d()
 | ^
ERROR: <input>:1:12: undeclared reference to 'd' (in container '')
 | sum.items.d()
 | ...........^)"},
};

}  // namespace keelson::cel
