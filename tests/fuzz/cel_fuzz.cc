// Any text as an expression: never a crash, and what is accepted runs to an end within its
// cost.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "cel/documents.h"
#include "cel/estimate.h"
#include "cel/kubernetes.h"
#include "cel/program.h"

using namespace keelson::cel;

namespace {

const Environment& FuzzEnvironment() {
  static const Environment environment = [] {
    using namespace types;
    Environment::Options options = KubernetesPatchOptions();
    options.variables = {{"x", Int()}, {"s", String()}, {"d", Dyn()}, {"l", ListOf(Int())}};
    return Environment(std::move(options));
  }();
  return environment;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto checked = FuzzEnvironment().Compile(text);
  if (!checked) return 0;
  const Range estimate = EstimateCost(*checked, nullptr);
  if (estimate.min > estimate.max) std::abort();
  const auto program = Program::Plan(*checked, FuzzEnvironment());
  if (!program) return 0;
  const std::vector<Value> variables{Value::Int(42), Value::Borrowed("héllo"),
                                     FromJson(R"({"a":1,"b":{"c":[1,2],"d":"t"},"n":null})"),
                                     FromJson("[3,1]")};
  RunOptions options;
  options.cost_limit = 10'000;
  const Outcome outcome = program->Run(variables, options);
  if (ToText(outcome.value).size() > (64u << 20)) std::abort();
  return 0;
}
