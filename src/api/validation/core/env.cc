#include "api/validation/core/env.h"

#include "api/validation/core/field_refs.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kEnvFields[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};

void CheckKey(std::string_view key, const Path& path, ErrorList& errors) {
  if (key.empty()) {
    errors.Add(field::Required(path, ""));
  } else {
    errors.AddInvalid(path, key, IsConfigMapKey(key));
  }
}

// A key of a config map or secret.
template <class Selector>
void CheckKeyRef(Selector ref, const Path& path, ErrorList& errors) {
  const std::string_view name = ref.local_object_reference().name();
  errors.AddInvalid(path.Child("name"), name, NameIsDnsSubdomain(name, false));
  CheckKey(ref.key(), path.Child("key"), errors);
}

void CheckFileKeyRef(FileKeySelectorView ref, const Path& path, ErrorList& errors) {
  if (ref.key().empty()) {
    errors.Add(field::Required(path.Child("key"), ""));
  } else {
    errors.AddInvalid(path.Child("key"), ref.key(), IsRelaxedEnvVarName(ref.key()));
  }
  CheckRequiredDnsLabel(ref.volume_name(), path.Child("volumeName"), errors);
  if (ref.path().empty()) {
    errors.Add(field::Required(path.Child("path"), ""));
  } else {
    CheckNoBacksteps(ref.path(), path.Child("path"), errors);
  }
}

void CheckValueFrom(EnvVarView var, const Path& path, ErrorList& errors) {
  const auto from = var.value_from();
  if (!from) return;
  int sources = 0;
  if (auto ref = from.field_ref()) {
    ++sources;
    CheckFieldRef(ref, kEnvFields, path.Child("fieldRef"), errors);
  }
  if (auto ref = from.resource_field_ref()) {
    ++sources;
    CheckResourceFieldRef(ref, /*in_volume=*/false, path.Child("resourceFieldRef"), errors);
  }
  if (auto ref = from.config_map_key_ref()) {
    ++sources;
    CheckKeyRef(ref, path.Child("configMapKeyRef"), errors);
  }
  if (auto ref = from.secret_key_ref()) {
    ++sources;
    CheckKeyRef(ref, path.Child("secretKeyRef"), errors);
  }
  if (auto ref = from.file_key_ref()) {
    ++sources;
    CheckFileKeyRef(ref, path.Child("fileKeyRef"), errors);
  }
  auto refuse = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(""), why)); };
  if (sources == 0) {
    refuse(
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
        "`fileKeyRef`");
  } else if (!var.value().empty()) {
    refuse("may not be specified when `value` is not empty");
  } else if (sources > 1) {
    refuse("may not have more than one field specified at a time");
  }
}

void CheckEnvSourceName(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.empty()) {
    errors.Add(field::Required(path.Child("name"), ""));
  } else {
    errors.AddInvalid(path.Child("name"), name, NameIsDnsSubdomain(name, true));
  }
}

}  // namespace

void CheckEnv(ListView<EnvVarView> env, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto var : env) {
    const Path at = path.Index(i++);
    if (var.name().empty()) {
      errors.Add(field::Required(at.Child("name"), ""));
    } else {
      errors.AddInvalid(at.Child("name"), var.name(), IsRelaxedEnvVarName(var.name()));
    }
    CheckValueFrom(var, at.Child("valueFrom"), errors);
  }
}

void CheckEnvFrom(ListView<EnvFromSourceView> sources, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto source : sources) {
    const Path at = path.Index(i++);
    if (!source.prefix().empty())
      errors.AddInvalid(at.Child("prefix"), source.prefix(), IsRelaxedEnvVarName(source.prefix()));
    int refs = 0;
    if (auto ref = source.config_map_ref()) {
      ++refs;
      CheckEnvSourceName(ref.local_object_reference().name(), at.Child("configMapRef"), errors);
    }
    if (auto ref = source.secret_ref()) {
      ++refs;
      CheckEnvSourceName(ref.local_object_reference().name(), at.Child("secretRef"), errors);
    }
    if (refs == 0) {
      errors.Add(field::Invalid(path, RenderValue(""), "must specify one of: `configMapRef` or `secretRef`"));
    } else if (refs > 1) {
      errors.Add(
          field::Invalid(path, RenderValue(""), "may not have more than one field specified at a time"));
    }
  }
}

}  // namespace keelson::api::core
