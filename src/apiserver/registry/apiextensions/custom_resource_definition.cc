#include "apiserver/registry/apiextensions/custom_resource_definition.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "apiserver/registry/apiextensions/conversion_rules.h"
#include "apiserver/registry/apiextensions/format_warnings.h"
#include "apiserver/registry/apiextensions/schema_rules.h"
#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/registry/apiextensions/version_rules.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "apiserver/validation/value_fields.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/equal.h"

namespace skiff::apiserver {
namespace {

// Definitions are stored in v1beta1, where what all versions have in common stands once, beside
// them. Faults are named there, as Kubernetes names them.

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

std::string Joined(const object::NameProblems& problems) {
  std::string out;
  for (const std::string& problem : problems) (out += out.empty() ? "" : ",") += problem;
  return out;
}

// One fault for all problems.
void ValidateLabelText(std::string_view text, std::string_view field, FieldErrors& errors) {
  if (!object::IsDns1035Label(text))
    errors.Invalid(field, text, Joined(object::CheckDns1035Label(text)));
}

void ValidateNames(const object::Value* names, std::string_view field, FieldErrors& errors) {
  const auto at = errors.At(field);
  for (const std::string_view name : {"plural", "singular"}) {
    const std::string_view text = TextOf(names, name);
    if (!text.empty()) ValidateLabelText(text, name, errors);
  }
  for (const std::string_view name : {"kind", "listKind"}) {
    const std::string_view text = TextOf(names, name);
    const std::string lower = AsciiLower(text);
    if (text.empty() || object::IsDns1035Label(lower)) continue;
    errors.Invalid(name, text,
                   "may have mixed case, but should otherwise match: " +
                       Joined(object::CheckDns1035Label(lower)));
  }
  const auto short_names = TextsOf(names, "shortNames");
  for (size_t i = 0; i < short_names.size(); ++i) {
    const auto at_name = errors.At("shortNames", i);
    ValidateLabelText(short_names[i], "", errors);
  }
  const std::string_view kind = TextOf(names, "kind");
  if (!kind.empty() && kind == TextOf(names, "listKind")) {
    errors.Invalid("listKind", kind, "kind and listKind may not be the same");
  }
  const auto categories = TextsOf(names, "categories");
  for (size_t i = 0; i < categories.size(); ++i) {
    const auto at_category = errors.At("categories", i);
    ValidateLabelText(categories[i], "", errors);
  }
}

void ValidateGroup(std::string_view group, FieldErrors& errors) {
  if (group.empty()) return errors.Required("group");
  if (!object::IsDns1123Subdomain(group)) {
    errors.Invalid("group", group, Joined(object::CheckDns1123Subdomain(group)));
  } else if (group.find('.') == std::string_view::npos) {
    errors.Invalid("group", group, "should be a domain with at least one dot");
  }
}

void ValidateRequiredOneOf(std::string_view text, std::initializer_list<std::string_view> supported,
                           std::string_view field, FieldErrors& errors) {
  if (text.empty()) return errors.Required(field);
  ValidateOneOf(text, supported, field, errors);
}

const object::Value* SchemaOfVersion(const object::Value* version) {
  return FieldOf(FieldOf(version, "schema"), "openAPIV3Schema");
}

const object::Value* CommonSchema(const object::Value* spec) {
  return FieldOf(FieldOf(spec, "validation"), "openAPIV3Schema");
}

bool AnySchemaOf(const object::Value* spec, bool (*is_so)(const object::Value*)) {
  if (is_so(CommonSchema(spec))) return true;
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    if (is_so(SchemaOfVersion(version))) return true;
  }
  return false;
}

bool HasSchemas(const object::Value* spec) {
  if (CommonSchema(spec) != nullptr) return true;
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    if (SchemaOfVersion(version) == nullptr) return false;
  }
  return true;
}

// A definition that preserves unknown fields is of an age when schemas were optional.
bool PreservesUnknownFields(const object::Value* spec) {
  const object::Value* preserves = FieldOf(spec, "preserveUnknownFields");
  return preserves != nullptr && preserves->AsBool();
}

