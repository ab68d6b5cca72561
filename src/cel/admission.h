// The environment of admission policies and of the match conditions of webhooks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/environment.h"
#include "cel/program.h"

namespace keelson::cel {

// Places of the variables, the same in all environments of admission.
enum AdmissionVariable : size_t {
  kObject,
  kOldObject,
  kNamespaceObject,
  kRequest,
  kParams,
  kAuthorizer,
  kRequestResource,
  kVariables,
  kAdmissionVariables,
};

struct AdmissionScope {
  bool params = false;
  bool authorizer = true;
  bool patch_types = false;  // Object{…}, JSONPatch{…}
};

// What an expression must give.
enum class AdmissionUse : uint8_t {
  kMatchCondition,
  kValidation,
  kMessage,
  kAuditAnnotation,
  kVariable,
  kApplyConfiguration,
  kJsonPatch,
};

struct CompileError {
  bool internal = false;  // not the user's fault
  std::string detail;
};

struct AdmissionProgram {
  Program program;
  TypeRef type;
};

// Compiles expressions of one policy. Variables that were added can be used by what is compiled
// after them. Programs refer to it, so it must outlive them.
class AdmissionCompiler {
 public:
  explicit AdmissionCompiler(bool with_variables);
  AdmissionCompiler(const AdmissionCompiler&) = delete;
  AdmissionCompiler& operator=(const AdmissionCompiler&) = delete;

  using Result = base::Result<AdmissionProgram, CompileError>;
  Result Compile(std::string_view expression, AdmissionUse use, const AdmissionScope& scope) const;
  // Compiles a variable and declares it, as of any type if it is wrong.
  Result AddVariable(std::string_view name, std::string_view expression, const AdmissionScope& scope);

 private:
  const Environment& For(const AdmissionScope& scope) const;

  class VariableTypes;
  std::shared_ptr<VariableTypes> variables_;  // null: there are none
  mutable std::unique_ptr<const Environment> environments_[8];
};

}  // namespace keelson::cel
