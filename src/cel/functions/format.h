// string.format: the clauses of a format, for running it and for checking it beforehand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace keelson::cel {

struct FormatClause {
  size_t argument = 0;
  char verb = 's';
  std::optional<int> precision;
};

// Goes through a format with `arguments` arguments. `write` appends what a clause gives and
// returns why it cannot, or nothing. `fetched`, if given, counts the arguments asked for.
// The result is the error, or empty.
std::string ForEachClause(std::string_view format, size_t arguments, std::string& out,
                          const std::function<std::string(const FormatClause&, std::string&)>& write,
                          size_t* fetched, bool checked);

// What a clause says of an argument of a type it cannot take.
std::string WrongTypeFor(char verb, std::string_view type);

}  // namespace keelson::cel