void ValidateSchemasAreThere(const object::Value* spec, bool required, FieldErrors& errors) {
  if (CommonSchema(spec) != nullptr || (!required && PreservesUnknownFields(spec))) return;
  const auto versions = ItemsOf(spec, "versions");
  for (size_t i = 0; i < versions.size(); ++i) {
    if (SchemaOfVersion(versions[i]) != nullptr) continue;
    if (!required && !IsSet(versions[i], "served")) continue;
    const auto at = errors.At("versions", i);
    errors.Required("schema.openAPIV3Schema",
                    required ? "" : "because otherwise all fields are pruned");
  }
}

void ValidateVersions(const object::Value* spec, VersionOptions options,
                      const std::set<std::string_view>& unchanged, FieldErrors& errors) {
  const auto versions = ItemsOf(spec, "versions");
  std::set<std::string_view> names;
  size_t stored = 0;
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto at = errors.At("versions", i);
    const std::string_view name = TextOf(versions[i], "name");
    if (IsSet(versions[i], "storage")) ++stored;
    names.insert(name);
    ValidateLabelText(name, "name", errors);
    ValidateDeprecation(versions[i], errors);
    const object::Value* own = FieldOf(versions[i], "subresources");
    const object::Value* subresources = own != nullptr ? own : FieldOf(spec, "subresources");
    options.limit_expression_cost = !unchanged.contains(name);
    ValidateVersionParts(versions[i], "schema", FieldOf(subresources, "status") != nullptr, options,
                         errors);
  }
  const object::Value* list = FieldOf(spec, "versions");
  if (names.size() != versions.size()) {
    errors.Invalid("versions", list, "must contain unique version names");
  }
  if (stored != 1) {
    errors.Invalid("versions", list, "must have exactly one version marked as storage version");
  }
}

// The version of the time when there was only one: it is still the first.
void ValidateFirstVersion(const object::Value* spec, FieldErrors& errors) {
  const std::string_view version = TextOf(spec, "version");
  if (version.empty()) return;
  ValidateLabelText(version, "version", errors);
  const auto versions = ItemsOf(spec, "versions");
  if (!versions.empty() && TextOf(versions[0], "name") != version) {
    errors.Invalid("version", version, "must match the first version in spec.versions");
  }
}

bool AnyStatusSubresource(const object::Value* spec) {
  if (FieldOf(FieldOf(spec, "subresources"), "status") != nullptr) return true;
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    if (FieldOf(FieldOf(version, "subresources"), "status") != nullptr) return true;
  }
  return false;
}

void ValidateSpec(const object::Value* spec, const DefinitionOptions& options,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateGroup(TextOf(spec, "group"), errors);
  ValidateRequiredOneOf(TextOf(spec, "scope"), {"Cluster", "Namespaced"}, "scope", errors);
  ValidateSchemasAreThere(spec, options.require_schema, errors);
  VersionOptions versions{options.schema, options.require_structural};
  if (!PreservesUnknownFields(spec)) versions.require_structural = true;
  const bool has_defaults = AnySchemaOf(spec, HasDefault);
  if (has_defaults && PreservesUnknownFields(spec)) {
    errors.Invalid("preserveUnknownFields", true,
                   "must be false in order to use defaults in the schema");
  }
  if (has_defaults || AnySchemaOf(spec, HasExtension)) versions.require_structural = true;
  ValidateVersions(spec, versions, options.unchanged, errors);
  ValidateFirstVersion(spec, errors);
  const object::Value* names = FieldOf(spec, "names");
  for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
    const auto in_names = errors.At("names");
    ValidateRequired(TextOf(names, name), name, errors);
  }
  ValidateNames(names, "names", errors);
  versions.limit_expression_cost = !options.unchanged.contains(TextOf(spec, "version"));
  ValidateVersionParts(spec, "validation", AnyStatusSubresource(spec), versions, errors);
  ValidateConversion(spec, PreservesUnknownFields(spec), options.require_known_review_version,
                     errors);
}

