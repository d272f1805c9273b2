#include "apiserver/registry/internal/storage_version.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "base/limits.h"
#include "base/strings.h"
#include "views/internal.apiserver.k8s.io/v1alpha1.h"

namespace skiff::apiserver {
namespace {

namespace internal = views::internal_apiserver_k8s_io_v1alpha1;

void ValidateName(std::string_view name, FieldErrors& errors) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return errors.Invalid("metadata.name", name, "name must be in the form of <group>.<resource>");
  }
  for (const std::string& problem : object::CheckDns1123Subdomain(name.substr(0, dot))) {
    errors.Invalid("metadata.name", name, "the group segment " + problem);
  }
  for (const std::string& problem : object::CheckDns1035Label(name.substr(dot + 1))) {
    errors.Invalid("metadata.name", name, "the resource segment " + problem);
  }
}

// What is wrong with a part of a version, added to what is wrong besides.
void AddProblems(const NameFormat& format, std::string_view part, std::string_view name,
                 std::string& problems) {
  const auto add = [&](std::string_view problem) {
    (problems += problems.empty() ? "" : ",") += name;
    (problems += " part: ") += problem;
  };
  if (part.empty()) return add("must be non-empty");
  for (const std::string& problem : format.check(part)) add(problem);
}

void ValidateVersion(std::string_view version, std::string_view field, FieldErrors& errors) {
  const size_t slash = version.find('/');
  const bool has_group = slash != std::string_view::npos;
  if (has_group && version.find('/', slash + 1) != std::string_view::npos) {
    return errors.Invalid(
        field, version,
        "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric "
        "characters or '-', start with an alphabetic character, and end with an alphanumeric "
        "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
        "'[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. "
        "'example.com/MyVersion')");
  }
  std::string problems;
  if (has_group) AddProblems(kDnsSubdomainFormat, version.substr(0, slash), "group", problems);
  AddProblems(kDns1035LabelFormat, has_group ? version.substr(slash + 1) : version, "version",
              problems);
  if (!problems.empty()) errors.Invalid(field, version, problems);
}

void ValidateServer(const internal::ServerStorageVersion& server, FieldErrors& errors) {
  ValidateFormat(kDnsSubdomainFormat, server.api_server_id(), "apiServerID", errors);
  ValidateVersion(server.encoding_version(), "encodingVersion", errors);
  const auto decodable = server.decodable_versions();
  const SeenNames known = SeenNames::Of(decodable);
  for (size_t i = 0; i < decodable.size(); ++i) {
    const auto at = errors.At("decodableVersions", i);
    ValidateVersion(decodable[i], "", errors);
  }
  if (!known.Has(server.encoding_version())) {
    errors.Invalid(
        "decodableVersions", server.AsValue()->Find("decodableVersions"),
        "decodableVersions must include encodingVersion " + std::string(server.encoding_version()));
  }
  std::string all;
  for (const std::string_view each : decodable) (all += all.empty() ? "" : " ") += each;
  CutText(all, limits::kMaxCauseValueBytes);
  const auto served = server.served_versions();
  for (size_t i = 0; i < served.size(); ++i) {
    const auto at = errors.At("servedVersions", i);
    ValidateVersion(served[i], "", errors);
    if (known.Has(served[i])) continue;
    errors.Invalid("", served[i],
                   "individual served version : " + std::string(served[i]) +
                       " must be included in decodableVersions : [" + all + "]");
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

void ValidateCommonVersion(const internal::StorageVersionStatus& status, FieldErrors& errors) {
  const std::optional<std::string_view> actual = CommonVersion(status);
  const std::optional<std::string_view> given = status.common_encoding_version();
  constexpr std::string_view kField = "commonEncodingVersion";
  if (actual == given) return;
  if (!actual) {
    errors.Invalid(kField, *given,
                   "should be nil if servers do not agree on the same encoding version, or if "
                   "there is no server reporting the supported versions yet");
  } else if (!given) {
    errors.Invalid(kField, static_cast<const object::Value*>(nullptr),
                   "the common encoding version is " + std::string(*actual));
  } else {
    errors.Invalid(kField, *given, "the actual common encoding version is " + std::string(*actual));
  }
}

void ValidateConditions(const internal::StorageVersionStatus& status, FieldErrors& errors) {
  std::map<std::string_view, size_t> seen;
  const auto conditions = status.conditions();
  for (size_t i = 0; i < conditions.size(); ++i) {
    // Kubernetes leaves the name of the list out.
    const auto at = errors.At("", i);
    if (const auto other = seen.find(conditions[i].type()); other != seen.end()) {
      errors.Invalid("type", conditions[i].type(),
                     "the type of the condition is not unique, it also appears in conditions[" +
                         std::to_string(other->second) + "]");
    }
    seen[conditions[i].type()] = i;
    ValidateFormat(kQualifiedNameFormat, conditions[i].type(), "type", errors);
    ValidateFormat(kQualifiedNameFormat, conditions[i].status(), "status", errors);
    ValidateRequired(conditions[i].reason(), "reason", errors);
    ValidateRequired(conditions[i].message(), "message", errors);
  }
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
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
  ValidateCommonVersion(status, errors);
  ValidateConditions(status, errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateName(internal::StorageVersion(object).metadata().name(), errors);
  ValidateStatus(object, object, errors);
}

// There is nothing in it but the status.
void ValidateUpdate(const object::Document&, const object::Document&, FieldErrors&) {}

}  // namespace

const KindRules kStorageVersionRules = {.group = "internal.apiserver.k8s.io",
                                        .kind = "StorageVersion",
                                        .create = ValidateCreate,
                                        .update = ValidateUpdate,
                                        .status = ValidateStatus};

}  // namespace skiff::apiserver
