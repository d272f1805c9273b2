#include "apiserver/registry/internal/storage_version.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "apiserver/validation/common.h"
#include "views/internal.apiserver.k8s.io/v1alpha1.h"

namespace skiff {
namespace {

namespace internal = views::internal_apiserver_k8s_io_v1alpha1;

void ValidateName(std::string_view name, FieldErrors& errors) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return errors.Invalid("metadata.name", name, "name must be in the form of <group>.<resource>");
  }
  for (const std::string& problem : CheckDns1123Subdomain(name.substr(0, dot))) {
    errors.Invalid("metadata.name", name, "the group segment " + problem);
  }
  for (const std::string& problem : CheckDns1035Label(name.substr(dot + 1))) {
    errors.Invalid("metadata.name", name, "the resource segment " + problem);
  }
}

void ValidateVersion(std::string_view version, std::string_view field, FieldErrors& errors) {
  const size_t slash = version.find('/');
  const bool has_group = slash != std::string_view::npos;
  const std::string_view name = has_group ? version.substr(slash + 1) : version;
  if (has_group && !IsDns1123Subdomain(version.substr(0, slash))) {
    errors.Invalid(field, version, "the group must be a DNS subdomain");
  } else if (!IsDns1035Label(name)) {
    errors.Invalid(field, version, "the version must be a DNS label");
  }
}

void ValidateServer(const internal::ServerStorageVersion& server, FieldErrors& errors) {
  ValidateFormat(kDnsSubdomainFormat, server.api_server_id(), "apiServerID", errors);
  ValidateVersion(server.encoding_version(), "encodingVersion", errors);
  const auto decodable = server.decodable_versions();
  const auto decodes = [&](std::string_view version) {
    return std::find(decodable.begin(), decodable.end(), version) != decodable.end();
  };
  for (size_t i = 0; i < decodable.size(); ++i) {
    const auto at = errors.At("decodableVersions", i);
    ValidateVersion(decodable[i], "", errors);
  }
  if (!decodes(server.encoding_version())) {
    errors.Invalid(
        "decodableVersions", server.AsValue()->Find("decodableVersions"),
        "decodableVersions must include encodingVersion " + std::string(server.encoding_version()));
  }
  const auto served = server.served_versions();
  for (size_t i = 0; i < served.size(); ++i) {
    const auto at = errors.At("servedVersions", i);
    ValidateVersion(served[i], "", errors);
    if (!decodes(served[i])) errors.Invalid("", served[i], "must be in decodableVersions");
  }
}

// What all servers encode, if they agree.
std::optional<std::string_view> CommonVersion(const internal::StorageVersionStatus& status) {
  std::optional<std::string_view> common;
  for (const auto server : status.storage_versions()) {
    if (common && *common != server.encoding_version()) return std::nullopt;
    common = server.encoding_version();
  }
  return common;
}

void ValidateConditions(const internal::StorageVersionStatus& status, FieldErrors& errors) {
  std::set<std::string_view> seen;
  const auto conditions = status.conditions();
  for (size_t i = 0; i < conditions.size(); ++i) {
    // Kubernetes leaves the name of the list out.
    const auto at = errors.At("", i);
    if (!seen.insert(conditions[i].type()).second) {
      errors.Invalid("type", conditions[i].type(), "the type of the condition is not unique");
    }
    ValidateFormat(kQualifiedNameFormat, conditions[i].type(), "type", errors);
    ValidateFormat(kQualifiedNameFormat, conditions[i].status(), "status", errors);
    ValidateRequired(conditions[i].reason(), "reason", errors);
    ValidateRequired(conditions[i].message(), "message", errors);
  }
}

void ValidateStatus(const Document& object, const Document&, FieldErrors& errors) {
  const internal::StorageVersionStatus status = internal::StorageVersion(object).status();
  const auto at = errors.At("status");
  std::set<std::string_view> servers;
  const auto versions = status.storage_versions();
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto at_server = errors.At("storageVersions", i);
    if (!servers.insert(versions[i].api_server_id()).second) {
      errors.Duplicate("apiServerID", versions[i].api_server_id());
    }
    ValidateServer(versions[i], errors);
  }
  if (CommonVersion(status) != status.common_encoding_version()) {
    errors.Invalid(
        "commonEncodingVersion",
        status.AsValue() != nullptr ? status.AsValue()->Find("commonEncodingVersion") : nullptr,
        "must be what all servers encode, or nothing if they differ");
  }
  ValidateConditions(status, errors);
}

void ValidateCreate(const Document& object, FieldErrors& errors) {
  ValidateName(internal::StorageVersion(object).metadata().name(), errors);
  ValidateStatus(object, object, errors);
}

// There is nothing in it but the status.
void ValidateUpdate(const Document&, const Document&, FieldErrors&) {}

}  // namespace

const KindRules kStorageVersionRules = {.group = "internal.apiserver.k8s.io",
                                        .kind = "StorageVersion",
                                        .create = ValidateCreate,
                                        .update = ValidateUpdate,
                                        .status = ValidateStatus};

}  // namespace skiff