void ValidateStoredVersions(const object::Document& object, FieldErrors& errors) {
  const object::Value* status = object.root().Find("status");
  const auto stored = TextsOf(status, "storedVersions");
  const object::Value* list = FieldOf(status, "storedVersions");
  if (stored.empty()) {
    return errors.Invalid("status.storedVersions", list, "must have at least one stored version");
  }
  const auto versions = ItemsOf(object.root().Find("spec"), "versions");
  const SeenNames is_stored = SeenNames::Of(stored);
  SeenNames is_there;
  for (const object::Value* version : versions) {
    const std::string_view name = TextOf(version, "name");
    is_there.Add(name);
    if (IsSet(version, "storage") && !is_stored.Has(name)) {
      errors.Invalid("status.storedVersions", list,
                     "must have the storage version " + std::string(name));
    }
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    if (is_there.Has(stored[i])) continue;
    const auto at = errors.At("status.storedVersions", i);
    const std::string name(stored[i]);
    errors.Invalid("", name,
                   "missing from spec.versions; " + name +
                       " was previously a storage version, and must remain in spec.versions until "
                       "a storage migration ensures no data remains persisted in " +
                       name + " and removes " + name + " from status.storedVersions");
  }
}

enum class Approval : uint8_t { kMissing, kBypassed, kGiven, kInvalid };

Approval ApprovalOf(const object::Document& object) {
  const object::Value* annotation =
      FieldOf(object.root().FindPath({"metadata", "annotations"}), kApproval);
  const std::string_view text = annotation != nullptr ? annotation->AsText() : std::string_view();
  if (text.empty()) return Approval::kMissing;
  if (text.starts_with("unapproved")) return Approval::kBypassed;
  const size_t scheme = text.find("://");
  const bool is_url = scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 &&
                      text[scheme + 3] != '/';
  return is_url ? Approval::kGiven : Approval::kInvalid;
}

// Groups of the project need the word of its reviewers.
void ValidateApproval(const object::Document& object, const object::Document* old,
                      FieldErrors& errors) {
  const std::string_view group = TextOf(object.root().Find("spec"), "group");
  const bool is_protected = group == "k8s.io" || group == "kubernetes.io" ||
                            group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
  if (!is_protected) return;
  const Approval approval = ApprovalOf(object);
  if (old != nullptr && ApprovalOf(*old) == approval) return;
  const auto at = errors.AtKey("metadata.annotations", kApproval);
  constexpr std::string_view kMissing =
      "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
      "https://github.com/kubernetes/enhancements/pull/1111";
  constexpr std::string_view kInvalid =
      "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a "
      "URL or a reason starting with \"unapproved\", see "
      "https://github.com/kubernetes/enhancements/pull/1111";
  if (approval == Approval::kMissing) {
    errors.Required("", kMissing);
  } else if (approval == Approval::kInvalid) {
    errors.Invalid("", FieldOf(object.root().FindPath({"metadata", "annotations"}), kApproval),
                   kInvalid);
  }
}

