#include "cel/kubernetes.h"

#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

std::shared_ptr<const Library> AllFunctions() {
  static const std::shared_ptr<const Library> library = [] {
    auto all = std::make_shared<Library>();
    AddOperators(*all);
    AddConversions(*all);
    AddTimeFunctions(*all);
    AddStrings(*all);
    AddStringFormat(*all);
    AddRegex(*all);
    AddLists(*all);
    AddExtendedLists(*all);
    AddSets(*all);
    AddOptionals(*all);
    AddTwoVariableComprehensions(*all);
    AddUrls(*all);
    AddIpAndCidr(*all);
    AddQuantity(*all);
    AddSemver(*all);
    AddNamedFormats(*all);
    AddAuthorization(*all);
    return all;
  }();
  return library;
}

}  // namespace

Environment::Options KubernetesPatchOptions() {
  static const std::shared_ptr<const Library> library = [] {
    auto all = std::make_shared<Library>(*AllFunctions());
    AddJsonPatch(*all);
    return all;
  }();
  Environment::Options options = KubernetesOptions();
  options.functions = library;
  return options;
}

Environment::Options KubernetesOptions() {
  Environment::Options options;
  options.functions = AllFunctions();
  for (const auto macros : {StandardMacros(), OptionalMacros(), TwoVariableMacros(), ListMacros()})
    options.parser.macros.insert(options.parser.macros.end(), macros.begin(), macros.end());
  options.parser.optional_syntax = true;
  options.types = {types::Optional(types::Parameter("V")), IpType(), CidrType()};
  return options;
}

}  // namespace keelson::cel
