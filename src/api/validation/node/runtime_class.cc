#include "api/validation/node/runtime_class.h"

#include <set>
#include <tuple>

#include "api/validation/core/checks.h"
#include "api/validation/core/resources.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/labels.h"
#include "api/validation/node/deprecated_labels.h"
#include "api/validation/unversioned.h"

namespace keelson::api::node {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using node_v1::RuntimeClassView;

void CheckTolerations(ListView<core_v1::TolerationView> tolerations, const Path& path, ErrorList& errors) {
  core::CheckTolerations(tolerations, path, errors);
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> seen;
  size_t i = 0;
  for (const auto t : tolerations) {
    const Path at = path.Index(i++);
    if (!seen.emplace(t.key(), t.operator_(), t.value(), t.effect()).second)
      errors.Add(field::Duplicate(at, field::RenderUnversioned(t.node())));
  }
}

}  // namespace

ErrorList ValidateRuntimeClass(RuntimeClassView runtime_class) {
  ErrorList errors;
  const Path handler("handler"), scheduling("scheduling");
  if (runtime_class.handler().empty()) {
    errors.Add(field::Required(handler, ""));
  } else {
    errors.AddInvalid(handler, runtime_class.handler(), NameIsDnsLabel(runtime_class.handler(), false));
  }
  if (runtime_class.overhead())
    core::CheckOverhead(runtime_class.overhead().pod_fixed(), Path("overhead"), errors);
  if (const auto rules = runtime_class.scheduling()) {
    errors.Append(ValidateLabels(rules.node_selector(), scheduling.Child("nodeSelector")));
    CheckTolerations(rules.tolerations(), scheduling.Child("tolerations"), errors);
  }
  return errors;
}

ErrorList ValidateRuntimeClassUpdate(RuntimeClassView now, RuntimeClassView was) {
  ErrorList errors = ValidateRuntimeClass(now);
  if (now.handler() != was.handler())
    errors.Add(field::Invalid(Path("handler"), RenderValue(now.handler()), kFieldImmutable));
  return errors;
}

std::vector<std::string> WarningsForRuntimeClass(RuntimeClassView runtime_class) {
  std::vector<std::string> warnings;
  for (const auto& [key, value] : runtime_class.scheduling().node_selector()) {
    if (const std::string_view why = DeprecatedNodeLabel(key); !why.empty())
      warnings.push_back("scheduling.nodeSelector: " + std::string(why));
  }
  return warnings;
}

}  // namespace keelson::api::node