void ValidatePreserve(const object::Document& object, const object::Document* old,
                      FieldErrors& errors) {
  if (old != nullptr && PreservesUnknownFields(old->root().Find("spec"))) return;
  if (!PreservesUnknownFields(object.root().Find("spec"))) return;
  errors.Invalid("spec.preserveUnknownFields", true,
                 "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                 "spec.versions[*].schema instead");
}

void ValidateRest(const object::Document& object, const object::Document* old,
                  FieldErrors& errors) {
  const object::Value* accepted = FieldOf(object.root().Find("status"), "acceptedNames");
  ValidateNames(accepted, "status.acceptedNames", errors);
  ValidateStoredVersions(object, errors);
  ValidateApproval(object, old, errors);
  ValidatePreserve(object, old, errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const std::string wanted = std::string(TextOf(FieldOf(spec, "names"), "plural")) + "." +
                             std::string(TextOf(spec, "group"));
  const std::string_view name = TextOf(object.root().Find("metadata"), "name");
  if (!object::IsDns1123Subdomain(name)) {
    errors.Invalid("metadata.name", name, object::CheckDns1123Subdomain(name));
  }
  if (name != wanted) {
    errors.Invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
  }
  ValidateSpec(spec, {}, errors);
  ValidateRest(object, nullptr, errors);
}

bool IsEstablished(const object::Document& object) {
  for (const object::Value* condition : ItemsOf(object.root().Find("status"), "conditions")) {
    if (TextOf(condition, "type") == "Established") return TextOf(condition, "status") == "True";
  }
  return false;
}

// The schema of a version, wherever it stands.
const object::Value* SchemaForVersion(const object::Value* spec, std::string_view name) {
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    if (TextOf(version, "name") != name) continue;
    const object::Value* own = SchemaOfVersion(version);
    return own != nullptr ? own : CommonSchema(spec);
  }
  return nullptr;
}

std::set<std::string_view> VersionsWithSameSchema(const object::Value* spec,
                                                  const object::Value* before) {
  std::set<std::string_view> out;
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    const std::string_view name = TextOf(version, "name");
    const object::Value* now = SchemaForVersion(spec, name);
    const object::Value* then = SchemaForVersion(before, name);
    if (now != nullptr && then != nullptr && object::DeepEqual(*now, *then)) out.insert(name);
  }
  return out;
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const object::Value* before = old.root().Find("spec");
  DefinitionOptions options;
  options.require_known_review_version = HasKnownReviewVersionOrNone(before);
  options.require_schema = HasSchemas(before);
  options.require_structural = !AnySchemaOf(before, IsNotStructural);
  options.schema.require_known_types = !AnySchemaOf(before, HasUnknownType);
  options.schema.require_atomic_sets = !AnySchemaOf(before, HasNonAtomicSet);
  options.schema.require_sound_map_keys = !AnySchemaOf(before, HasUnsoundMapKeys);
  options.unchanged = VersionsWithSameSchema(spec, before);
  ValidateSpec(spec, options, errors);
  const auto immutable = [&](const object::Value* then, const object::Value* now,
                             std::string_view field) {
    ValidateImmutable(TextOf(then, field), TextOf(now, field), field, errors);
  };
  const object::Value* names = FieldOf(spec, "names");
  const object::Value* names_before = FieldOf(before, "names");
  {
    const auto at = errors.At("spec");
    if (IsEstablished(old)) {
      immutable(before, spec, "scope");
      const auto in_names = errors.At("names");
      immutable(names_before, names, "kind");
    }
    immutable(before, spec, "group");
    const auto in_names = errors.At("names");
    immutable(names_before, names, "plural");
  }
  ValidateRest(object, &old, errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const object::Value* accepted = FieldOf(object.root().Find("status"), "acceptedNames");
  ValidateNames(accepted, "status.acceptedNames", errors);
}

std::set<std::string> UnknownFormatsOf(const object::Document& object) {
  std::set<std::string> formats;
  const object::Value* spec = object.root().Find("spec");
  FindUnknownFormats(CommonSchema(spec), formats);
  for (const object::Value* version : ItemsOf(spec, "versions")) {
    FindUnknownFormats(SchemaOfVersion(version), formats);
  }
  return formats;
}

// Formats that the stored definition has already are not told again.
void WarnAboutFormats(const object::Document& object, const object::Document* old,
                      const KindSettings&, std::vector<std::string>& warnings) {
  const std::set<std::string> formats = UnknownFormatsOf(object);
  if (formats.empty()) return;
  const std::set<std::string> before =
      old != nullptr ? UnknownFormatsOf(*old) : std::set<std::string>();
  for (const std::string& format : formats) {
    if (warnings.size() >= limits::kMaxFieldIssues) return;
    if (!before.contains(format)) {
      warnings.push_back("unrecognized format " + Quoted(format));
    }
  }
}

}  // namespace

const KindRules kCustomResourceDefinitionRules = {.group = "apiextensions.k8s.io",
                                                  .kind = "CustomResourceDefinition",
                                                  .create = ValidateCreate,
                                                  .update = ValidateUpdate,
                                                  .status = ValidateStatus,
                                                  .warn = WarnAboutFormats};

}  // namespace skiff::apiserver
