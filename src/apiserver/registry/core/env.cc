#include "apiserver/registry/core/env.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr NameFormat kEnvVarFormat{object::IsRelaxedEnvVarName, object::CheckRelaxedEnvVarName};

constexpr std::string_view kEnvFields[] = {
    "metadata.name",           "metadata.namespace", "metadata.uid",   "spec.nodeName",
    "spec.serviceAccountName", "status.hostIP",      "status.hostIPs", "status.podIP",
    "status.podIPs",
};
constexpr std::string_view kResourceFields[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
};
// Every field that a pod has a name for; which of them may be used depends on the place.
constexpr std::string_view kPodFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs",
};
constexpr std::string_view kByteDivisors[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                              "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};

bool IsOneOf(std::string_view text, std::span<const std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

struct Subscripted {
  std::string_view path;
  std::string_view subscript;
};

// metadata.labels['key']
std::optional<Subscripted> SplitSubscript(std::string_view path) {
  if (!path.ends_with("']")) return std::nullopt;
  path.remove_suffix(2);
  const size_t at = path.find("['");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  return Subscripted{path.substr(0, at), path.substr(at + 2)};
}

bool IsHugePageField(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

// What a field counts, as messages call it; empty if the field is none.
std::string_view KindOfAmount(std::string_view resource) {
  if (IsHugePageField(resource)) return "hugepages";
  if (!IsOneOf(resource, kResourceFields)) return {};
  if (resource.ends_with(".cpu")) return "cpu";
  return resource.ends_with(".memory") ? "memory" : "local ephemeral storage";
}

void ValidateDivisor(std::string_view resource, std::string_view divisor, FieldErrors& errors) {
  if (divisor == "0" || ParsedQuantity(divisor).IsZero()) return;
  const std::string_view kind = KindOfAmount(resource);
  if (kind.empty()) return;
  const bool is_cpu = kind == "cpu";
  if (is_cpu ? divisor == "1m" || divisor == "1" : IsOneOf(divisor, kByteDivisors)) return;
  const std::string_view values =
      is_cpu ? "1m and 1" : "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
  errors.Invalid("divisor", resource,
                 "only divisor's values " + std::string(values) + " are supported with the " +
                     std::string(kind) + " resource");
}

// Of a ConfigMap or a Secret.
template <typename Selector>
void ValidateKeySelector(const Selector& selector, FieldErrors& errors) {
  ValidateFormat(kDnsSubdomainFormat, selector.name(), "name", errors);
  ValidateRequiredFormat(kConfigMapKeyFormat, selector.key(), "key", errors);
}

void ValidateFileKeySelector(const core::FileKeySelector& selector, FieldErrors& errors) {
  ValidateRequiredFormat(kEnvVarFormat, selector.key(), "key", errors);
  ValidateRequiredFormat(kDnsLabelFormat, selector.volume_name(), "volumeName", errors);
  if (selector.path().empty()) {
    errors.Required("path");
  } else {
    ValidateNoBacksteps(selector.path(), "path", errors);
  }
}

void ValidateValueFrom(const core::EnvVar& variable, FieldErrors& errors) {
  const core::EnvVarSource from = variable.value_from();
  const auto at = errors.At("valueFrom");
  int sources = 0;
  if (from.has_field_ref()) {
    ++sources;
    const auto ref = errors.At("fieldRef");
    ValidateFieldSelector(from.field_ref(), kEnvFields, errors);
  }
  if (from.has_resource_field_ref()) {
    ++sources;
    const auto ref = errors.At("resourceFieldRef");
    ValidateResourceSelector(from.resource_field_ref(), false, errors);
  }
  if (from.has_config_map_key_ref()) {
    ++sources;
    const auto ref = errors.At("configMapKeyRef");
    ValidateKeySelector(from.config_map_key_ref(), errors);
  }
  if (from.has_secret_key_ref()) {
    ++sources;
    const auto ref = errors.At("secretKeyRef");
    ValidateKeySelector(from.secret_key_ref(), errors);
  }
  if (from.has_file_key_ref()) {
    ++sources;
    const auto ref = errors.At("fileKeyRef");
    ValidateFileKeySelector(from.file_key_ref(), errors);
  }
  if (sources == 0) {
    errors.Invalid("", "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                   "`secretKeyRef` or `fileKeyRef`");
  } else if (!variable.value().empty()) {
    errors.Invalid("", "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.Invalid("", "", "may not have more than one field specified at a time");
  }
}

template <typename Source>
void ValidateEnvSource(const Source& source, std::string_view field, FieldErrors& errors) {
  const auto at = errors.At(field);
  // It may end as a name does to which more is to be added.
  const std::string_view name = source.name();
  if (name.size() > 1 && name.ends_with('-') &&
      object::IsDns1123Subdomain(std::string(name.substr(0, name.size() - 2)) + "a")) {
    return;
  }
  ValidateRequiredFormat(kDnsSubdomainFormat, name, "name", errors);
}

}  // namespace

void ValidateFieldSelector(const core::ObjectFieldSelector& selector,
                           std::span<const std::string_view> supported, FieldErrors& errors) {
  if (selector.api_version().empty()) return errors.Required("apiVersion");
  const std::string_view path = selector.field_path();
  if (path.empty()) return errors.Required("fieldPath");
  if (selector.api_version() == "v1" && IsOneOf(path, supported)) return;
  const auto refuse = [&](std::string_view why, std::string_view what) {
    errors.Invalid("fieldPath", path,
                   "error converting fieldPath: " + std::string(why) + ": " + std::string(what));
  };
  if (selector.api_version() != "v1") {
    return refuse("unsupported pod version", selector.api_version());
  }
  if (const std::optional<Subscripted> split = SplitSubscript(path)) {
    if (split->path == "metadata.labels") {
      return ValidateFormat(kQualifiedNameFormat, split->subscript, "", errors);
    }
    if (split->path != "metadata.annotations") {
      return refuse("field label does not support subscript", path);
    }
    return ValidateFormat(kQualifiedNameFormat, AsciiLower(split->subscript), "", errors);
  }
  // What the field was called once.
  const std::string_view name = path == "spec.host" ? "spec.nodeName" : path;
  if (!IsOneOf(name, kPodFields)) return refuse("field label not supported", path);
  if (!IsOneOf(name, supported)) errors.NotSupported("fieldPath", name, supported);
}

void ValidateResourceSelector(const core::ResourceFieldSelector& selector, bool in_volume,
                              FieldErrors& errors) {
  const std::string_view resource = selector.resource();
  if (in_volume && selector.container_name().empty()) {
    errors.Required("containerName");
  } else if (resource.empty()) {
    errors.Required("resource");
  } else if (!IsOneOf(resource, kResourceFields) && !IsHugePageField(resource)) {
    errors.NotSupported("resource", resource, kResourceFields);
  }
  ValidateDivisor(resource, selector.divisor(), errors);
}

void ValidateEnv(const object::ListView<core::EnvVar>& env, FieldErrors& errors) {
  for (size_t i = 0; i < env.size(); ++i) {
    const core::EnvVar variable = env[i];
    const bool has_name = object::IsRelaxedEnvVarName(variable.name());
    if (has_name && !variable.has_value_from()) continue;
    const auto at = errors.At("env", i);
    if (!has_name) ValidateRequiredFormat(kEnvVarFormat, variable.name(), "name", errors);
    if (variable.has_value_from()) ValidateValueFrom(variable, errors);
  }
}

void ValidateEnvFrom(const object::ListView<core::EnvFromSource>& sources, FieldErrors& errors) {
  for (size_t i = 0; i < sources.size(); ++i) {
    const core::EnvFromSource source = sources[i];
    {
      const auto at = errors.At("envFrom", i);
      if (!source.prefix().empty()) {
        ValidateFormat(kEnvVarFormat, source.prefix(), "prefix", errors);
      }
      if (source.has_config_map_ref()) {
        ValidateEnvSource(source.config_map_ref(), "configMapRef", errors);
      }
      if (source.has_secret_ref()) ValidateEnvSource(source.secret_ref(), "secretRef", errors);
    }
    if (!source.has_config_map_ref() && !source.has_secret_ref()) {
      errors.Invalid("envFrom", "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (source.has_config_map_ref() && source.has_secret_ref()) {
      errors.Invalid("envFrom", "", "may not have more than one field specified at a time");
    }
  }
}

void ValidateEnvFileVolumes(const core::PodSpec& spec, FieldErrors& errors) {
  // Made for the first that asks, which most pods have none of. The last of several volumes of one
  // name counts; that there are several is a fault of its own.
  std::optional<std::map<std::string_view, bool>> is_empty_dir;
  const auto find_volume = [&](std::string_view name) -> const bool* {
    if (!is_empty_dir) {
      is_empty_dir.emplace();
      for (const core::Volume volume : spec.volumes()) {
        (*is_empty_dir)[volume.name()] = volume.has_empty_dir();
      }
    }
    const auto found = is_empty_dir->find(name);
    return found != is_empty_dir->end() ? &found->second : nullptr;
  };
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    const auto env = container.env();
    for (size_t i = 0; i < env.size(); ++i) {
      if (!env[i].value_from().has_file_key_ref()) continue;
      const std::string_view name = env[i].value_from().file_key_ref().volume_name();
      const bool* found = find_volume(name);
      if (found != nullptr && *found) continue;
      const auto at = errors.At(list, index);
      const auto variable = errors.At("env", i);
      if (found == nullptr) {
        errors.NotFound("valueFrom.fileKeyRef.volumeName", name);
      } else {
        errors.Invalid("valueFrom.fileKeyRef.volumeName", name,
                       "referenced volume must be of type emptyDir");
      }
    }
  });
}

}  // namespace skiff::apiserver
