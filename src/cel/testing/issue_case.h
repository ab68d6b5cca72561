// An expression that is wrong and what upstream's implementation says of it.
#pragma once

namespace keelson::cel {

struct IssueCase {
  const char *expression, *issues;
};

}  // namespace keelson::cel
